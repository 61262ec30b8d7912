"""Readers of pulumi-azure-native resources of any API version, and of the classic provider's clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from components.inventory import (
    AksCluster,
    AksPool,
    AzureBudget,
    AzureFacts,
    AzurePrivateLink,
    AzureRole,
    AzureSubnet,
    CapacityGroup,
    FeatureFlag,
    NicPolicy,
    RdmaContainer,
    ReservedMachines,
    SubnetGuard,
    UpgradeWindow,
)
from policies.readers import azure_types as types
from policies.readers.facts import Fact, ProgramReader, Reader

from .agent_pool import read_agent_pool, read_classic_pool
from .capacity import read_group, read_reservation
from .cluster import read_classic_cluster, read_cluster
from .compute import read_disk, read_machine, read_scale_set
from .containers import read_rdma_containers
from .guard import read_guard
from .network import read_address, read_endpoint, read_nat_gateway, read_network, read_subnet
from .nic_policies import read_nic_policies
from .storage import read_account, read_container, read_lustre
from .surroundings import read_budget, read_feature, read_role, read_window

READERS: Mapping[str, Reader] = {
    types.CLUSTER: read_cluster,
    types.CLASSIC_CLUSTER: read_classic_cluster,
    types.AGENT_POOL: read_agent_pool,
    types.CLASSIC_POOL: read_classic_pool,
    types.VIRTUAL_MACHINE: read_machine,
    types.SCALE_SET: read_scale_set,
    types.DISK: read_disk,
    types.RESERVATION_GROUP: read_group,
    types.RESERVATION: read_reservation,
    types.NETWORK: read_network,
    types.SUBNET: read_subnet,
    types.NAT_GATEWAY: read_nat_gateway,
    types.PUBLIC_ADDRESS: read_address,
    types.PRIVATE_ENDPOINT: read_endpoint,
    types.STORAGE_ACCOUNT: read_account,
    types.CONTAINER: read_container,
    types.LUSTRE: read_lustre,
    types.ROLE_ASSIGNMENT: read_role,
    types.GUARD: read_guard,
    types.MAINTENANCE: read_window,
    **dict.fromkeys(types.FEATURES, read_feature),
    **dict.fromkeys(types.BUDGETS, read_budget),
}
PROGRAM_READERS: tuple[ProgramReader, ...] = (read_nic_policies, read_rdma_containers)

T = TypeVar("T")


def gathered(facts: Iterable[Fact]) -> AzureFacts:
    """Azure's own facts among all."""
    listed = list(facts)

    def kind(wanted: type[T]) -> tuple[T, ...]:
        return tuple(fact for fact in listed if isinstance(fact, wanted))

    return AzureFacts(
        pools=kind(AksPool),
        clusters=kind(AksCluster),
        reserved=kind(ReservedMachines),
        groups=kind(CapacityGroup),
        roles=kind(AzureRole),
        subnets=kind(AzureSubnet),
        links=kind(AzurePrivateLink),
        guards=kind(SubnetGuard),
        windows=kind(UpgradeWindow),
        rdma=kind(RdmaContainer),
        nic_policies=kind(NicPolicy),
        features=kind(FeatureFlag),
        budgets=kind(AzureBudget),
    )
