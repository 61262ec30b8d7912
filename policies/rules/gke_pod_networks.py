"""GPU-GKE: the objects in the cluster that let pods use the extra networks of their nodes."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import PodNetwork, Vpc
from components.resource import name_of
from components.unknown import Unknown, known
from policies.finding import Level, Status

from .gke_networks import LISTED, wired
from .gke_pools import violated
from .rule import Case, Rule, Scope, Verdict


def _objects(case: Case) -> Iterator[Verdict]:
    objects = case.inventory.of_google(PodNetwork)
    networks = [entry for entry in objects if entry.kind == "Network"]
    params = [entry for entry in objects if entry.kind != "Network"]
    for fit in wired(case):
        wanted = len(fit.networks) if known(fit.networks) else 0
        if wanted and min(len(networks), len(params)) < wanted:
            text = f"{wanted} additional networks, and this program makes {len(networks)} Network and {len(params)} GKENetworkParamSet objects. Nodes have "
            text += "the interfaces, and no pod can use one without a pair of them. Add the missing ones, unless something else makes them."
            yield violated(fit.pool, LISTED, text, Level.ADVISORY)
    yield from _modes(case, params)


def _modes(case: Case, params: list[PodNetwork]) -> Iterator[Verdict]:
    """D3: the device mode must fit the VPC."""
    made = {vpc.urn: vpc for vpc in case.inventory.of_google(Vpc)}
    for entry in params:
        vpc = made.get(entry.vpc) if isinstance(entry.vpc, str) else None
        if vpc is None or isinstance(entry.device_mode, Unknown) or isinstance(vpc.profile, Unknown):
            continue
        right = "NetDevice" if vpc.profile is None else "RDMA"
        if entry.device_mode not in (None, right):
            text = f"{name_of(entry.urn)}: deviceMode {entry.device_mode} on network {vpc.name}, which is {'ordinary' if vpc.profile is None else 'an RDMA one'}. "
            text += f"GKE does not bring the interface into pods. Set {right}."
            yield Verdict(status=Status.VIOLATED, urn=entry.urn, path="spec.deviceMode", message=text, level=Level.ADVISORY)


RULES = (
    Rule(
        id="GPU-GKE-16",
        title="Pods can use the extra networks: a Network and a GKENetworkParamSet for each, with the right device mode",
        failures=("D2", "D3"),
        scope=Scope.STACK,
        check=_objects,
        fix="GKENetworkParamSet {vpc, vpcSubnet, deviceMode: NetDevice}, Network {type: Device, parametersRef}",
        level=Level.ADVISORY,
    ),
)
