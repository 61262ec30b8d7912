"""Which fields of a spec Google Cloud has and this family does not build yet, each refused by name.

Nothing is ever ignored: every other field changes what is built, is judged by the guardrails (budget ceilings, commitments), or is
refused on GCP by `spec.checks`, as it belongs to another cloud.
"""

from __future__ import annotations

from components.gaps import Gap, refused
from components.refusals import SpecError
from components.spec import InferenceSpec, Spec, TrainingSpec

Refusal = SpecError

NOT_YET = "not built on GCP yet"


GAPS: tuple[Gap, ...] = (
    Gap(
        path="network.nat",
        why="Cloud NAT is one gateway that Google runs in every zone of the region",
        instead="use single",
        written=lambda s: s.network.nat == "per_zone" and s.network.nat,
    ),
    Gap(
        path="network.endpoints",
        why="nodes reach Google's APIs and registries inside Google's network as it is (Private Google Access)",
        instead="leave it out",
        written=lambda s: s.network.endpoints == "private" and s.network.endpoints,
    ),
    Gap(
        path="storage.shared_filesystem.bucket",
        instead="leave it out, and import the bucket with `gcloud lustre instances import-data`",
        written=lambda s: s.storage.shared_filesystem and s.storage.shared_filesystem.bucket,
    ),
    Gap(
        path="monitoring.metrics",
        instead="use none, or cloud",
        written=lambda s: s.monitoring.metrics == "prometheus" and s.monitoring.metrics,
    ),
    Gap(path="model", instead="leave it out", written=lambda s: s.model),
    Gap(path="queue.teams", instead="leave it out", written=lambda s: isinstance(s, TrainingSpec) and s.queue.teams),
    Gap(
        path="serving",
        instead="leave it out",
        written=lambda s: isinstance(s, InferenceSpec) and "serving" in s.model_fields_set and s.serving,
    ),
)


def refuse_unbuilt(spec: Spec) -> list[Refusal]:
    """Each field or word of `spec` that this family does not build, with its path and what to do instead."""
    return refused(spec, GAPS, not_yet=NOT_YET)
