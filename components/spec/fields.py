"""Types of single fields of the stack file: what may stand in them, and what to say when something else does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from ipaddress import IPv4Network
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

MAX_TEXT = 2048
"""Characters of one text field; the longest honest ones are resource ids."""

_BARE_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+")
"""What the engine makes of a date or time without quotes: Go's text of a time."""
_QUOTE_NUMBER = "write it in quotes: YAML reads the bare value as a number or as true/false"
_FIRST, _LAST = datetime(2000, 1, 1), datetime(9999, 12, 1)  # noqa: DTZ001 # compared as they are written
_QUOTE_DATE = "write it in quotes: YAML reads the bare value as a date and changes it"


def text_only(value: object) -> object:
    """Refuses what YAML turned into something else, instead of guessing what was meant."""
    if isinstance(value, bool | int | float):
        raise ValueError(_QUOTE_NUMBER)  # noqa: TRY004  # pydantic collects ValueErrors only
    if isinstance(value, date | datetime) or (isinstance(value, str) and _BARE_TIME.fullmatch(value)):
        raise ValueError(_QUOTE_DATE)
    return value


def _printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("holds line breaks or control characters: write plain text on one line")
    return value


def name_form(value: str) -> str:
    """Names that every cloud and Kubernetes accept. Raises ValueError."""
    if not re.fullmatch(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?", value):
        raise ValueError("use at most 40 of a-z, 0-9 and -, starting with a letter and ending with a letter or digit")
    return value


def _day(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError("no such day in the calendar") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    raise ValueError('write a day in quotes, such as "2027-03-01"')


def _moment(value: object) -> object:
    if isinstance(value, datetime):
        return value
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        raise ValueError('write a time with its zone in quotes, such as "2027-01-11T11:30Z"') from None
    if moment.tzinfo is None:
        raise ValueError('the time zone is missing: end it with Z, such as "2027-01-11T11:30Z"')
    if not _FIRST <= moment.replace(tzinfo=None) <= _LAST:  # beyond them, arithmetic with zones and margins leaves the calendar
        raise ValueError(f"no window lies there: write a time between {_FIRST.date()} and {_LAST.date()}")
    return moment.astimezone(UTC)


def _cidr(value: object) -> object:
    if isinstance(value, IPv4Network):
        return value
    if not isinstance(value, str) or "/" not in value:
        raise ValueError("write an IPv4 range such as 10.64.0.0/16")
    try:
        return IPv4Network(value)
    except ValueError:
        pass
    try:
        nearest = IPv4Network(value, strict=False)
    except ValueError:
        raise ValueError("write an IPv4 range such as 10.64.0.0/16") from None
    raise ValueError(f"the address lies inside the range, not at its start: write {nearest}")


def _email(value: str) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+", value):
        raise ValueError("write an e-mail address such as ml-platform@example.com")
    return value


class FrozenMap(dict[str, str]):
    """A text-to-text mapping that cannot change, as the models that hold it cannot."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a spec cannot change: build a new one")

    __setitem__ = __delitem__ = __ior__ = _refuse  # pyright: ignore[reportAssignmentType]  # every way to change a dict is closed
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]  # as above

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  # a dict is unhashable only because it can change
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, str]]]:
        return FrozenMap, (dict(self),)

    def __deepcopy__(self, _: object) -> FrozenMap:
        return self


Text = Annotated[str, BeforeValidator(text_only), AfterValidator(_printable), Field(strict=True, min_length=1, max_length=MAX_TEXT)]
Name = Annotated[
    str,
    BeforeValidator(text_only),
    AfterValidator(name_form),
    Field(strict=True, json_schema_extra={"pattern": "^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$"}),
]
Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Above0 = Annotated[int, Field(gt=0, strict=True)]
Amount = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
"""Dollars, TiB and other positive figures."""
Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_moment),
    BeforeValidator(text_only),
    WithJsonSchema({"type": "string", "format": "date-time", "description": 'ISO 8601 with its time zone, in quotes: "2027-01-11T11:30Z"'}),
]
Day = Annotated[
    date,
    BeforeValidator(_day),
    BeforeValidator(text_only),
    WithJsonSchema({"type": "string", "format": "date", "description": 'A day in quotes: "2027-03-01"'}),
]
Cidr = Annotated[
    IPv4Network,
    BeforeValidator(_cidr),
    BeforeValidator(text_only),
    WithJsonSchema({"type": "string", "pattern": r"^(\d{1,3}\.){3}\d{1,3}/\d{1,2}$"}),
]
Email = Annotated[Text, AfterValidator(_email)]
TextMap = Annotated[Mapping[Text, Text], AfterValidator(FrozenMap)]


class Frozen(BaseModel):
    """Immutable, without unknown keys, without silent conversions between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)
