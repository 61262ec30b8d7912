"""Which fields of a spec Azure has and this family does not build yet, each refused by name.

Nothing is ever ignored: every other field changes what is built, is judged by the guardrails (budget ceilings, commitments), or is
refused on Azure by `spec.checks`, as it belongs to another cloud.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from components.refusals import SpecError, shown
from components.spec import InferenceSpec, Spec, TrainingSpec

Refusal = SpecError

NOT_YET = "not built on Azure yet"


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
    Gap(
        path="network.flow_logs",
        instead="flow logs of Azure belong to the network watcher of the whole region: leave it out, and switch them on there",
        written=lambda s: s.network.flow_logs,
    ),
    Gap(path="idle", instead="leave it out", written=lambda s: "idle" in s.model_fields_set and s.idle),
    Gap(
        path="monitoring.metrics",
        instead="use cloud, or none",
        written=lambda s: s.monitoring.metrics == "prometheus" and s.monitoring.metrics,
    ),
    Gap(
        path="storage.shared_filesystem.bucket",
        instead="leave it out, and copy between the two",
        written=lambda s: s.storage.shared_filesystem and s.storage.shared_filesystem.bucket,
    ),
    Gap(
        path="storage.shared_filesystem",
        instead="leave it out: a file system lies in a subnet of its own, which is made in networks of the stack's own only",
        written=lambda s: s.network.existing and s.storage.shared_filesystem,
    ),
    Gap(path="model", instead="leave it out", written=lambda s: s.model),
    Gap(path="queue.teams", instead="leave it out", written=lambda s: isinstance(s, TrainingSpec) and s.queue.teams),
    Gap(path="serving", instead="leave it out", written=lambda s: isinstance(s, InferenceSpec) and _written("serving", s) and s.serving),
)


def refuse_unbuilt(spec: Spec) -> list[Refusal]:
    """Each field or mode of `spec` that Azure has and this family does not build yet, with its path and what to do instead."""
    return [Refusal(path=g.path, value=_shown(value), message=f"{NOT_YET}: {g.instead}") for g in GAPS if (value := g.written(spec))]


def _written(field: str, model: BaseModel) -> bool:
    """Whether the file names the field, be it with the default's own value."""
    return field in model.model_fields_set


def _shown(value: object) -> str:
    return shown(value.model_dump() if isinstance(value, BaseModel) else value)
