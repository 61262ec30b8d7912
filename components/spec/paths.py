"""Where an error of the stack file is: pydantic's location as the path that its writer knows, and the keys that are valid there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from . import InferenceSpec, TrainingSpec

Step = int | str
Loc = tuple[Step, ...]

ROOTS: tuple[type[BaseModel], ...] = (TrainingSpec, InferenceSpec)
KEY = "[key]"
"""pydantic's last step when the key of a mapping is wrong, not its value."""
_CAPACITY = 3
"""Steps of `pools[i].capacity`, after which the mode follows in a location."""


def file_loc(loc: Loc) -> Loc:
    """`loc` without the steps that pydantic adds for the chosen member of a union: the workload, the capacity mode, `~form`."""
    steps = [step for step in loc[1:] if not (isinstance(step, str) and step.startswith("~")) and step != KEY]
    if len(steps) > _CAPACITY and steps[0] == "pools" and steps[2] == "capacity":
        del steps[_CAPACITY]
    return tuple(steps)


def dotted(loc: Loc) -> str:
    """`pools[0].capacity.mode`; keys that are no plain words stand in brackets and quotes."""
    text = ""
    for step in loc:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,39}", step):
            text += f".{step}" if text else step
        else:
            text += f"[{step[:40]!r}]"
    return text


def overlaps(path: str, other: str) -> bool:
    """Whether one of two dotted paths is the other or lies inside it."""
    short, long = sorted((path, other), key=len)
    return long == short or (long.startswith(short) and long[len(short)] in ".[") or not short


def models_at(loc: Loc) -> tuple[type[BaseModel], ...]:
    """The models that may stand at pydantic's location `loc`; () where no model does."""
    models = ROOTS
    for step in loc:
        if isinstance(step, int):
            continue
        inside = tuple(m for model in models if (field := model.model_fields.get(step)) for m in _models(field.annotation))
        chosen = tuple(model for model in models if _is_member(model, step))
        models = chosen if chosen and not any(step in model.model_fields for model in models) else inside
    return models


def keys_at(loc: Loc) -> tuple[str, ...]:
    """Keys that are valid in the mapping at pydantic's location `loc`."""
    return tuple(dict.fromkeys(key for model in models_at(loc) for key in model.model_fields))


def modes_with(key: str, loc: Loc) -> tuple[str, ...]:
    """Capacity modes that have `key`, where pydantic's location `loc` is a capacity of another mode; () elsewhere."""
    if loc[-2:-1] != ("capacity",):
        return ()
    others = {word: model for model in models_at(loc[:-1]) for word in get_args(model.model_fields["mode"].annotation)}
    return tuple(word for word, model in others.items() if key in model.model_fields)


def meaning(loc: Loc) -> str:
    """What the docstring says of the field at pydantic's location `loc`."""
    for model in models_at(loc[:-1]):
        field = model.model_fields.get(str(loc[-1]))
        if field is not None and field.description:
            return field.description
    return ""


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _is_member(model: type[BaseModel], tag: str) -> bool:
    """Whether `model` is the member of a union that pydantic calls `tag`: by the value of its discriminator, or by its key (`~mig`)."""
    if tag.startswith("~"):
        return tag[1:] in model.model_fields
    return any(tag in get_args(field.annotation) for name, field in model.model_fields.items() if name in ("workload", "mode"))
