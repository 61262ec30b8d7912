"""`policies/limits.yaml`: what the owners of the guardrails allow. Stack files may only be stricter."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from components.refusals import nearest, shown
from components.resource import name_of

from .finding import Level

DEFAULT_PATH = Path(__file__).with_name("limits.yaml")
LEAST_REASON = 10
"""Characters that say why something is accepted."""
LONGEST_DAYS = 366
"""How far ahead the last day of a suppression may lie: one that reaches further is no exception for a while and counts for nothing."""

RuleId = Annotated[str, Field(pattern=r"^GPU-[A-Z]+-\d{2}$")]
Loc = tuple[int | str, ...]
Usd = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _reason(given: str) -> str:
    """Characters that nobody sees give no reason."""
    seen = "".join(" " if c.isspace() else c for c in given if c.isspace() or unicodedata.category(c)[0] not in "CZ")
    reason = " ".join(seen.split())
    if len(reason) < LEAST_REASON:
        raise PydanticCustomError("string_too_short", "too short", {"min_length": LEAST_REASON})
    return reason


class LimitsError(ValueError):
    """The limits are not usable; the text names each field, its value and what is wrong."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)


class Allowed(_Frozen):
    """Empty: everything."""

    machines: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()


class Ceiling(_Frozen):
    """US dollars; None: no ceiling."""

    hourly_usd: Usd | None = None
    """Compared with the maximum plus surge."""
    monthly_usd: Usd | None = None
    """Compared with the maximum."""


class Ceilings(_Frozen):
    default: Ceiling = Ceiling()
    stacks: Mapping[str, Ceiling] = {}

    def of(self, stack: str) -> Ceiling:
        return self.stacks.get(stack, self.default)


class Suppression(_Frozen):
    """A finding that the owners accept for a while."""

    rule: RuleId
    stack: str | None = None
    """Default: every stack."""
    resource: str | None = None
    """Resource name; default: every resource."""
    reason: Annotated[str, Field(min_length=LEAST_REASON), AfterValidator(_reason)]
    """At least 10 characters that can be seen."""
    expires: date
    """Last day on which it counts, at most 366 days ahead."""

    def active(self, today: date) -> bool:
        """Up to and including the day on which it expires, and never when that day lies too far ahead."""
        return today <= self.expires and not self.endless(today)

    def endless(self, today: date) -> bool:
        return self.expires - today > timedelta(days=LONGEST_DAYS)

    def covers(self, rule: str, stack: str, urn: str) -> bool:
        return self.rule == rule and self.stack in (None, stack) and self.resource in (None, name_of(urn))


class Thresholds(_Frozen):
    """Sizes that are a matter of judgement. Rules name the one that they read."""

    root_disk_gib: Annotated[int, Field(ge=1)] = 100
    """Least root disk of a node with GPUs: images of 10 to 20 GB, unpacked, two or three at a time."""
    shared_memory_gib: Annotated[int, Field(ge=1)] = 8
    """Least /dev/shm of a pod with several GPUs."""
    chart_timeout_s: Annotated[int, Field(ge=1)] = 900
    """Least patience with charts that pull drivers."""
    exporter_mib: Annotated[int, Field(ge=1)] = 768
    """Least memory limit of the exporter on nodes with 8 GPUs."""
    pod_addresses_per_node: Annotated[int, Field(ge=0)] = 16
    """Subnet addresses that pods of a node take, beside its interfaces: one block of the CNI's prefixes."""


class Limits(_Frozen):
    """The whole file."""

    schema_: Annotated[Literal["gpukit/limits/1"], Field(alias="schema")] = "gpukit/limits/1"
    allowed: Allowed = Allowed()
    ceilings: Ceilings = Ceilings()
    levels: Mapping[RuleId, Level] = {}
    thresholds: Thresholds = Thresholds()
    suppressions: tuple[Suppression, ...] = ()
    price_stale_days: Annotated[int, Field(ge=1)] = 90
    quota_stale_days: Annotated[int, Field(ge=1)] = 7
    """A quota snapshot that is older is said to be so."""

    @classmethod
    def load(cls, path: Path = DEFAULT_PATH) -> Self:
        """Raises LimitsError for a file that is no YAML or breaks the schema, OSError when it cannot be read."""
        try:
            value: object = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - it is a SafeLoader
        except RecursionError:
            raise LimitsError(f"{path.name} is nested too deeply to be read") from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise LimitsError(f"{path.name} is no YAML: {' '.join(str(error).split())}") from error
        except ValueError as error:  # a day that the calendar lacks, a number of more digits than Python reads
            said = str(error).partition(";")[0]
            raise LimitsError(f"{path.name} holds a value that cannot be read: {said}") from error
        return cls.from_json(value, source=path.name)

    @classmethod
    def from_json(cls, value: object, *, source: str = "limits") -> Self:
        """Raises LimitsError with every error at once."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise LimitsError(f"{source}: {'; '.join(_told(error))}") from error


class _Loader(yaml.SafeLoader):
    """YAML's own rule, which PyYAML does not keep: a key stands once. The second of two ceilings would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                text = f"line {line}: {shown(key.value)} stands already on line {seen[key.value]}: keep one of them"
                raise yaml.constructor.ConstructorError(problem=text)
            seen[str(key.value)] = line
        return super().construct_mapping(node, deep=deep)


def _told(error: ValidationError) -> list[str]:
    return [_unknown_key(e["loc"]) if e["type"] == "extra_forbidden" else _wrong(e) for e in error.errors()]


def _wrong(error: ErrorDetails) -> str:
    where = ".".join(map(str, error["loc"])) or "file"
    if error["type"] == "missing":
        return f"{where} is missing: give {_WANTED.get(str(error['loc'][-1]), 'it')}"
    return f"{where} is {_input(error['input'])}: {_allowed(error)}"


def _input(value: object) -> str:
    """The value; blanks would look like none."""
    return repr(value)[:40] if isinstance(value, str) and not (value.strip() and value.isprintable()) else shown(value)


def _allowed(error: ErrorDetails) -> str:
    """What may stand there instead, in words of this file's owner: the validator's own speak of its types."""
    context = error.get("ctx", {})
    wanted = _WANTED.get(str(error["loc"][-1])) if error["loc"] else None
    match error["type"]:
        case "model_type" | "model_attributes_type" | "mapping_type" | "dict_type":
            return "a mapping from key to value is expected"
        case "tuple_type" | "list_type":
            return "a list is expected: write [...], or - before each entry"
        case "literal_error" | "enum":
            return f"allowed: {context.get('expected', '')}"
        case "string_pattern_mismatch":
            return "a rule's id is expected, such as GPU-EFA-05 (policies/README.md lists them)"
        case "greater_than":
            return f"more than {context['gt']} is allowed; give such a number"
        case "greater_than_equal":
            return f"{context['ge']} or more is allowed; give such a number"
        case _:
            kind = error["type"].partition("_")[0]
            return f"give {wanted or _KINDS.get(kind, 'a value of another kind')}"


_WANTED = {
    "rule": "the id of the rule, such as GPU-EFA-05",
    "reason": f"why this is accepted, in {LEAST_REASON} or more characters that can be seen",
    "expires": f'the last day on which it counts as YYYY-MM-DD, such as "2027-03-01", at most {LONGEST_DAYS} days ahead',
}
_KINDS = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number that ends",
    "is": "a mapping from key to value",
}


def _unknown_key(loc: Loc) -> str:
    """The value stays unsaid: nobody knows what it is."""
    keys = tuple(field.alias or name for name, field in _model(loc[:-1]).model_fields.items())
    near = nearest(str(loc[-1]), keys)
    hint = f"; did you mean {near}?" if near else ""
    return f"{'.'.join(map(str, loc))} is unknown, allowed here: {', '.join(keys)}{hint}"


def _model(loc: Loc) -> type[BaseModel]:
    """The model at `loc`."""
    if not loc:
        return Limits
    below: dict[object, type[BaseModel]] = {"allowed": Allowed, "suppressions": Suppression, "thresholds": Thresholds}
    return Ceilings if loc == ("ceilings",) else below.get(loc[0], Ceiling)
