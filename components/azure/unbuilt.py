"""Which fields of a spec Azure has and this family does not build yet, each refused by name.

Nothing is ever ignored: every other field changes what is built, is judged by the guardrails (budget ceilings, commitments), or is
refused on Azure by `spec.checks`, as it belongs to another cloud.
"""

from __future__ import annotations

from components.gaps import Gap, refused, written
from components.refusals import SpecError
from components.spec import InferenceSpec, Spec, TrainingSpec

Refusal = SpecError

NOT_YET = "not built on Azure yet"


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
    Gap(path="serving", instead="leave it out", written=lambda s: isinstance(s, InferenceSpec) and written("serving", s) and s.serving),
)


def refuse_unbuilt(spec: Spec) -> list[Refusal]:
    """Each field or mode of `spec` that Azure has and this family does not build yet, with its path and what to do instead."""
    return refused(spec, GAPS, not_yet=NOT_YET)
