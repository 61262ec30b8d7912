"""The walk over all fields of a stack file, for the tests that see each honoured or refused by a family."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel


def leaves(model: type[BaseModel], above: str = "") -> Iterator[str]:
    """Paths of all fields that hold values; alternatives of a union carry their class's name."""
    for name, info in model.model_fields.items():
        path = f"{above}{name}"
        inner = [m for m in models(info.annotation) if m is not model]
        plain = not inner or any(not isinstance(a, type) or not issubclass(a, BaseModel) for a in words(info.annotation))
        if plain:
            yield path
        for nested in inner:
            yield from leaves(nested, f"{path}.{nested.__name__}." if len(inner) > 1 else f"{path}.")


def models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for argument in get_args(annotation) for m in models(argument)]


def words(annotation: Any) -> list[Any]:
    """The alternatives of a union that are plain words."""
    return [a for a in ([annotation, *get_args(annotation)]) if "Literal" in str(getattr(a, "__origin__", ""))]
