"""Stand-ins for the clouds' command lines that kubeconfigs call for a token."""

from __future__ import annotations

from pathlib import Path

TOKEN = "simulated-token"
"""What the simulated cluster's API accepts; it opens nothing else."""

_SCRIPT = """#!/bin/sh
# Stands for {name} in gpukit's sandbox: answers `{call}` for simulated clusters, refuses everything else.
case " $* " in
  {pattern})
    printf '%s' '{{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {{}},'
    printf '%s\\n' ' "status": {{"token": "{token}"}}}}' ;;
  *)
    echo "[sandbox] this {name} answers only '{call}'; leave the sandbox's shell for the real command" >&2
    exit 2 ;;
esac
"""

COMMANDS = {
    "aws": ("aws eks get-token", '*" eks get-token "*'),
    "gke-gcloud-auth-plugin": ("gke-gcloud-auth-plugin", '"  "'),
    "kubelogin": ("kubelogin get-token", '" get-token "*'),
}
"""Command of each cloud, what it answers, and the shell pattern of the arguments (with a blank before and behind) that ask for it."""


def write(directory: Path) -> None:
    """Write the executables into `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, (call, pattern) in COMMANDS.items():
        path = directory / name
        path.write_text(_SCRIPT.format(name=name, call=call, pattern=pattern, token=TOKEN))
        path.chmod(0o755)
