"""Values of a sound spec that Google, or two parts of one cluster, would still refuse: every one of them, before the first resource."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components import catalog, naming
from components.ownership import operator_values
from components.refusals import SpecError, tried
from components.regional_addresses import plan
from components.spec import Spec, TrainingSpec

from . import fabric_choice, outline, places
from .budget_outline import budget_problems
from .cluster_access import access_problems
from .existing_checks import existing_problems
from .logs_outline import retention_problems
from .storage_outline import storage_problems
from .unfit_pool import pool_problems

SMALLEST_FABRIC_SUBNET = 20
"""Prefix length of the nodes' subnet below which multi-network pools have been seen to fail."""


def refuse_unfit(spec: Spec, region: str) -> list[SpecError]:
    """Names, labels, machines, zones and addresses. `spec` has passed `spec.checks`: its machines exist."""
    found = [
        *tried("name", spec.name, lambda: naming.cluster_name("gcp", spec.name)),
        *_version(spec),
        *_labels(spec),
        *_access(spec),
        *_key(spec, region),
        *tried("network.zones", "", lambda: places.zones(spec)),
        *retention_problems(spec),
        *budget_problems(spec),
    ]
    if not found:
        found = [*storage_problems(spec)]
        for at, pool in enumerate(spec.pools):
            found += pool_problems(f"pools[{at}]", spec, pool, region)
    return found or [*existing_problems(spec)] or _together(spec)


def _together(spec: Spec) -> list[SpecError]:
    """What the pools ask for together, once each is sound: their errors would repeat its own."""
    ground = [] if spec.network.existing else [*tried("network.cidr", spec.network.cidr, lambda: plan(spec.network.cidr))]
    if found := ground or [*tried("pools", "", lambda: fabric_choice.fabric_of(spec))]:
        return found
    owners = tried("pools", "", lambda: operator_values({made.name: made.ownership for made in outline.pool_outlines(spec)}))
    return [*owners, *(() if spec.network.existing else _space(spec))]


def _space(spec: Spec) -> Iterator[SpecError]:
    """Room for every node at its maximum with its pods; where a fabric adds interfaces also the room that those were tried with."""
    unfit = list(tried("network.cidr", spec.network.cidr, lambda: outline.address_plan(spec)))
    yield from unfit
    if unfit or fabric_choice.fabric_of(spec) is None or not isinstance(spec, TrainingSpec):
        return
    nodes = outline.address_plan(spec).nodes
    if nodes.prefixlen > SMALLEST_FABRIC_SUBNET:
        wanted = spec.network.cidr.prefixlen - (nodes.prefixlen - SMALLEST_FABRIC_SUBNET)
        message = f"gives nodes a /{nodes.prefixlen}, and a fabric's pools want a /{SMALLEST_FABRIC_SUBNET}: give a /{wanted} or larger"
        yield SpecError(path="network.cidr", value=str(spec.network.cidr), message=message)


def _version(spec: Spec) -> Iterator[SpecError]:
    """Versions of GKE; one that the catalogue does not know yet needs a row there first."""
    known = tuple(version.minor for version in catalog.kubernetes_versions("gcp"))
    if spec.kubernetes_version not in known:
        message = "is no version of GKE that the catalogue knows"
        yield SpecError(path="kubernetes_version", value=spec.kubernetes_version, message=message, allowed=known)


def _labels(spec: Spec) -> Iterator[SpecError]:
    for problem in naming.problems_of_user_tags("gcp", spec.tags):
        yield SpecError(path="tags", message=problem)
    for problem in naming.problems("gcp", {naming.tag_key("gcp", "owner"): spec.owner}):
        yield SpecError(path="owner", value=spec.owner, message=problem)


def _access(spec: Spec) -> Iterator[SpecError]:
    for path, problem in access_problems(spec.access.api, spec.access.api_cidrs, spec.access.admins, spec.access.viewers):
        yield SpecError(path=f"access.{path}", message=problem)


def _key(spec: Spec, region: str) -> Iterator[SpecError]:
    """A key encrypts disks and secrets of its own region only."""
    if spec.encryption_key is not None and not re.search(rf"/locations/{region}/", spec.encryption_key):
        message = f"lies outside the stack's region {region}: give a key of that region"
        yield SpecError(path="encryption_key", value=spec.encryption_key, message=message)
