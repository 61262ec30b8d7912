"""What changed between two sets of inputs, and whether that needs a new object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from scripts.sandbox import wire

_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One leaf that differs. `path` is Pulumi's (`scalingConfig.maxSize`, `taints[0].key`)."""

    path: str
    kind: str
    """`add`, `delete` or `update`."""
    replaces: bool


def changes(old: Mapping[str, Any], new: Mapping[str, Any], *, replace: Iterable[str], ignore: Iterable[str] = ()) -> list[Change]:
    """Leaves that differ between old and new inputs, without ignored paths (a path ignores what is under it). Secrets are compared by value."""
    ignored = tuple(ignore)
    fixed = frozenset(replace)
    return [
        Change(path, kind, any(_bare(path) == _bare(p) or _bare(path).startswith(f"{_bare(p)}.") for p in fixed))
        for path, kind in _walk(wire.plain(old), wire.plain(new), "")
        if not any(_under(path, prefix) for prefix in ignored)
    ]


def _walk(old: Any, new: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast("dict[str, Any]", old), cast("dict[str, Any]", new)
        for name in sorted({*before, *after}):
            if not name.startswith("__"):
                yield from _walk(before.get(name, _ABSENT), after.get(name, _ABSENT), _join(path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(cast("list[Any]", old)) == len(cast("list[Any]", new)):
        for at, (a, b) in enumerate(zip(cast("list[Any]", old), cast("list[Any]", new), strict=True)):
            yield from _walk(a, b, f"{path}[{at}]")
    elif old is _ABSENT and new is not None:
        yield path, "add"
    elif new is _ABSENT and old is not None:
        yield path, "delete"
    elif old != new and _ABSENT not in (old, new):
        yield path, "update"


def _join(path: str, name: str) -> str:
    if "." in name or "/" in name:
        return f'{path}["{name}"]'
    return f"{path}.{name}" if path else name


def _bare(path: str) -> str:
    """A path without list indices."""
    return "".join(part.split("]", 1)[-1] if part and (part[0].isdigit()) else part for part in path.split("["))


def _under(path: str, prefix: str) -> bool:
    plain_prefix = prefix.replace("[*]", "")
    return any(
        candidate == given or candidate.startswith((f"{given}.", f"{given}["))
        for candidate, given in ((path, prefix), (_bare(path), plain_prefix))
    )
