"""GPU-AKS: InfiniBand between the nodes of one agent pool, and what the cluster needs to hand it to pods."""

from __future__ import annotations

from collections.abc import Iterator

from components.unknown import Unknown, known
from policies.finding import Level, Status

from .aks_agents import Agents, gpu_agents, infiniband_agents, is_word
from .rule import Case, Rule, Scope, Verdict, cannot_tell

FEATURE = "AKSInfinibandSupport"
MOST_NODES = 100
"""Above it a scale set may span placement groups, whose nodes share no partition key: advice from the field, not a documented limit (AKS#2725)."""


# --- GPU-AKS-20


def _one_key(case: Case) -> Iterator[Verdict]:
    """E1: a partition key is a scale set's, and a pool is one scale set."""
    fabric = list(infiniband_agents(case))
    by_cluster: dict[object, list[Agents]] = {}
    for found in fabric:
        by_cluster.setdefault(found.own.cluster, []).append(found)
    for found in fabric:
        yield from _size(found)
        others = by_cluster[found.own.cluster]
        if len(fabric) > 1 and isinstance(found.own.cluster, Unknown):
            so = "it cannot be told whether its cluster has other InfiniBand pools"
            yield cannot_tell(found.own.urn, found.own.cluster, subject=found.own.name, so=so)
        elif len(others) > 1:
            names = ", ".join(other.own.name for other in others)
            text = f"one of {len(others)} InfiniBand pools of its cluster ({names}). Nodes of different pools share no partition key: a job over both "
            yield found.violated("vmSize", text + "has TCP alone. Keep one pool for each job, and bind every job to one pool.")


def _size(found: Agents) -> Iterator[Verdict]:
    most = found.pool.nodes.maximum
    prop = found.pool.paths.get("maximum", "maxCount").removeprefix(found.own.at)
    if isinstance(most, Unknown):
        yield cannot_tell(found.own.urn, most, subject=found.own.name, so="it cannot be told whether its nodes share one InfiniBand key")
    elif most > MOST_NODES:
        text = f"up to {most} nodes with InfiniBand. Above {MOST_NODES} they may fall into groups that do not reach each other. "
        yield found.violated(
            prop, text + "Take several pools with jobs of their own, or check after deployment that all nodes share the key."
        )


# --- GPU-AKS-21


def _settings(case: Case) -> Iterator[Verdict]:
    for found in infiniband_agents(case):
        zones = found.pool.zones
        if isinstance(zones, Unknown):
            yield cannot_tell(found.own.urn, zones, subject=found.own.name, so="it cannot be told whether its nodes stand in zones")
        elif zones:
            text = f"availability zones ({', '.join(str(zone) for zone in zones)}) on InfiniBand machines, which AKS offers without zones as a rule. "
            yield found.violated(
                "availabilityZones", text + "Leave them out, unless AKS lists the size for these zones in your subscription."
            )
        sku = found.own.os_sku
        if isinstance(sku, Unknown):
            yield cannot_tell(found.own.urn, sku, subject=found.own.name, so="it cannot be told whether its image carries InfiniBand")
        elif not (sku or "Ubuntu").startswith("Ubuntu"):
            yield found.violated("osSKU", f"osSKU {sku} on InfiniBand machines, which are known to work with Ubuntu. Use Ubuntu.")


# --- GPU-AKS-22


def _peer_memory(case: Case) -> Iterator[Verdict]:
    for found in infiniband_agents(case):
        vendors = {machine.vendor for machine in found.machines}
        if "NVIDIA" in vendors and is_word(found.own.driver, "None") is False:
            text = (
                f"{found.own.name}: AKS installs the driver, which does not load the peer-memory module, so that traffic between nodes may pass "
                "through main memory. Set gpuProfile.driver None and let the GPU Operator install it with driver.rdma.enabled, or make sure "
                "that DMA-BUF carries it (NCCL bandwidth test)."
            )
            yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path=found.own.path("gpuProfile.driver"), message=text)


# --- GPU-AKS-23


def _feature(case: Case) -> Iterator[Verdict]:
    flags = [flag for flag in case.inventory.azure.features if flag.feature == FEATURE]
    for found in infiniband_agents(case):
        if not flags:
            text = (
                f"{found.own.name}: the feature Microsoft.ContainerService/{FEATURE} must be registered in the subscription, and the provider "
                "registered again, before this pool exists: otherwise its nodes land on different fabrics. No plan shows whether it is."
            )
            yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path="", message=text)
        elif not any(flag.urn in found.own.after for flag in flags):
            text = f"the program registers {FEATURE}, and the pool does not wait for it: its nodes may land on different fabrics. Add depends_on."
            yield found.violated("", text)


# --- GPU-AKS-27


def _provisioning(case: Case) -> Iterator[Verdict]:
    """E15: the service places nodes where their owner has no say."""
    clusters = {cluster.urn: cluster for cluster in case.inventory.azure.clusters}
    for found in gpu_agents(case):
        cluster = clusters.get(found.own.cluster) if known(found.own.cluster) and found.own.cluster is not None else None
        if cluster is None:
            continue
        automatic = (
            f"a GPU pool in the AKS Automatic cluster {cluster.name}: its nodes stand in a subscription of the vendor with a quota that you cannot "
            "raise. Use a cluster of sku Base for GPUs."
        )
        yield from found.judged(cluster.automatic, "vmSize", automatic, "it cannot be told in whose subscription its nodes stand")


# --- GPU-AKS-28


def _pinned(case: Case) -> Iterator[Verdict]:
    """E11: RDMA pins memory, and the limit of a container is small."""
    if next(infiniband_agents(case), None) is None:
        return
    for found in case.inventory.azure.rdma:
        name = f"{found.name}: {found.path} asks for {found.resource}"
        if isinstance(found.locks_memory, Unknown):
            yield cannot_tell(
                found.urn, found.locks_memory, subject=found.name, so="it cannot be told whether its containers may pin memory"
            )
        elif not found.locks_memory:
            text = f"{name} and may not pin memory: ibv_reg_mr fails, and NCCL falls back or ends. Add the capability IPC_LOCK, unless the nodes "
            text += "give containers an unlimited memlock."
            yield Verdict(status=Status.VIOLATED, urn=found.urn, path=f"{found.path}.securityContext", message=text)


RULES = (
    Rule(
        id="GPU-AKS-20",
        title="Nodes of one InfiniBand job share one pool of at most 100 nodes",
        failures=("E1",),
        scope=Scope.STACK,
        check=_one_key,
        fix="one ND pool a cluster, or one pool for each job; maxCount of at most 100",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-21",
        title="InfiniBand pools run Ubuntu and name no zones",
        failures=("E1", "E7"),
        scope=Scope.RESOURCE,
        check=_settings,
        fix="osSKU Ubuntu, no availabilityZones",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-22",
        title="On InfiniBand pools the network reaches GPU memory",
        failures=(),
        scope=Scope.RESOURCE,
        check=_peer_memory,
        fix="gpuProfile: {driver: None} with driver.rdma.enabled=true in the GPU Operator's values",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-23",
        title="AKSInfinibandSupport is registered before the pool exists",
        failures=("E1",),
        scope=Scope.STACK,
        check=_feature,
        fix="az feature register --namespace Microsoft.ContainerService --name AKSInfinibandSupport",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-27",
        title="GPU pools are in clusters whose nodes stand in one's own subscription",
        failures=("E15",),
        scope=Scope.STACK,
        check=_provisioning,
        fix="sku: {name: Base}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-28",
        title="Containers with RDMA devices may pin memory",
        failures=("E11",),
        scope=Scope.STACK,
        check=_pinned,
        fix="securityContext: {capabilities: {add: [IPC_LOCK]}}",
        level=Level.ADVISORY,
    ),
)
