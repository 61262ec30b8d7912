"""GPU-GKE: the extra networks of GPU interfaces: how many, and the cluster that can take them. Beside it `gke_vpcs`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from components import catalog
from components.catalog import Machine
from components.catalog.gcp_networks import GcpNetworks
from components.inventory import ExtraNetwork, GkePool, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import mapped

from .gke_pools import Clash, clashing, cluster_of, given, gke_pools, machine_of, machine_untold, unchecked, untold, violated
from .rule import Case, Rule, Scope, Verdict

DATAPLANE_V2 = "ADVANCED_DATAPATH"
LISTED = "networkConfig.additionalNodeNetworkConfigs"


@dataclass(frozen=True)
class Wired:
    """A pool of machines with a fabric, what they need and what they get."""

    pool: NodePool
    gke: GkePool
    machine: Machine
    needs: GcpNetworks | None
    """None for machines that take no extra networks (A4X Max)."""
    networks: Maybe[tuple[ExtraNetwork, ...]]

    @property
    def wanted(self) -> int:
        return 0 if self.needs is None else _number(self.needs)


def _number(needs: GcpNetworks) -> int:
    return needs.gpu_networks + needs.gvnic_networks + needs.rdma_subnets


@cache
def _most() -> int:
    """Additional networks of the machine that takes most."""
    return max(_number(needs) for m in catalog.machines("gcp") if (needs := catalog.gcp_networks.gcp_networks(m)) is not None)


def wired(case: Case) -> Iterator[Wired]:
    """Pools whose interfaces are listed network by network, not left to GKE's managed DRANET."""
    for pool, gke in gke_pools(case):
        machine = machine_of(pool)
        managed = gke.accelerator_network_profile
        if machine is not None and machine.fabric is not None and (managed is None or isinstance(managed, Unknown)):
            networks = gke.extra_networks if managed is None else managed
            yield Wired(pool, gke, machine, catalog.gcp_networks.gcp_networks(machine), networks)


def _of_several(pool: NodePool) -> bool:
    """Whether its nodes may be meant to work together: a single one needs no fabric."""
    return pool.nodes.maximum not in (0, 1)


# --- GPU-GKE-01


def _count(case: Case) -> Iterator[Verdict]:
    for pool, gke in gke_pools(case):
        untold_machine, extra = machine_untold(pool), _more_interfaces(gke)
        if untold_machine is not None and (isinstance(extra, Unknown) or extra):
            yield untold(pool, untold_machine, "it cannot be told how many extra networks it needs")
        machine = machine_of(pool)
        if machine is not None and machine.fabric is None and known(gke.extra_networks) and len(gke.extra_networks) > _most():
            text = f"{len(gke.extra_networks)} additional networks, and no machine takes more than {_most()}. {machine.name} has no GPU interfaces that need "
            yield violated(pool, LISTED, f"{text}one: take them out, but for those that pods ask for.")
    for fit in wired(case):
        if isinstance(fit.networks, Unknown):
            yield untold(fit.pool, fit.networks, "its extra networks cannot be counted")
            continue
        count = len(fit.networks)
        if fit.needs is None and count:
            text = f"{count} additional networks, but {fit.machine.name} takes none: GKE's managed DRANET alone serves it. "
            yield violated(fit.pool, LISTED, text + "Take them out and set acceleratorNetworkProfile auto.")
        elif count > fit.wanted:
            yield _too_many(fit, count)
        elif count < fit.wanted and (count or _of_several(fit.pool)):
            text = f"{count} additional networks, but the GPU interfaces of {fit.machine.name} need {fit.wanted}. NCCL falls back to the node's own "
            text += f"network, at a fraction of the speed. Give all {fit.wanted}, or suppress this for nodes that never work together."
            yield violated(fit.pool, LISTED, text)


def _too_many(fit: Wired, count: int) -> Verdict:
    """D1: the control interface and the GPU interfaces fill the machine's slots."""
    text = f"{count} additional networks, but {fit.machine.name} takes exactly {fit.wanted}. "
    text += "A further one takes the slot of a GPU interface, and the fabric's daemon then misses a GPU. "
    return violated(fit.pool, LISTED, text + f"Give {fit.wanted}, and no extra gVNIC beside them.")


# --- GPU-GKE-02


def _switches(case: Case) -> Iterator[Verdict]:
    """D2: both switches are fixed when the cluster is made."""
    yield from _halfway(case)
    for pool, gke in gke_pools(case):
        extra = _more_interfaces(gke)
        if isinstance(extra, Unknown):
            yield untold(pool, extra, "it cannot be told whether its cluster must take extra interfaces", Level.ADVISORY)
        elif extra:
            yield from _able(case, pool)


def _halfway(case: Case) -> Iterator[Verdict]:
    """A cluster that switches multi-networking on needs the rest too, whatever its pools use."""
    for cluster in case.inventory.gke_clusters.values():
        if cluster.multi_networking is True and known(cluster.datapath) and known(cluster.vpc_native):
            missing = [
                *(["Dataplane V2"] if cluster.datapath != DATAPLANE_V2 else []),
                *([] if cluster.vpc_native else ["VPC-native networking"]),
            ]
            if missing:
                text = f"{cluster.name}: enableMultiNetworking without {' and '.join(missing)}, which GKE refuses. "
                text += "Set datapathProvider to ADVANCED_DATAPATH, and leave networkingMode out."
                yield Verdict(status=Status.VIOLATED, urn=cluster.urn, path="enableMultiNetworking", message=text)


def _more_interfaces(gke: GkePool) -> Maybe[bool]:
    listed = gke.extra_networks
    return listed if isinstance(listed, Unknown) else bool(listed)


def _able(case: Case, pool: NodePool) -> Iterator[Verdict]:
    cluster = cluster_of(case, pool)
    if cluster is None:
        text = "its cluster is made elsewhere, so nothing says whether it takes extra interfaces. It must have been made with "
        yield unchecked(pool, "cluster", text + "enableMultiNetworking and Dataplane V2.")
        return
    parts: dict[str, Maybe[bool]] = {
        "enableMultiNetworking": cluster.multi_networking
        if isinstance(cluster.multi_networking, Unknown)
        else cluster.multi_networking is True,
        "datapathProvider ADVANCED_DATAPATH": cluster.datapath
        if isinstance(cluster.datapath, Unknown)
        else cluster.datapath == "ADVANCED_DATAPATH",
        "VPC-native networking": cluster.vpc_native,
    }
    for claim in parts.values():
        if isinstance(claim, Unknown):
            yield untold(pool, claim, "it cannot be told whether its cluster takes extra interfaces")
    missing = [part for part, claim in parts.items() if known(claim) and not claim]
    if missing and cluster.multi_networking is not True:  # else the cluster is refused by itself
        text = f"extra networks in cluster {cluster.name} without {', '.join(missing)}, so GKE refuses the pool. They are fixed when the cluster is made: "
        yield violated(pool, LISTED, text + "set them before the first update, later the cluster must be replaced.")


# --- GPU-GKE-03

_DRANET = (
    Clash(
        lambda _, gke: [given(gke.accelerator_network_profile), _more_interfaces(gke)],
        "networkConfig.acceleratorNetworkProfile",
        "acceleratorNetworkProfile and additionalNodeNetworkConfigs together, which GKE refuses: managed DRANET makes its own networks. Keep one.",
    ),
)


def _dranet(case: Case) -> Iterator[Verdict]:
    return clashing(case, _DRANET)


# --- GPU-GKE-04


def _gvnic(case: Case) -> Iterator[Verdict]:
    """TCPX and TCPXO ride on gVNIC: the switch selects the driver and adds no interface."""
    for fit in wired(case):
        off = mapped(fit.gke.gvnic, lambda on: on is False)
        if fit.machine.fabric not in ("tcpx", "tcpxo"):
            continue
        text = f"gVNIC is switched off, and GPUDirect on {fit.machine.name} rides on it. Set gvnic.enabled to true."
        if isinstance(off, Unknown):
            yield untold(fit.pool, off, f"it cannot be told whether GPUDirect on {fit.machine.name} has the driver it rides on")
        elif off:
            yield violated(fit.pool, "nodeConfig.gvnic", text)


RULES = (
    Rule(
        id="GPU-GKE-01",
        title="A pool gets as many extra networks as its machine's GPU interfaces need",
        failures=("D1", "D2"),
        scope=Scope.RESOURCE,
        check=_count,
        fix="a3-megagpu-8g: 8; a3-highgpu-8g: 4; a3-ultragpu-8g and a4-highgpu-8g: 1 gVNIC and 8 subnets of the RDMA network",
    ),
    Rule(
        id="GPU-GKE-02",
        title="A cluster whose pools get extra networks can take them",
        failures=("D2",),
        scope=Scope.STACK,
        check=_switches,
        fix="enableMultiNetworking: true, datapathProvider: ADVANCED_DATAPATH, from the cluster's beginning",
    ),
    Rule(
        id="GPU-GKE-03",
        title="Managed DRANET and networks of one's own exclude each other",
        failures=(),
        scope=Scope.RESOURCE,
        check=_dranet,
        fix="acceleratorNetworkProfile: auto, or additionalNodeNetworkConfigs",
    ),
    Rule(
        id="GPU-GKE-04",
        title="GPUDirect-TCPX(O) pools keep gVNIC",
        failures=(),
        scope=Scope.RESOURCE,
        check=_gvnic,
        fix="nodeConfig: {gvnic: {enabled: true}}",
    ),
)
