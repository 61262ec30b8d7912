"""Property values of every JSON source (recording, preview, exported state) as the plain values that readers understand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from components.resource import Secret, Value
from components.unknown import MASKED_SECRET, SECRET, Unknown

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's text for a value that only the update will tell (pulumi: `plugin.UnknownStringValue`)."""
OTHER_UNKNOWNS = (
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
)
"""The same for booleans, numbers, lists, assets, archives and objects."""
SIGNATURE = "4dabf18193072939515e22adb298388d"
SIGNED_SECRET = "1b47061264138c4ac30d75fd1eb44270"
SIGNED_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
SIGNED_REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
_DEFAULTS = "__defaults"
"""Where bridged providers keep which values they filled in themselves."""

IN_THE_CLOUD = "read from the cloud, which an offline run does not ask"


class Unread(Mapping[str, Value]):
    """Properties of something that exists already: whatever is asked for is unknown, and only the look-up keys are listed."""

    def __init__(self, given: Mapping[str, Value]) -> None:
        self._given = given

    def __getitem__(self, key: str) -> Value:
        return self._given[key] if key in self._given else Unknown(key, IN_THE_CLOUD)

    def get(self, key: str, default: Value = None) -> Value:  # noqa: ARG002 # nothing is ever absent here
        return self[key]

    def __contains__(self, key: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def properties(raw: Mapping[str, Any]) -> dict[str, Value]:
    """A resource's properties, unknowns carrying their dotted path as `components.resource.read` writes it."""
    return {key: _shallow(inner, key) for key, inner in raw.items() if not key.startswith("__")}


def _shallow(raw: Any, path: str) -> Value:
    """A value of hundreds of levels is no crash and no pass: nobody can read it."""
    try:
        return value(raw, path)
    except RecursionError:
        return Unknown(path, "not readable: nested too deeply")


def value(raw: Any, path: str = "") -> Value:
    """`raw` as plain JSON with `Unknown` and `Secret` leaves. A text with an unknown inside is unknown as a whole."""
    if isinstance(raw, str):
        return _text(raw, path)
    if isinstance(raw, float):
        return int(raw) if raw.is_integer() else raw
    if isinstance(raw, list):
        return [value(item, f"{path}[{i}]") for i, item in enumerate(cast("list[Any]", raw))]
    if isinstance(raw, Mapping):
        return _object(cast("Mapping[str, Any]", raw), path)
    return raw


def _text(raw: str, path: str) -> Value:
    if raw == MASKED_SECRET:
        return Secret(Unknown(path, SECRET))
    if UNKNOWN in raw or raw in OTHER_UNKNOWNS:
        return Unknown(path)
    return raw


def _object(raw: Mapping[str, Any], path: str) -> Value:
    signature = raw.get(SIGNATURE)
    if signature is None:
        return {key: value(inner, f"{path}.{key}" if path else key) for key, inner in raw.items() if key != _DEFAULTS}
    if signature == SIGNED_SECRET:
        return Secret(_plain_text(raw, path))
    if signature == SIGNED_OUTPUT:
        inner = value(raw["value"], path) if "value" in raw else Unknown(path)
        return Secret(inner) if raw.get("secret") else inner
    if signature == SIGNED_REFERENCE:
        return raw.get("urn") if "id" not in raw else value(raw["id"], path) if raw["id"] else Unknown(path)
    return {key: value(inner, f"{path}.{key}") for key, inner in raw.items() if key != SIGNATURE}


def _plain_text(raw: Mapping[str, Any], path: str) -> Value:
    """What a secret hides, where the source says it at all (state exported with `--show-secrets`)."""
    if "value" in raw:
        return value(raw["value"], path)
    text = raw.get("plaintext")
    if not isinstance(text, str):
        return Unknown(path, SECRET)
    try:
        return value(json.loads(text), path)
    except json.JSONDecodeError:
        return Unknown(path, SECRET)
