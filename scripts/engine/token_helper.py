"""Stand-ins for the clouds' command lines that kubeconfigs call for a token."""

from __future__ import annotations

from pathlib import Path

TOKEN = "simulated-token"
"""What the simulated cluster's API accepts; it opens nothing else."""

_AWS = f"""#!/bin/sh
# Stands for the AWS command line in gpukit's sandbox: answers `aws eks get-token` for simulated clusters, refuses everything else.
case " $* " in
  *" eks get-token "*)
    printf '%s' '{{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {{}},'
    printf '%s\\n' ' "status": {{"token": "{TOKEN}"}}}}' ;;
  *)
    echo "[sandbox] this aws answers only 'aws eks get-token'; leave the sandbox's shell for the real command" >&2
    exit 2 ;;
esac
"""


def write(directory: Path) -> None:
    """Write the executables into `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "aws"
    path.write_text(_AWS)
    path.chmod(0o755)
