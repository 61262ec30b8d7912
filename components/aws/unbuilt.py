"""Which fields of a spec AWS has and this family does not build yet, each refused by name.

Nothing is ever ignored: every other field changes what is built, is judged by the guardrails (budget ceilings, commitments), or is
refused on AWS by `spec.checks`, as it belongs to another cloud.
"""

from __future__ import annotations

from collections.abc import Iterator

from components.gaps import Gap, refused, written
from components.refusals import SpecError
from components.spec import InferenceSpec, Pool, Spec, TrainingSpec

Refusal = SpecError

NOT_YET = "not built on AWS yet"


GAPS: tuple[Gap, ...] = (
    Gap(
        path="network.nat",
        instead="the GPU stack's charts and images come from nvcr.io and other registries, and no mirror is built: use single or per_zone",
        written=lambda s: s.network.endpoints == "private" and s.network.nat == "none" and s.network.nat,
    ),
    Gap(path="monitoring.metrics", instead="use none", written=lambda s: s.monitoring.metrics != "none" and s.monitoring.metrics),
    Gap(path="model", instead="leave it out", written=lambda s: s.model),
    Gap(path="queue.teams", instead="leave it out", written=lambda s: isinstance(s, TrainingSpec) and s.queue.teams),
    Gap(path="serving", instead="leave it out", written=lambda s: isinstance(s, InferenceSpec) and written("serving", s) and s.serving),
)


def refuse_unbuilt(spec: Spec) -> list[Refusal]:
    """Each field or mode of `spec` that AWS has and this family does not build yet, with its path and what to do instead."""
    found = refused(spec, GAPS, not_yet=NOT_YET)
    for at, pool in enumerate(spec.pools):
        found += _refuse_pool(f"pools[{at}]", pool)
    return found


def _refuse_pool(path: str, pool: Pool) -> Iterator[Refusal]:
    if pool.image == "ubuntu":
        words = ("auto", "al2023", "bottlerocket")
        message = f"{NOT_YET}: EKS has no kind of Ubuntu image and the catalogue holds no image ids"
        yield Refusal(path=f"{path}.image", value=pool.image, message=message, allowed=words)
