"""Patches of the Kubernetes API: JSON patch, merge patch, strategic merge (lists of named items by name), server-side apply."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox.objects import KUBERNETES
from scripts.sandbox.refusal import Refusal

JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


def patched(body: Mapping[str, Any], patch: Any, content_type: str) -> dict[str, Any]:
    """The object after a patch. Raises Refusal when the patch does not fit it."""
    if content_type == JSON_PATCH:
        if not isinstance(patch, list):
            raise _bad("a JSON patch is a list of operations")
        return _json_patched(body, cast("list[Mapping[str, Any]]", patch))
    if not isinstance(patch, dict):
        raise _bad("a patch is an object")
    return cast("dict[str, Any]", _merged(body, patch, by_name=content_type in (STRATEGIC, APPLY)))


def _bad(why: str) -> Refusal:
    return Refusal("BadRequest", f"the patch cannot be applied: {why}", source=KUBERNETES, status=400)


def _merged(old: Any, new: Any, *, by_name: bool) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        before, after = cast("Mapping[str, Any]", old), cast("Mapping[str, Any]", new)
        result = dict(before)
        for key, value in after.items():
            if value is None:
                result.pop(key, None)
            else:
                result[key] = _merged(before.get(key), value, by_name=by_name)
        return result
    if by_name and _named(old) and _named(new):
        items = {item["name"]: item for item in old}
        for item in new:
            items[item["name"]] = _merged(items.get(item["name"]), item, by_name=True)
        return list(items.values())
    return copy.deepcopy(new)


def _named(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) and "name" in v for v in cast("list[Any]", value))


def _json_patched(body: Mapping[str, Any], operations: list[Mapping[str, Any]]) -> dict[str, Any]:
    document = copy.deepcopy(dict(body))
    for operation in operations:
        _apply(document, operation)
    return document


def _apply(document: dict[str, Any], operation: Mapping[str, Any]) -> None:
    path = [part.replace("~1", "/").replace("~0", "~") for part in str(operation.get("path", "")).split("/")[1:]]
    if not path:
        raise _bad("an operation needs a path below the root")
    node: Any = document
    try:
        for part in path[:-1]:
            node = node[int(part)] if isinstance(node, list) else node[part]
        _operate(node, path[-1], operation)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise Refusal(
            "Invalid",
            f"the server rejected our request: no {operation.get('path')} to {operation.get('op')}",
            source=KUBERNETES,
            status=422,
        ) from error


def _operate(node: Any, last: str, operation: Mapping[str, Any]) -> None:
    op, value = operation.get("op"), operation.get("value")
    if isinstance(node, list):
        items = cast("list[Any]", node)
        at = len(items) if last == "-" else int(last)
        if op == "add":
            items.insert(at, value)
        elif op == "remove":
            del items[at]
        else:
            _compare(op, items[at], value)
            items[at] = value
    elif op == "remove":
        del node[last]
    elif op == "add":
        node[last] = value
    else:
        _compare(op, node[last], value)
        node[last] = value


def _compare(op: object, have: Any, value: Any) -> None:
    if op not in ("replace", "test"):
        raise _bad(f"operation {op!r} is not simulated")
    if op == "test" and have != value:
        raise Refusal("Invalid", "the server rejected our request: a test operation failed", source=KUBERNETES, status=422)
