"""The one pool that stands inline in the cluster, and the cluster's own autoscaler."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import containerservice

from components import naming
from components.naming import Identity

from .outline import MANAGED_DISK, PoolOutline

PROVISION_TIME = "40m"
"""ND nodes were seen to need more than 20 minutes to become ready (AgentBaker#2897); AKS gives up after 15."""


def system_profile(
    pool: PoolOutline, subnet_id: pulumi.Input[str], kubernetes_version: str, identity: Identity, resource: str
) -> containerservice.ManagedClusterAgentPoolProfileArgs:
    """The inline profile, H9: Azure merges this list with what there is, so that no pool that may go stands in it. Its name is fixed."""
    return containerservice.ManagedClusterAgentPoolProfileArgs(
        name=naming.SYSTEM_POOL,
        mode=pool.mode,
        type="VirtualMachineScaleSets",
        orchestrator_version=kubernetes_version,
        vm_size=pool.machine.name,
        os_type="Linux",
        os_sku=pool.image_kind,
        os_disk_size_gb=pool.disk_gib,
        os_disk_type=MANAGED_DISK,
        availability_zones=list(pool.zones) or None,
        vnet_subnet_id=subnet_id,
        enable_node_public_ip=False,
        enable_auto_scaling=True,
        count=pool.nodes.min,
        min_count=pool.nodes.min,
        max_count=pool.nodes.max,
        node_labels=dict(pool.labels),
        upgrade_settings=containerservice.AgentPoolUpgradeSettingsArgs(max_surge=str(pool.surge)),
        tags=identity.tags(resource, pool.name),
    )


def autoscaler_settings() -> containerservice.ManagedClusterPropertiesAutoScalerProfileArgs:
    """AKS runs the autoscaler itself, with one setting for all pools."""
    return containerservice.ManagedClusterPropertiesAutoScalerProfileArgs(
        balance_similar_node_groups="false",  # F7: one job lives in one pool
        expander="least-waste",
        max_node_provision_time=PROVISION_TIME,
        skip_nodes_with_local_storage="false",  # pods with a memory volume for collectives would keep a node for ever
        skip_nodes_with_system_pods="false",
    )
