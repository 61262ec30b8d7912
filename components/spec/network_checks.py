"""Zones and networks of a stack file against their cloud and region."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from components.inventory import Cloud
from components.refusals import Verdict, verdict

from . import Network, Spec

PRIVATE_RANGES = tuple(IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
MIN_ZONES: dict[Cloud, int] = {"aws": 2, "gcp": 0, "azure": 0}
"""An EKS control plane stands in two zones; GKE and AKS choose by themselves."""
_ZONES: dict[Cloud, tuple[str, str]] = {
    "aws": (r"[a-z]{2,}(-[a-z]+)+-\d[a-z]|[a-z]{2,}(-[a-z]+)+-\d-[a-z]+-\d[a-z]|[a-z0-9]+(-[a-z0-9]+)?-az\d+", "us-east-1d or use1-az2"),
    "gcp": (r"[a-z]+-[a-z]+\d+-[a-z]", "us-central1-a"),
    "azure": (r"[1-9]", '"1" (in quotes)'),
}


def check(spec: Spec, region: str | None) -> Iterator[Verdict]:
    """Refusals of `network`."""
    network = spec.network
    if network.existing is not None:
        yield from _existing(spec, network)
        return
    for at, zone in enumerate(network.zones):
        yield from zone_form(f"network.zones[{at}]", zone, spec.cloud, region)
        if zone in network.zones[:at]:
            yield verdict(f"network.zones[{at}]", zone, "is there already: name each zone once")
    if len({is_zone_id(zone) for zone in network.zones}) > 1:
        yield verdict("network.zones", network.zones, "mixes names and ids, which may mean the same zone: write all in one way")
    if len(network.zones) < MIN_ZONES[spec.cloud]:
        why = f"{spec.cloud} needs {MIN_ZONES[spec.cloud]} zones for the control plane: name them, since a region may hold zones that take none"
        yield verdict("network.zones", network.zones, why, "cloud", "network.existing")
    if not any(network.cidr.subnet_of(private) for private in PRIVATE_RANGES):
        yield verdict("network.cidr", network.cidr, "is public address space: take a range inside one of", allowed=map(str, PRIVATE_RANGES))
    if network.nat == "none" and network.endpoints != "private" and spec.cloud != "gcp":
        why = "leaves nodes without a way to images and APIs: set endpoints: private, or nat: single"
        yield verdict("network.nat", network.nat, why, "network.endpoints")


def _existing(spec: Spec, network: Network) -> Iterator[Verdict]:
    existing = network.existing
    if existing is None:
        return
    for field in ("zones", "cidr", "nat", "flow_logs", "endpoints"):
        if field in network.model_fields_set:
            why = "belongs to a network that the stack makes: remove it, or remove network.existing"
            yield verdict(f"network.{field}", getattr(network, field), why, "network.existing")
    if not existing.node_subnets:
        yield verdict("network.existing.node_subnets", existing.node_subnets, "names no subnet: give zone: subnet for each zone with nodes")
    if existing.fabric_cidr is not None and not any(existing.fabric_cidr.subnet_of(private) for private in PRIVATE_RANGES):
        why = "is public address space: take a range inside one of"
        yield verdict("network.existing.fabric_cidr", existing.fabric_cidr, why, allowed=map(str, PRIVATE_RANGES))
    only_on: dict[str, Cloud] = {
        "pod_range": "gcp",
        "service_range": "gcp",
        "host_project": "gcp",
        "fabric_cidr": "gcp",
        "control_plane_subnets": "aws",
    }
    for field, cloud in only_on.items():
        if getattr(existing, field) and spec.cloud != cloud:
            yield verdict(
                f"network.existing.{field}", getattr(existing, field), f"exists on {cloud} only: remove it on {spec.cloud}", "cloud"
            )


def is_zone_id(zone: str) -> bool:
    """Whether an AWS zone is given by id (`use1-az2`), which means the same zone in every account; letters do not."""
    return re.search(r"-az\d+$", zone) is not None


def zone_form(path: str, zone: str, cloud: Cloud, region: str | None) -> Iterator[Verdict]:
    """Whether `zone` may be a zone of `cloud` and lies in `region`. Ids of AWS zones name no region and are not compared."""
    form, example = _ZONES[cloud]
    if not re.fullmatch(form, zone):
        yield verdict(path, zone, f"is no zone of {cloud}: write one such as {example}", "cloud")
    elif region is not None and cloud != "azure" and not is_zone_id(zone) and not zone.startswith(region):
        yield verdict(path, zone, f"lies outside the stack's region {region}: name a zone of {region}, or change the region", "cloud")
