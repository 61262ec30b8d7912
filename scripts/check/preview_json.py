"""The resources that a stack will have, out of `pulumi preview --json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.resource import ResourceSet
from scripts.errors import BadInput

from . import engine_json

WHAT = "`pulumi preview --json`"
_GONE = {"delete", "delete-replaced", "read-discard", "discard-replaced", "remove-pending-replace"}
"""Operations after which the resource is not there (pulumi: `deploy.StepOp`)."""


def read(path: Path) -> ResourceSet:
    """Raises BadInput, naming `path`, for anything else than a preview's output."""
    document = engine_json.load(path, what=WHAT)
    steps = document.get("steps")
    if not isinstance(steps, list):
        raise BadInput(f"{path} has no `steps`: give the output of {WHAT} (without PULUMI_ENABLE_STREAMING_JSON_PREVIEW).")
    try:
        found = [engine_json.resource(step["newState"]) for step in steps if step["op"] not in _GONE and step.get("newState")]
        config = _config(document.get("config"))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadInput(f"{path} is damaged ({type(error).__name__}: {error}): make it anew with {WHAT}.") from None
    return engine_json.resource_set(found, config, path=path, what=WHAT)


def _config(raw: Any) -> dict[str, str]:
    """Settings in plain text; the engine masks secrets, which say nothing."""
    given: Mapping[str, Any] = raw or {}
    return {str(k): v for k, v in given.items() if isinstance(v, str) and "[secret]" not in v}
