"""The executable `pulumi-language-python` that is put beside a built engine, and how to tell it from the official host."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

NAME = "pulumi-language-python"
PYTHON_VARIABLE = "GPUKIT_PYTHON"
"""Names the interpreter that has this project installed; only the sandbox's environment sets it."""

_MARK = "gpukit's language host"
_SCRIPT = f"""#!/bin/sh
# {_MARK}: serves the engine in gpukit's sandbox where Pulumi's own host is absent.
if [ -z "${{{PYTHON_VARIABLE}:-}}" ]; then
  echo "{_MARK} serves only the sandbox. Run: eval \\"$(gpukit env --sandbox)\\", or install Pulumi for real clouds." >&2
  exit 1
fi
exec "${PYTHON_VARIABLE}" -P -m scripts.engine.host "$@"
"""


def write(directory: Path) -> None:
    """Put the wrapper into `directory`, a directory that is not on PATH.

    One that is there already is left alone, and a new one takes its place in one step: a file that is open for writing cannot be run,
    and another process may be running this one.
    """
    path = directory / NAME
    if path.is_file() and path.read_text(errors="replace") == _SCRIPT and os.access(path, os.X_OK):
        return
    with tempfile.NamedTemporaryFile("w", dir=directory, prefix=f".{NAME}-", delete=False) as file:
        file.write(_SCRIPT)
    made = Path(file.name)
    made.chmod(0o755)
    made.replace(path)


def is_ours(path: Path) -> bool:
    """Whether the host at `path` is this wrapper and not Pulumi's own program."""
    with path.open("rb") as file:
        return _MARK.encode() in file.read(400)
