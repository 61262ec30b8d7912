"""Values of a sound spec that AWS, or two parts of one cluster, would still refuse: every one of them, before the first resource."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog, naming, ownership
from components.clock import now
from components.refusals import SpecError, tried
from components.spec import CapacityBlock, Pool, Reservation, Spec, TrainingSpec

from . import outline
from .budget_outline import budget_problems
from .cluster_access import access_problems
from .existing_checks import existing_problems
from .idle_watch_outline import watch_problems
from .retention import TAKEN_DAYS, retention_days
from .scaling_tags import scaling_tags
from .storage_outline import storage_problems

BUILT_VENDOR = "NVIDIA"
SMALLEST_TRAINING_SUBNET = 20
"""Prefix length (judgement)."""
TAGS_OF_EKS = 6
"""Tags that EKS itself puts on a node group's scaling group, generously counted."""


def refuse_unfit(spec: Spec) -> list[SpecError]:
    """Names, tags, principals, machines, images and addresses. `spec` has passed `spec.checks`: its machines and zones exist."""
    found = [
        *_names(spec),
        *_version(spec),
        *_tags(spec),
        *_access(spec),
        *_retention(spec),
        *existing_problems(spec),
        *storage_problems(spec),
        *budget_problems(spec),
    ]
    for at, pool in enumerate(spec.pools):
        found += _pool(f"pools[{at}]", spec, pool)
    return found or _together(spec)


def _together(spec: Spec) -> list[SpecError]:
    """What the pools ask for together, once each is sound: their errors would repeat its own."""
    owners = tried("pools", "", lambda: _owners(spec))
    space = () if spec.network.existing else _space(spec)
    return [*owners, *space, *_scaling_tags(spec), *_watch(spec)]


def _watch(spec: Spec) -> Iterator[SpecError]:
    if spec.idle.watch is not None:
        yield from watch_problems(spec, outline.pool_outlines(spec))


def _space(spec: Spec) -> Iterator[SpecError]:
    """A6: room for every node at its maximum with its pods; for training also room to grow, since a subnet cannot be made larger."""
    unfit = list(tried("network.cidr", spec.network.cidr, lambda: outline.address_plan(spec)))
    yield from unfit
    if unfit or not isinstance(spec, TrainingSpec):
        return
    subnets = [zone.nodes for zone in outline.address_plan(spec).zones]
    if small := next((subnet for subnet in subnets if subnet.prefixlen > SMALLEST_TRAINING_SUBNET), None):
        wanted = spec.network.cidr.prefixlen - (small.prefixlen - SMALLEST_TRAINING_SUBNET)
        message = (
            f"gives each zone a /{small.prefixlen} and training needs a /{SMALLEST_TRAINING_SUBNET} or larger, since subnets of a cluster "
            f"cannot grow later: give a /{wanted} or larger, which costs nothing"
        )
        yield SpecError(path="network.cidr", value=str(spec.network.cidr), message=message)


def _names(spec: Spec) -> Iterator[SpecError]:
    yield from tried("name", spec.name, lambda: naming.cluster_name("aws", spec.name))


def _version(spec: Spec) -> Iterator[SpecError]:
    """Versions that EKS runs; one that the catalogue does not know yet needs a row there first."""
    known = {version.minor: version for version in catalog.kubernetes_versions("aws")}
    ends = {minor: version.end_of_extended_support for minor, version in known.items()}
    running = tuple(minor for minor, end in ends.items() if end is None or end >= now().date())
    if spec.kubernetes_version not in running:
        end = ends.get(spec.kubernetes_version)
        message = f"lost its last support on EKS on {end}" if end else "is no version of EKS that the catalogue knows"
        yield SpecError(path="kubernetes_version", value=spec.kubernetes_version, message=message, allowed=running)


def _tags(spec: Spec) -> Iterator[SpecError]:
    for problem in naming.problems_of_user_tags("aws", spec.tags):
        yield SpecError(path="tags", message=problem)
    for problem in naming.problems("aws", {naming.tag_key("aws", "owner"): spec.owner}):
        yield SpecError(path="owner", value=spec.owner, message=problem)


def _retention(spec: Spec) -> Iterator[SpecError]:
    days = retention_days(spec)
    if days not in TAKEN_DAYS:
        near = min(TAKEN_DAYS, key=lambda taken: abs(taken - days))
        message = f"is no number of days that CloudWatch keeps logs for: the nearest is {near}"
        yield SpecError(path="monitoring.log_retention_days", value=str(days), message=message)


def _access(spec: Spec) -> Iterator[SpecError]:
    for path, problem in access_problems(spec.access.api, spec.access.api_cidrs, spec.access.admins, spec.access.viewers):
        yield SpecError(path=f"access.{path}", message=problem)


def _pool(path: str, spec: Spec, pool: Pool) -> Iterator[SpecError]:
    yield from tried(f"{path}.name", pool.name, lambda: naming.pool_name("aws", spec.name, pool.name))
    if outline.ACCELERATOR_LABEL in pool.labels:
        yield SpecError(path=f"{path}.labels", value=outline.ACCELERATOR_LABEL, message="is set by gpukit itself: leave it out")
    yield from _reserved(path, pool)
    machines = tuple(catalog.machine("aws", name) for name in pool.machine_types)
    foreign = [m for m in machines if m.vendor != BUILT_VENDOR]
    for machine in foreign:
        message = f"{machine.vendor} accelerators are not built on AWS yet: take a machine with {BUILT_VENDOR} GPUs"
        yield SpecError(path=f"{path}.machine", value=machine.name, message=message)
    if not foreign:
        wrong_image = list(tried(f"{path}.image", pool.image, lambda: outline.image_kind(machines, pool.image)))
        yield from wrong_image or tried(f"{path}.sharing", pool.sharing, lambda: outline.pool_outline(spec, pool).sharing)


def _reserved(path: str, pool: Pool) -> Iterator[SpecError]:
    """What targeted capacity, which never lends a node beyond its own, does not go with."""
    capacity = pool.capacity
    if not isinstance(capacity, Reservation | CapacityBlock):
        return
    if pool.updates == "surge":
        message = f"{capacity.mode} capacity has no spare node to start first, so that the update would hang (B14): use in_place"
        yield SpecError(path=f"{path}.updates", value=pool.updates, message=message)
    if isinstance(capacity, Reservation) and capacity.nodes is not None:
        message = "on AWS nodes start in the reservation or not at all: leave it out, and set nodes.max to the number of reserved nodes"
        yield SpecError(path=f"{path}.capacity.nodes", value=str(capacity.nodes), message=message)
    if isinstance(capacity, CapacityBlock) and pool.nodes.min:
        message = "a block has no node before its window and all nodes.max in it: leave min out"
        yield SpecError(path=f"{path}.nodes.min", value=str(pool.nodes.min), message=message)


def _scaling_tags(spec: Spec) -> Iterator[SpecError]:
    """A scaling group takes as many tags as any resource, and ours and EKS's own come on top of the user's."""
    for made in outline.pool_outlines(spec):
        needed = len(scaling_tags(made, spec.name, spec.tags)) + TAGS_OF_EKS
        most = naming.TAG_RULES["aws"].most
        if needed > most:
            message = (
                f"the scaling group of pool {made.name} would carry {needed} tags, of which AWS takes {most}: give fewer tags or labels"
            )
            yield SpecError(path="tags", message=message)


def _owners(spec: Spec) -> dict[str, dict[str, object]]:
    """C3: one operator has one setting for the nodes of all pools."""
    return ownership.operator_values({made.name: made.ownership for made in outline.pool_outlines(spec)})
