"""GPU-GKE: the VPCs behind GPU interfaces: MTU, RDMA profile, firewall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from components import catalog
from components.inventory import ExtraNetwork, FirewallRule, NodePool, Subnetwork, Vpc
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import any_of

from .gke_networks import LISTED, Wired, wired
from .gke_pools import cluster_of, gke_pools, machine_of, unchecked, untold, violated
from .rule import Case, Rule, Scope, Verdict, cannot_tell


@dataclass(frozen=True)
class _Vpcs:
    """The VPCs behind one pool's extra interfaces, with the number of interfaces in each."""

    fit: Wired
    planned: dict[str, Vpc]
    interfaces: dict[str, int]
    outside: tuple[str, ...]
    unknown: tuple[Unknown, ...]

    @property
    def rdma(self) -> list[Vpc]:
        return [vpc for vpc in self.planned.values() if vpc.profile is not None]


def _vpcs(case: Case) -> Iterator[_Vpcs]:
    made = {vpc.urn: vpc for vpc in case.inventory.of_google(Vpc)}
    for fit in wired(case):
        if isinstance(fit.networks, Unknown) or not fit.networks or fit.needs is None:
            continue
        named = [entry.network for entry in fit.networks]
        literal = [network for network in named if isinstance(network, str)]
        yield _Vpcs(
            fit,
            planned={network: made[network] for network in literal if network in made},
            interfaces={network: literal.count(network) for network in literal},
            outside=tuple(dict.fromkeys(network for network in literal if network not in made)),
            unknown=tuple(dict.fromkeys(network for network in named if isinstance(network, Unknown))),
        )


# --- GPU-GKE-05


def _mtu(case: Case) -> Iterator[Verdict]:
    for vpcs in _vpcs(case):
        wanted = vpcs.fit.needs.mtu if vpcs.fit.needs else 0
        for vpc in vpcs.planned.values():
            if isinstance(vpc.mtu, Unknown):
                yield cannot_tell(
                    vpc.urn, vpc.mtu, subject=vpc.name, so=f"it cannot be told whether packets of {vpcs.fit.pool.name}'s fabric fit"
                )
            elif vpc.mtu != wanted:
                has = "no mtu, which means 1460" if vpc.mtu is None else f"mtu {vpc.mtu}"
                text = f"{vpc.name}: {has}, and the GPU interfaces of {vpcs.fit.machine.name} (pool {vpcs.fit.pool.name}) need {wanted}. "
                text += f"Transfers are cut into small packets, and bandwidth is lost. Set mtu to {wanted}; nodes take it up when they are made."
                yield Verdict(status=Status.VIOLATED, urn=vpc.urn, path="mtu", message=text)
        yield from _unseen(vpcs, f"their MTU must be {wanted}")


def _unseen(vpcs: _Vpcs, must: str) -> Iterator[Verdict]:
    if vpcs.outside:
        yield unchecked(vpcs.fit.pool, LISTED, f"networks {', '.join(map(name_of, vpcs.outside))} are made elsewhere: {must}.")
    for unknown in vpcs.unknown:
        yield untold(vpcs.fit.pool, unknown, f"it cannot be told which network it is; {must}", Level.ADVISORY)


# --- GPU-GKE-06


def _own_networks(case: Case) -> Iterator[Verdict]:
    """D2: interfaces of one machine lie in VPCs of their own, but for the subnets of the one RDMA network."""
    made = {vpc.urn: vpc for vpc in case.inventory.of_google(Vpc)}
    subnets = {subnet.urn: subnet for subnet in case.inventory.of_google(Subnetwork)}
    for pool, gke in gke_pools(case):
        listed = gke.extra_networks if known(gke.extra_networks) else ()
        cluster = cluster_of(case, pool)
        unknown = next((entry.network for entry in listed if isinstance(entry.network, Unknown)), None)
        if unknown is not None:
            yield untold(pool, unknown, "it cannot be told whether each interface has a VPC of its own")
        for text in _misplaced(pool, listed, made, cluster.network if cluster is not None else None):
            yield violated(pool, LISTED, text)
        for entry in listed:
            subnet = subnets.get(entry.subnet) if isinstance(entry.subnet, str) else None
            if subnet is not None and isinstance(entry.network, str) and known(subnet.network) and subnet.network != entry.network:
                text = f"subnetwork {subnet.name} lies in network {name_of(subnet.network)}, and {name_of(entry.network)} is named with it, so GKE refuses "
                yield violated(pool, entry.path.removeprefix(gke.prefix), text + "the pool. Name the network of the subnetwork.")


def _misplaced(pool: NodePool, listed: Sequence[ExtraNetwork], made: Mapping[str, Vpc], own: Maybe[str | None]) -> Iterator[str]:
    """What is wrong with the networks behind a pool's interfaces, each said once."""
    networks = [entry.network for entry in listed if isinstance(entry.network, str)]
    subnets = [entry.subnet for entry in listed if isinstance(entry.subnet, str)]
    machine = machine_of(pool)
    needs = catalog.gcp_networks.gcp_networks(machine) if machine is not None else None
    rdma = needs is not None and needs.rdma_subnets > 0
    for network in dict.fromkeys(networks):
        held = made.get(network)
        alone = held.profile is None if held is not None else not rdma
        if networks.count(network) > 1 and alone:
            yield (
                f"network {name_of(network)} stands behind {networks.count(network)} interfaces, and each interface without RDMA needs a VPC of its own: "
                "the machine is refused. Make one VPC and subnetwork for each."
            )
        elif network == own:
            yield f"network {name_of(network)} is the cluster's own, in which the node has its first interface already. Make a VPC for the further one."
    for subnet in (subnet for subnet in dict.fromkeys(subnets) if rdma and subnets.count(subnet) > 1):
        yield f"subnetwork {name_of(subnet)} stands behind {subnets.count(subnet)} interfaces. Make a subnetwork for each."


# --- GPU-GKE-07


def _profiles(case: Case) -> Iterator[Verdict]:
    """D3 rests on sources that were not read again, so it is advice; that a profile belongs to one zone is not."""
    for vpcs in _vpcs(case):
        needs = vpcs.fit.needs
        if needs is None or not needs.network_profile or vpcs.outside or vpcs.unknown:
            continue
        yield from _rdma_network(vpcs, needs.network_profile, needs.rdma_subnets)


def _rdma_network(vpcs: _Vpcs, suffix: str, subnets: int) -> Iterator[Verdict]:
    pool = vpcs.fit.pool
    if not vpcs.rdma:
        text = f"{vpcs.fit.machine.name} needs one VPC with the network profile <zone>-{suffix} for its RDMA interfaces, and all of its VPCs are ordinary: "
        yield violated(
            pool, LISTED, f"{text}the interfaces come up without RDMA. Make that VPC with {subnets} subnetworks.", Level.ADVISORY
        )
    for vpc in vpcs.rdma:
        if isinstance(vpc.profile, Unknown):
            yield untold(pool, vpc.profile, f"it cannot be told whether {vpc.name} carries RDMA", Level.ADVISORY)
            continue
        name = str(vpc.profile).rpartition("/")[2]
        zones = [zone for zone in pool.zones if known(zone)] if known(pool.zones) else []
        if not name.endswith(f"-{suffix}") or (zones and name != f"{zones[0]}-{suffix}"):
            want = f"{zones[0] if zones else '<zone>'}-{suffix}"
            text = f"network {vpc.name} has profile {name}, and {pool.name} needs {want}: a profile belongs to one zone and is fixed when the VPC is made."
            yield Verdict(
                status=Status.VIOLATED,
                urn=vpc.urn,
                path="networkProfile",
                message=f"{text} Make the VPC with that profile.",
                level=None if name.endswith(f"-{suffix}") else Level.ADVISORY,
            )
        if vpcs.interfaces[vpc.urn] != subnets:
            text = f"{vpcs.interfaces[vpc.urn]} interfaces in RDMA network {vpc.name}, and {vpcs.fit.machine.name} has {subnets}. Give it {subnets} subnetworks."
            yield violated(pool, LISTED, text, Level.ADVISORY)


# --- GPU-GKE-08


def _firewalls(case: Case) -> Iterator[Verdict]:
    """A VPC lets nothing in by itself. RDMA networks know no such rules."""
    told: dict[str, list[Maybe[bool]]] = {}
    strays: list[Maybe[bool]] = []
    for rule in case.inventory.of_google(FirewallRule):
        if isinstance(rule.network, Unknown):
            strays.append(rule.network)
        else:
            told.setdefault(rule.network, []).append(rule.allows_all)
    for vpcs in _vpcs(case):
        for vpc in vpcs.planned.values():
            if vpc.profile is None:
                yield from _open_inside(vpcs, vpc, any_of([*told.get(vpc.urn, ()), *strays]))


def _open_inside(vpcs: _Vpcs, vpc: Vpc, claim: Maybe[bool]) -> Iterator[Verdict]:
    if isinstance(claim, Unknown):
        yield cannot_tell(vpc.urn, claim, subject=vpc.name, so=f"it cannot be told whether nodes of {vpcs.fit.pool.name} reach each other")
    elif not claim:
        text = (
            f"{vpc.name}: no firewall rule lets everything in between nodes of {vpcs.fit.pool.name}, and a VPC lets nothing in by itself. "
        )
        text += "NCCL waits until it times out. Add a rule that allows all, or every port of tcp and udp, from the subnetworks of the GPU interfaces."
        yield Verdict(status=Status.VIOLATED, urn=vpc.urn, path="", message=text)


RULES = (
    Rule(
        id="GPU-GKE-05",
        title="VPCs of GPU interfaces have the MTU of their fabric",
        failures=("D2",),
        scope=Scope.STACK,
        check=_mtu,
        fix="mtu: 8244 for A3 High and Mega, 8896 for A3 Ultra and A4",
    ),
    Rule(
        id="GPU-GKE-06",
        title="Each interface has a place of its own: a VPC, or a subnetwork of the RDMA network",
        failures=("D2",),
        scope=Scope.STACK,
        check=_own_networks,
        fix="one Network and one Subnetwork for each of the GPU interfaces",
    ),
    Rule(
        id="GPU-GKE-07",
        title="RDMA interfaces lie in one VPC with the zone's RDMA profile",
        failures=("D3",),
        scope=Scope.STACK,
        check=_profiles,
        fix="networkProfile: projects/PROJECT/global/networkProfiles/us-central1-a-vpc-roce, with 8 subnetworks",
    ),
    Rule(
        id="GPU-GKE-08",
        title="GPU interfaces reach each other through the firewall",
        failures=(),
        scope=Scope.STACK,
        check=_firewalls,
        fix='allows: [{protocol: tcp}, {protocol: udp}, {protocol: icmp}], sourceRanges: ["10.64.0.0/16"]',
    ),
)
