"""What a plan can tell about a network that is there already, and what it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components.refusals import SpecError, tried
from components.regional_addresses import fabric_subnets
from components.spec import Spec

from .fabric_choice import needed_networks

NAME = r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
BASE = "network.existing"

ONLY_THE_CLOUD_KNOWS = (
    "network.existing: whether its subnet has Private Google Access, both named ranges, a way to the internet and enough free addresses, "
    "and for a shared network whether the cluster's service agents may use it, only the cloud can tell: look before the first up"
)


def existing_problems(spec: Spec) -> Iterator[SpecError]:
    """What a plan can tell about the names; the rest is for the cloud (`ONLY_THE_CLOUD_KNOWS`)."""
    given = spec.network.existing
    if given is None:
        return
    subnets = [(f"node_subnets.{zone}", subnet) for zone, subnet in given.node_subnets.items()]
    for path, name in (("network", given.network), *subnets):
        if not re.fullmatch(NAME, name):
            yield SpecError(path=f"{BASE}.{path}", value=name, message="is no name of a network or subnet: give the name alone, not a path")
    if len(set(given.node_subnets.values())) > 1:
        message = "names several subnets, and a GKE cluster has one for all zones of its region: give each zone the same"
        yield SpecError(path=f"{BASE}.node_subnets", message=message)
    for field, what in (("pod_range", "pods"), ("service_range", "services")):
        if getattr(given, field) is None:
            yield SpecError(path=f"{BASE}.{field}", message=f"is missing: name the subnet's secondary range for {what}")
    yield from _fabric(spec)


def _fabric(spec: Spec) -> Iterator[SpecError]:
    given, wired = spec.network.existing, needed_networks(spec)
    if given is None:
        return
    if wired and given.fabric_cidr is None:
        message = f"is missing: the fabric of pool {next(iter(wired))} adds networks that need addresses: give a free private /25 or larger"
        yield SpecError(path=f"{BASE}.fabric_cidr", message=message)
    if given.fabric_cidr is not None:
        cidr = given.fabric_cidr
        yield from tried(f"{BASE}.fabric_cidr", cidr, lambda: fabric_subnets(cidr))
    if given.fabric_cidr is not None and not wired:
        yield SpecError(
            path=f"{BASE}.fabric_cidr", value=str(given.fabric_cidr), message="no pool has a fabric that adds networks: remove it"
        )
    if wired and given.host_project is not None:
        message = "a fabric beside a shared network is not built on GCP yet: give the cluster a network of its own, or set fabric: none"
        yield SpecError(path=f"{BASE}.host_project", value=given.host_project, message=message)
