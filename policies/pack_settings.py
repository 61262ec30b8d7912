"""The pack's configuration: what `--policy-pack-config` may give each of its policies, checked, over `limits.yaml`.

The pack has one SDK policy a scope and level, as in the SDK a level belongs to a policy and not to a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from components.demand import QuotaSnapshot
from components.pricing import PriceOverlay

from .finding import Level
from .limits import Limits
from .limits_schema import limits_schema
from .rules import Scope
from .settings import LIMITS_FILE, Settings

HANDED_OVER = "the pack's configuration"

POLICY_NAMES: Mapping[tuple[Scope, Level], str] = {
    (scope, level): f"gpukit-{scope}-{level}" for scope in Scope for level in (Level.MANDATORY, Level.ADVISORY)
}
PROPERTIES: dict[str, dict[str, Any]] = {
    "limits": {**limits_schema(), "description": "Contents of limits.yaml; stands in for the file as a whole."},
    "limits_file": {"type": "string", "description": "Name of the file that the limits were read from, for messages."},
    "levels": {
        **limits_schema()["properties"]["levels"],
        "description": "Rule id -> mandatory, advisory or disabled; goes over the levels of the limits.",
    },
    "quota": {"type": "object", "description": "A quota snapshot (gpukit/quota/1)."},
    "prices": {"type": "object", "description": "Negotiated rates (gpukit/prices/1)."},
}
"""JSON schema of each policy's configuration, property by property."""


def pack_config(
    *,
    limits: Mapping[str, Any] | None = None,
    limits_file: str | None = None,
    levels: Mapping[str, str] | None = None,
    quota: Mapping[str, Any] | None = None,
    prices: Mapping[str, Any] | None = None,
) -> dict[str, dict[str, Any]]:
    """The JSON object for `--policy-pack-config` that gives all policies of the pack the same settings."""
    given = {"limits": limits, "limits_file": limits_file, "levels": levels, "quota": quota, "prices": prices}
    properties = {key: part for key, part in given.items() if part is not None}
    return {name: {"enforcementLevel": str(level), **properties} for (_, level), name in POLICY_NAMES.items()}


def settings_of(config: Mapping[str, Any], stack_config: Mapping[str, str]) -> Settings:
    """Settings for one call. Limits that are handed over stand in for the file as a whole: a file that a change has loosened then
    counts no more.

    Raises ValueError with every field that is wrong, OSError when `limits.yaml` cannot be read.
    """
    limits = Limits.from_json(plain(config["limits"]), source="policy config limits") if "limits" in config else _file_limits()
    if "levels" in config:
        levels = {**{rule: str(level) for rule, level in limits.levels.items()}, **plain(config["levels"])}
        limits = Limits.from_json({**limits.model_dump(by_alias=True), "levels": levels}, source="policy config levels")
    return Settings.for_stack(
        stack_config,
        limits=limits,
        snapshot=QuotaSnapshot.from_json(plain(config["quota"])) if "quota" in config else None,
        prices=PriceOverlay.from_json(plain(config["prices"])) if "prices" in config else None,
        limits_file=str(config.get("limits_file") or (HANDED_OVER if "limits" in config else LIMITS_FILE)),
    )


@cache
def _file_limits() -> Limits:
    """Read once: a resource policy asks for every resource."""
    return Limits.load()


def plain(value: object) -> Any:
    """The engine's JSON, where every number is a float, with whole numbers as int."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [plain(inner) for inner in cast("list[object]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value
