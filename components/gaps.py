"""What a family does not build, each refused by name: the shape of such a list. The lists themselves are the families' (`unbuilt.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel

from .refusals import SpecError, shown
from .spec import Spec


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A field or a word without an implementation. `written` gives what the file says there, or nothing when that is what is built anyway."""

    path: str
    instead: str
    written: Callable[[Spec], object]
    why: str = ""
    """Default: not built yet."""


def refused(spec: Spec, gaps: Iterable[Gap], *, not_yet: str) -> list[SpecError]:
    """Each gap that `spec` writes into, with its path and what to do instead."""
    return [
        SpecError(path=gap.path, value=_shown(value), message=f"{gap.why or not_yet}: {gap.instead}")
        for gap in gaps
        if (value := gap.written(spec))
    ]


def written(field: str, model: BaseModel) -> bool:
    """Whether the file names the field, be it with the default's own value."""
    return field in model.model_fields_set


def _shown(value: object) -> str:
    return shown(value.model_dump() if isinstance(value, BaseModel) else value)
