"""Entry in the program's own interpreter: `python child.py REQUEST ANSWER`, both JSON files.

Runs where gpukit may be absent, so the package around it is loaded by its path under a name that no program uses, and nothing of it
gets onto the program's import path.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

_NAME = "_gpukit_recording"


def main(request_file: str, answer_file: str) -> None:
    request: dict[str, Any] = json.loads(Path(request_file).read_text(encoding="utf-8"))
    # Its absence tells the parent that whatever is said from here on is the program's, and not to be shown.
    Path(request_file).unlink()
    try:
        answer = _recorded(request)
    except ImportError as error:
        answer = {"missing": str(error)}
    whole = Path(answer_file).with_suffix(".part")
    whole.write_text(json.dumps(answer), encoding="utf-8")
    whole.replace(answer_file)


def _recorded(request: dict[str, Any]) -> dict[str, Any]:
    _load_package()
    importlib.import_module(f"{_NAME}.collector").tune_collector()
    runner = importlib.import_module(f"{_NAME}.run")
    job = runner.Job(
        program=Path(request["program"]),
        project=request["project"],
        stack=request["stack"],
        config=request["config"],
        secret_keys=request["secret_keys"],
        directory=Path(request["directory"]),
        root=Path(request["root"]),
        output=sys.stderr if request["debug"] else None,
    )
    return runner.run(job).as_json()


def _load_package() -> None:
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    spec = importlib.util.spec_from_file_location(_NAME, here / "__init__.py", submodule_search_locations=[str(here)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main(*sys.argv[1:3])
    # The heap of the SDKs takes a second to tear down, and threads of the program may still wait.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
