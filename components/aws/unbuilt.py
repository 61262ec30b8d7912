"""Which fields of a spec AWS has and this family does not build yet, each refused by name.

Nothing is ever ignored: every other field changes what is built, is judged by the guardrails (budget ceilings, commitments), or is
refused on AWS by `spec.checks`, as it belongs to another cloud.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from components.refusals import SpecError, shown
from components.spec import InferenceSpec, Pool, Spec, TrainingSpec

Refusal = SpecError

NOT_YET = "not built on AWS yet"


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A field without an implementation. `written` gives what the file says there, or nothing when that is what is built anyway."""

    path: str
    instead: str
    written: Callable[[Spec], object]


GAPS: tuple[Gap, ...] = (
    Gap(
        path="network.nat",
        instead="the GPU stack's charts and images come from nvcr.io and other registries, and no mirror is built: use single or per_zone",
        written=lambda s: s.network.endpoints == "private" and s.network.nat == "none" and s.network.nat,
    ),
    Gap(path="monitoring.metrics", instead="use none", written=lambda s: s.monitoring.metrics != "none" and s.monitoring.metrics),
    Gap(path="model", instead="leave it out", written=lambda s: s.model),
    Gap(path="queue.teams", instead="leave it out", written=lambda s: isinstance(s, TrainingSpec) and s.queue.teams),
    Gap(path="serving", instead="leave it out", written=lambda s: isinstance(s, InferenceSpec) and _written("serving", s) and s.serving),
)


def refuse_unbuilt(spec: Spec) -> list[Refusal]:
    """Each field or mode of `spec` that AWS has and this family does not build yet, with its path and what to do instead."""
    found = [Refusal(path=g.path, value=_shown(value), message=f"{NOT_YET}: {g.instead}") for g in GAPS if (value := g.written(spec))]
    for at, pool in enumerate(spec.pools):
        found += _refuse_pool(f"pools[{at}]", pool)
    return found


def _refuse_pool(path: str, pool: Pool) -> Iterator[Refusal]:
    if pool.image == "ubuntu":
        words = ("auto", "al2023", "bottlerocket")
        message = f"{NOT_YET}: EKS has no kind of Ubuntu image and the catalogue holds no image ids"
        yield Refusal(path=f"{path}.image", value=pool.image, message=message, allowed=words)


def _written(field: str, model: BaseModel) -> bool:
    """Whether the file names the field, be it with the default's own value."""
    return field in model.model_fields_set


def _shown(value: object) -> str:
    return shown(value.model_dump() if isinstance(value, BaseModel) else value)
