"""`policies/limits.yaml`: what the owners of the guardrails allow. Stack files may only be stricter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from components.refusals import nearest, shown

from .finding import Level

DEFAULT_PATH = Path(__file__).with_name("limits.yaml")

RuleId = Annotated[str, Field(pattern=r"^GPU-[A-Z]+-\d{2}$")]
Loc = tuple[int | str, ...]
Usd = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class LimitsError(ValueError):
    """The limits are not usable; the text names each field, its value and what is wrong."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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
    reason: Annotated[str, Field(min_length=10)]
    expires: date

    def active(self, today: date) -> bool:
        """Up to and including the day on which it expires."""
        return today <= self.expires

    def covers(self, rule: str, stack: str, urn: str) -> bool:
        return self.rule == rule and self.stack in (None, stack) and self.resource in (None, urn.rpartition("::")[2])


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
        return f"{where} is missing"
    return f"{where} is {shown(error['input'])}: {_WORDS.get(error['type'], error['msg'])}"


_WORDS = {"model_type": "a mapping from key to value is expected", "model_attributes_type": "a mapping from key to value is expected"}


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
