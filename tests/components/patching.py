"""Changes of a stack file as the families' tests write them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any


def changed(raw: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """`raw` with `patch` laid over it; a mapping under `pools` changes the first pool."""
    result = deepcopy(dict(raw))
    for key, value in patch.items():
        if key == "pools" and isinstance(value, Mapping):
            result["pools"][0] = changed(result["pools"][0], value)
        elif key in ("capacity", "tags") or (isinstance(value, Mapping) and "existing" in value):
            result[key] = value
        elif isinstance(value, Mapping) and isinstance(result.get(key), dict):
            result[key] = changed(result[key], value)
        else:
            result[key] = value
    return result
