"""The resources that a stack will have, out of `pulumi preview --json --show-sames`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from components.resource import Resource, ResourceSet
from scripts.errors import BadInput

from . import engine_json

WHAT = "`pulumi preview --json --show-sames`"
_GONE = {"delete", "delete-replaced", "read-discard", "discard-replaced", "remove-pending-replace"}
"""Operations after which the resource is not there (pulumi: `deploy.StepOp`)."""
_STAYS = {"same", "update"}
"""Operations that keep the resource's id. The engine leaves id and outputs out of the new state and has them in the old one."""

_REPLACES = {"replace", "create-replacement", "import-replacement"}
"""Operations that make the resource anew."""


def read(path: Path) -> ResourceSet:
    """Raises BadInput, naming `path`, for anything else than a preview's output."""
    document = engine_json.load(path, what=WHAT)
    steps = document.get("steps")
    if not isinstance(steps, list):
        raise BadInput(f"{path} has no `steps`: give the output of {WHAT} (without PULUMI_ENABLE_STREAMING_JSON_PREVIEW).")
    try:
        _refuse_incomplete(path, document, steps)
        found = [_resource(step) for step in steps if step["op"] not in _GONE and step.get("newState")]
        config = _config(document.get("config"))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadInput(f"{path} is damaged ({type(error).__name__}: {error}): make it anew with {WHAT}.") from None
    return engine_json.resource_set(found, config, path=path, what=WHAT)


def _refuse_incomplete(path: Path, document: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> None:
    """Without `--show-sames` the engine leaves out what does not change: the rest would be judged as the whole, and pass."""
    unchanged = int((document.get("changeSummary") or {}).get("same") or 0)
    shown = sum(step["op"] == "same" for step in steps)
    if unchanged > shown:
        raise BadInput(
            f"{path} leaves out {unchanged - shown} unchanged resources of {unchanged}, so the stack cannot be judged: give the output of {WHAT}."
        )


def _resource(step: Mapping[str, Any]) -> Resource:
    found = engine_json.resource(_after(step))
    return replace(found, replaced=_forcing(step)) if step["op"] in _REPLACES else found


def _forcing(step: Mapping[str, Any]) -> tuple[str, ...]:
    """The properties for which the provider makes the resource anew, as exactly as it tells them."""
    detailed: Mapping[str, Any] = step.get("detailedDiff") or {}
    paths = [path for path, change in detailed.items() if str(change.get("kind", "")).endswith("-replace")]
    return tuple(dict.fromkeys(str(path) for path in paths or step.get("replaceReasons") or step.get("diffReasons") or ()))


def _after(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """The resource after `step`, with the id and outputs that it keeps: by them others refer to it as plain values."""
    new, old = step["newState"], step.get("oldState") or {}
    if step["op"] not in _STAYS:
        return new
    return {**{key: old[key] for key in ("id", "outputs") if key in old}, **new}


def _config(raw: Any) -> dict[str, str]:
    """Settings in plain text; the engine masks secrets, which say nothing."""
    given: Mapping[str, Any] = raw or {}
    return {str(k): v for k, v in given.items() if isinstance(v, str) and "[secret]" not in v}
