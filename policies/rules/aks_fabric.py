"""GPU-AKS: InfiniBand between the nodes of one agent pool, and what the cluster needs to hand it to pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from components.inventory import NicPolicy
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status

from .aks_charts import NETWORK_OPERATOR, operators, switched
from .aks_pools import Agents, gpu_agents, is_word
from .rule import Case, Rule, Scope, Verdict, cannot_tell

FEATURE = "AKSInfinibandSupport"
MOST_NODES = 100
"""Above it a scale set may span placement groups, whose nodes share no partition key: advice from the field, not a documented limit (AKS#2725)."""
_INFINIBAND = "infiniband"
_DEVICE_IDS = ("101c", "101e")
"""PCI device ids of InfiniBand virtual functions on Azure."""


def _fabric(case: Case) -> Iterator[Agents]:
    return (found for found in gpu_agents(case) if found.infiniband)


# --- GPU-AKS-20


def _one_key(case: Case) -> Iterator[Verdict]:
    """E1: a partition key is a scale set's, and a pool is one scale set."""
    by_cluster: dict[str, list[Agents]] = {}
    for found in _fabric(case):
        by_cluster.setdefault(str(found.own.cluster), []).append(found)
        yield from _size(found)
    for pools in by_cluster.values():
        names = ", ".join(found.own.name for found in pools)
        for found in pools if len(pools) > 1 else ():
            text = f"one of {len(pools)} InfiniBand pools of its cluster ({names}). Nodes of different pools share no partition key: a job over both "
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
    for found in _fabric(case):
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
    for found in _fabric(case):
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
    for found in _fabric(case):
        if not flags:
            text = (
                f"{found.own.name}: the feature Microsoft.ContainerService/{FEATURE} must be registered in the subscription, and the provider "
                "registered again, before this pool exists: otherwise its nodes land on different fabrics. No plan shows whether it is."
            )
            yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path="", message=text)
        elif not any(flag.urn in found.own.after for flag in flags):
            text = f"the program registers {FEATURE}, and the pool does not wait for it: its nodes may land on different fabrics. Add depends_on."
            yield found.violated("", text)


# --- GPU-AKS-24, GPU-AKS-25, GPU-AKS-26: the Network Operator


def _clusters(case: Case) -> Iterator[tuple[Maybe[str | None], Sequence[Agents]]]:
    """Clusters with InfiniBand pools."""
    found: dict[str, list[Agents]] = {}
    for entry in _fabric(case):
        found.setdefault(str(entry.own.cluster), []).append(entry)
    return ((pools[0].own.cluster, pools) for pools in found.values())


def _policies(case: Case, cluster: Maybe[str | None]) -> Sequence[NicPolicy]:
    return [p for p in case.inventory.azure.nic_policies if isinstance(cluster, Unknown) or p.cluster is None or p.cluster == cluster]


def _policy(case: Case) -> Iterator[Verdict]:
    """E13: without a policy the operator runs and does nothing."""
    for cluster, pools in _clusters(case):
        names = ", ".join(found.own.name for found in pools)
        for chart in operators(case, NETWORK_OPERATOR, cluster):
            policies = _policies(case, cluster)
            if not policies:
                text = (
                    f"{chart.name}: the Network Operator without a NicClusterPolicy or NicNodePolicy does nothing: no rdma/* resource on the nodes "
                    f"of {names}. Add one policy with the driver and one device plugin."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="", message=text)
            for policy in policies:
                yield from _one_plugin(policy)


def _one_plugin(policy: NicPolicy) -> Iterator[Verdict]:
    plugins = {"rdmaSharedDevicePlugin": policy.shared, "sriovDevicePlugin": policy.exclusive}
    unknown = next((config for config in plugins.values() if isinstance(config, Unknown)), None)
    if unknown is not None:
        yield cannot_tell(policy.urn, unknown, subject=policy.name, so="it cannot be told which device plugin it runs")
        return
    named = [key for key, config in plugins.items() if config is not None]
    if len(named) != 1:
        text = f"{policy.name}: {' and '.join(named) or 'no device plugin'} in the policy. "
        text += "Nodes offer rdma/* by exactly one: sriovDevicePlugin for whole nodes, rdmaSharedDevicePlugin for sharing."
        yield Verdict(status=Status.VIOLATED, urn=policy.urn, path="spec", message=text)


def _selection(case: Case) -> Iterator[Verdict]:
    """E12: the accelerated-networking card has the same driver and vendor as the InfiniBand ones."""
    if next(_fabric(case), None) is None:
        return
    for policy in case.inventory.azure.nic_policies:
        for key, config in (("rdmaSharedDevicePlugin", policy.shared), ("sriovDevicePlugin", policy.exclusive)):
            if isinstance(config, Unknown):
                yield cannot_tell(policy.urn, config, subject=policy.name, so="it cannot be told whether it takes InfiniBand cards alone")
            elif config is not None and not _selects(config):
                text = (
                    f"{policy.name}: {key} selects neither linkTypes infiniband nor the device ids of InfiniBand cards, so that the Ethernet card of "
                    'accelerated networking is handed to pods as well. Add "linkTypes": ["infiniband"] to its selectors, and set NCCL_IB_HCA to match.'
                )
                yield Verdict(status=Status.VIOLATED, urn=policy.urn, path=f"spec.{key}.config", message=text)


def _selects(config: str) -> bool:
    plain = config.casefold()
    return _INFINIBAND in plain or any(device in plain for device in _DEVICE_IDS)


def _feature_rules(case: Case) -> Iterator[Verdict]:
    """The chart's own rule labels every node with a Mellanox card, and accelerated networking puts one into most machines."""
    for cluster, _ in _clusters(case):
        for chart in operators(case, NETWORK_OPERATOR, cluster):
            on = switched(chart, NETWORK_OPERATOR, "nfd.deployNodeFeatureRules")
            if isinstance(on, Unknown):
                so = "it cannot be told which nodes are taken for InfiniBand nodes"
                yield replace(cannot_tell(chart.urn, on, subject=chart.name, so=so), level=Level.ADVISORY)
            elif on:
                text = (
                    f"{chart.name}: nfd.deployNodeFeatureRules labels every node with a Mellanox card, on Azure most machines. Set it false and add a "
                    f"NodeFeatureRule for the device ids {', '.join(_DEVICE_IDS)}."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="values.nfd.deployNodeFeatureRules", message=text)


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
    if next(_fabric(case), None) is None:
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
        id="GPU-AKS-24",
        title="The Network Operator has a policy with exactly one device plugin",
        failures=("E13",),
        scope=Scope.STACK,
        check=_policy,
        fix="a NicClusterPolicy with ofedDriver and sriovDevicePlugin",
    ),
    Rule(
        id="GPU-AKS-25",
        title="Device plugins select InfiniBand cards alone",
        failures=("E12",),
        scope=Scope.STACK,
        check=_selection,
        fix='selectors: {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": true}',
    ),
    Rule(
        id="GPU-AKS-26",
        title="Only nodes with InfiniBand are labelled for the Network Operator",
        failures=("E12",),
        scope=Scope.STACK,
        check=_feature_rules,
        fix="nfd.deployNodeFeatureRules: false with a NodeFeatureRule for device ids 101c and 101e",
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
