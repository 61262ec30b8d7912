"""Records a program in a process of its own, with its own interpreter, and takes back nothing but its tape."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.errors import BadInput, Failed
from scripts.plan.recorder import Recording, recording, undisclosed
from scripts.plan.recording import child, isolation
from scripts.plan.recording.tape import Tape

from .project import Project, StackConfig


def record_program(project: Project, stack: StackConfig, *, timeout_s: float, import_from: Path | None = None) -> Recording:
    """The recording of `project` as `stack`. What the program prints is dropped, unless GPUKIT_DEBUG=1.

    `import_from` comes first on its import path: where the program's packages lie, when its interpreter has those of another checkout.

    Raises BadInput when its interpreter cannot run it at all, Failed when it ends without a word or takes longer than `timeout_s`.
    """
    with tempfile.TemporaryDirectory(prefix="gpukit-check-") as scratch:
        request, answer = Path(scratch) / "request.json", Path(scratch) / "answer.json"
        request.write_text(json.dumps(_request(project, stack)), encoding="utf-8")
        command = [str(project.python), str(Path(child.__file__)), str(request), str(answer)]
        code, complaint = _finish(command, project, _environment(project, import_from), scratch=Path(scratch), timeout_s=timeout_s)
        if not answer.is_file():
            started = not request.exists()
            raise Failed(_silent(project, code, "" if started else complaint))
        data: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    if "missing" in data:
        raise BadInput(f"{project.python} cannot record {project.name}: {data['missing']}. Install the program's requirements there.")
    config = {k: v for k, v in stack.config.items() if k not in stack.secret_keys}
    return recording(Tape.from_json(data), config, project.directory)


def _request(project: Project, stack: StackConfig) -> dict[str, Any]:
    secrets = sorted(stack.secret_keys)
    return {
        "program": str(project.program),
        "directory": str(project.directory),
        "root": str(project.root),
        "project": project.name,
        "stack": stack.stack,
        "config": undisclosed(stack.config, secrets),
        "secret_keys": secrets,
        "debug": os.environ.get("GPUKIT_DEBUG") == "1",
    }


def _finish(command: list[str], project: Project, environment: dict[str, str], *, scratch: Path, timeout_s: float) -> tuple[int, str]:
    """Exit code and last line of complaint. The child's whole process group ends with it, also when this process is interrupted."""
    debug = os.environ.get("GPUKIT_DEBUG") == "1"
    with (scratch / "stderr").open("wb") as complaints:
        process = subprocess.Popen(
            command,
            cwd=project.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr if debug else subprocess.DEVNULL,
            stderr=sys.stderr if debug else complaints,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise Failed(
                f"{project.name} did not end within {timeout_s:g} s: it may wait for something. Give it longer with --timeout."
            ) from None
        finally:
            _end(process)
    lines = (scratch / "stderr").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return code, lines[-1][:300] if lines else ""


def _environment(project: Project, import_from: Path | None) -> dict[str, str]:
    environ = isolation.without_credentials(os.environ)
    environ.pop("PYTHONHOME", None)
    if import_from is not None:
        environ["PYTHONPATH"] = str(import_from)
    environ["PATH"] = os.pathsep.join([str(project.python.parent), environ.get("PATH", os.defpath)])
    return environ


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _silent(project: Project, code: int, complaint: str) -> str:
    ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    why = f": {complaint}" if complaint else ""
    return f"{project.name} {ended} before it could be recorded{why}. Run it with `pulumi preview` to see what it does."
