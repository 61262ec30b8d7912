"""Resources as the engine's own JSON has them (`pulumi preview --json --show-sames`, `pulumi stack export`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from components.resource import Options, Resource, ResourceSet, Value
from components.unknown import Unknown
from scripts.errors import BadInput
from scripts.plan.values import UNKNOWN, properties

_MAX_BYTES = 400 << 20


def load(path: Path, *, what: str) -> Mapping[str, Any]:
    """The object in `path`. Raises BadInput where there is none; `what` tells how to make such a file."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise BadInput(f"{path} is larger than {_MAX_BYTES >> 20} MiB: that is no output of {what}.")
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}): give the output of {what}.") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON ({error}): give the whole output of {what}.") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path} is no JSON object: give the output of {what}.")
    return cast("Mapping[str, Any]", found)


def resource_set(resources: Iterable[Resource], config: Mapping[str, str], *, path: Path, what: str) -> ResourceSet:
    """The resources of one stack, named after the URNs. Raises BadInput for an empty or mixed set."""
    found = tuple({r.urn: r for r in resources}.values())
    places = {tuple(r.urn.split("::")[0:2]) for r in found}
    if len(places) != 1:
        raise BadInput(
            f"{path} holds {'no resource' if not places else 'resources of several stacks'}: give the output of {what} of one stack."
        )
    ((head, project),) = places
    return ResourceSet(project=project, stack=head.rpartition(":")[2], resources=found, config=config)


def resource(raw: Mapping[str, Any]) -> Resource:
    """One resource of the engine's state. Raises KeyError, TypeError or AttributeError when `raw` is none."""
    urn, type_ = str(raw["urn"]), str(raw["type"])
    inputs, outputs = properties(raw.get("inputs") or {}), properties(raw.get("outputs") or {})
    return Resource(
        urn=urn,
        type=type_,
        name=urn.split("::", 3)[3],
        custom=bool(raw.get("custom")),
        parent=raw.get("parent") or None,
        # Something read with `.get()` has no inputs of the program: what the engine read of it is all there is to judge.
        inputs={**outputs, **inputs} if raw.get("external") else inputs,
        outputs=outputs,
        id=_id(raw.get("id")),
        dependencies=tuple(sorted(raw.get("dependencies") or ())),
        property_dependencies={k: tuple(sorted(v)) for k, v in (raw.get("propertyDependencies") or {}).items() if v},
        provider=str(raw.get("provider") or "").rpartition("::")[0] or None,
        options=_options(raw),
        external=bool(raw.get("external")),
    )


def _id(raw: Value) -> str | Unknown:
    return raw if isinstance(raw, str) and raw and UNKNOWN not in raw else Unknown("id")


def _options(raw: Mapping[str, Any]) -> Options:
    return Options(
        protect=bool(raw.get("protect")),
        retain_on_delete=bool(raw.get("retainOnDelete")),
        ignore_changes=tuple(raw.get("ignoreChanges") or ()),
        delete_before_replace=bool(raw.get("deleteBeforeReplace")),
        deleted_with=raw.get("deletedWith") or None,
    )
