"""GPU-AKS: what NVIDIA's Network Operator is told about InfiniBand on AKS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from components.inventory import NicPolicy
from components.unknown import Maybe, Unknown
from policies.finding import Level, Status

from .aks_agents import Agents, infiniband_agents
from .aks_charts import NETWORK_OPERATOR, operators, switched
from .clusters import ByCluster
from .rule import Case, Rule, Scope, Verdict, cannot_tell

_INFINIBAND = "infiniband"
_DEVICE_IDS = ("101c", "101e")
"""PCI device ids of InfiniBand virtual functions on Azure."""


def _clusters(case: Case) -> Iterator[tuple[Maybe[str | None], Sequence[Agents]]]:
    """Clusters with InfiniBand pools."""
    found: dict[str, list[Agents]] = {}
    for entry in infiniband_agents(case):
        found.setdefault(str(entry.own.cluster), []).append(entry)
    return ((pools[0].own.cluster, pools) for pools in found.values())


def _policies(case: Case, cluster: Maybe[str | None]) -> Sequence[NicPolicy]:
    every = case.inventory.azure.nic_policies
    return every if isinstance(cluster, Unknown) else [p for p in case.once(_by_cluster).beside(cluster) if p.cluster in (None, cluster)]


def _by_cluster(case: Case) -> ByCluster[NicPolicy]:
    return ByCluster((policy.cluster, policy) for policy in case.inventory.azure.nic_policies)


def _policy(case: Case) -> Iterator[Verdict]:
    """E13: without a policy the operator runs and does nothing."""
    for cluster, pools in _clusters(case):
        names = ", ".join(found.own.name for found in pools)
        charts, policies = operators(case, NETWORK_OPERATOR, cluster), _policies(case, cluster)
        if not charts and not policies:
            text = (
                f"{names}: no Network Operator in this program hands InfiniBand to pods (rdma/*). Another program may install it, which cannot be seen here: "
                "look for it in the cluster (kubectl get nicclusterpolicies), or add it with one policy: without it no node offers rdma/*."
            )
            yield Verdict(status=Status.UNCHECKED, urn=pools[0].own.urn, path="", message=text)
        for chart in charts:
            if not policies:
                text = (
                    f"{chart.name}: the Network Operator without a NicClusterPolicy or NicNodePolicy does nothing: no rdma/* resource on the nodes "
                    f"of {names}. Add one policy with the driver and one device plugin."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="", message=text)
            for policy in policies:
                yield from _one_plugin(policy)


def _path(policy: NicPolicy, prop: str) -> str:
    return f"{policy.at}.{prop}" if policy.at else prop


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
        yield Verdict(status=Status.VIOLATED, urn=policy.urn, path=_path(policy, "spec"), message=text)


def _selection(case: Case) -> Iterator[Verdict]:
    """E12: the accelerated-networking card has the same driver and vendor as the InfiniBand ones."""
    if next(infiniband_agents(case), None) is None:
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
                yield Verdict(status=Status.VIOLATED, urn=policy.urn, path=_path(policy, f"spec.{key}.config"), message=text)


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


RULES = (
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
)
