"""Readers of pulumi-gcp resources, and of the Kubernetes objects that only GKE knows."""

from __future__ import annotations

from collections.abc import Mapping

from policies.readers import gcp_types
from policies.readers.facts import ProgramReader, Reader

from .cluster import read_cluster
from .cluster_objects import read_param_set, read_pod_network, read_queued_use, read_quota
from .firewall import read_firewall, read_policy_association
from .instance import read_instance
from .instance_group import read_group
from .network import read_address, read_nat, read_network, read_subnet
from .node_pool import read_node_pool
from .reservation import read_reservation
from .storage import read_bucket, read_disk, read_filestore, read_lustre, read_parallelstore
from .template import read_template
from .tpu import read_queued_tpu, read_tpu_vm

READERS: Mapping[str, Reader] = {
    gcp_types.CLUSTER: read_cluster,
    gcp_types.NODE_POOL: read_node_pool,
    gcp_types.INSTANCE: read_instance,
    gcp_types.INSTANCE_FROM_TEMPLATE: read_instance,
    **dict.fromkeys(gcp_types.TEMPLATES, read_template),
    **dict.fromkeys(gcp_types.GROUPS, read_group),
    gcp_types.RESERVATION: read_reservation,
    gcp_types.TPU_VM: read_tpu_vm,
    gcp_types.TPU_QUEUED: read_queued_tpu,
    gcp_types.NETWORK: read_network,
    gcp_types.SUBNETWORK: read_subnet,
    gcp_types.FIREWALL: read_firewall,
    **dict.fromkeys(gcp_types.FIREWALL_POLICY_ASSOCIATIONS, read_policy_association),
    gcp_types.ROUTER_NAT: read_nat,
    **dict.fromkeys(gcp_types.ADDRESSES, read_address),
    **dict.fromkeys(gcp_types.DISKS, read_disk),
    gcp_types.BUCKET: read_bucket,
    gcp_types.FILESTORE: read_filestore,
    gcp_types.LUSTRE: read_lustre,
    gcp_types.PARALLELSTORE: read_parallelstore,
    gcp_types.PARAM_SET: read_param_set,
    gcp_types.POD_NETWORK: read_pod_network,
    gcp_types.RESOURCE_QUOTA: read_quota,
    **dict.fromkeys(gcp_types.PROVISIONING_CONFIGS, read_queued_use),
}
PROGRAM_READERS: tuple[ProgramReader, ...] = ()
