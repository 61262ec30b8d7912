"""What a teardown would do: its steps with what each would touch now, and what leaving that would cost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scripts.teardown.model import Seen, Target, Thing, monthly
from scripts.teardown.preflight import Preflight
from scripts.teardown.step import Step

SCHEMA = "gpukit/teardown/1"


@dataclass(frozen=True, kw_only=True)
class Planned:
    step: Step
    things: tuple[Thing, ...]
    left_out: str = ""
    """Why the step is not done."""
    after_engine: bool = False
    """It ends what the engine leaves, which nobody can list before."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    target: Target
    preflight: Preflight
    steps: tuple[Planned, ...]
    kept: tuple[Thing, ...]
    going: tuple[Thing, ...]
    """Everything in the cloud that is to end, each once."""

    @property
    def empty(self) -> bool:
        return not any(planned.things for planned in self.steps)

    def as_json(self) -> dict[str, Any]:
        usd, partial = monthly(self.going)
        return {
            "schema": SCHEMA,
            "target": {
                "name": self.target.name,
                "cloud": self.target.cloud,
                "account": self.target.account,
                "region": self.target.region,
                "cluster": self.target.cluster,
                "world": self.target.world,
            },
            "preflight": self.preflight.as_json(),
            "steps": [
                {
                    "id": each.step.id,
                    "title": each.step.title,
                    "reason": each.step.reason,
                    "minutes": each.step.minutes,
                    "left_out": each.left_out,
                    "after_engine": each.after_engine,
                    "things": [thing.as_json() for thing in each.things],
                }
                for each in self.steps
            ],
            "monthly_usd": round(usd, 2),
            "partial": partial,
            "kept": [thing.as_json() for thing in self.kept],
        }


def plan(target: Target, steps: Sequence[Step], seen: Seen, preflight: Preflight, *, api: bool) -> Plan:
    """`seen` is one look at all kinds that the steps need. A thing is shown at the first step that touches it."""
    shown: set[tuple[str, str]] = set()
    engine_ends = False
    planned: list[Planned] = []
    for step in steps:
        left_out = "" if api or not step.in_cluster else "no API server to ask"
        touched = () if left_out or engine_ends else tuple(each for each in step.touches(seen) if (each.kind, each.id) not in shown)
        shown |= {(each.kind, each.id) for each in touched if step.id != "gpu-pools"}
        planned.append(Planned(step=step, things=touched, left_out=left_out, after_engine=engine_ends))
        engine_ends = engine_ends or (step.once and bool(touched))
    cloud = [thing for thing in seen.things if "object" not in thing.detail and not thing.kind.startswith("in the state")]
    return Plan(
        target=target,
        preflight=preflight,
        steps=tuple(planned),
        kept=tuple(thing for thing in cloud if thing.kept),
        going=tuple(thing for thing in cloud if not thing.kept),
    )
