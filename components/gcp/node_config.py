"""What every node of a pool is started with, rendered from the pool's outline."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_gcp import container

from .capacity import RESERVATION_KEY, Purchase
from .outline import PoolOutline

TAINT_VALUE = "present"
CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"
"""What nodes may do is the account's matter; narrower scopes only hide it."""


def node_config(
    pool: PoolOutline, labels: Mapping[str, str], *, account: pulumi.Input[str], key: str | None
) -> container.NodePoolNodeConfigArgs:
    """The node config of `pool`. `labels` are those of the machines and disks; `key` encrypts the boot disk."""
    bought = pool.purchase
    return container.NodePoolNodeConfigArgs(
        machine_type=pool.machine.name,
        image_type=pool.image_kind,
        disk_size_gb=pool.disk_gib,
        disk_type=pool.boot_disk,
        boot_disk_kms_key=key,
        guest_accelerators=_accelerators(pool),
        gvnic=container.NodePoolNodeConfigGvnicArgs(enabled=True) if pool.gpus_per_node else None,
        ephemeral_storage_local_ssd_config=_local_ssds(pool.local_ssds),
        spot=True if bought.spot else None,
        flex_start=True if bought.flex_start else None,
        max_run_duration=f"{bought.max_run_seconds}s" if bought.max_run_seconds else None,
        reservation_affinity=_affinity(bought),
        labels=dict(pool.labels),
        resource_labels=dict(labels),
        taints=[container.NodePoolNodeConfigTaintArgs(key=taint, value=TAINT_VALUE, effect="NO_SCHEDULE") for taint in pool.taints],
        service_account=account,
        oauth_scopes=[CLOUD_PLATFORM],
        shielded_instance_config=container.NodePoolNodeConfigShieldedInstanceConfigArgs(
            enable_secure_boot=pool.secure_boot, enable_integrity_monitoring=True
        ),
        workload_metadata_config=container.NodePoolNodeConfigWorkloadMetadataConfigArgs(mode="GKE_METADATA"),
        metadata={"disable-legacy-endpoints": "true"},
    )


def _accelerators(pool: PoolOutline) -> list[container.NodePoolNodeConfigGuestAcceleratorArgs] | None:
    """The GPUs, whose driver is written out (D10)."""
    if pool.accelerator is None or pool.driver_version is None:
        return None
    shared = pool.gpu_sharing
    return [
        container.NodePoolNodeConfigGuestAcceleratorArgs(
            type=pool.accelerator,
            count=pool.gpus_per_node,
            gpu_driver_installation_config=container.NodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfigArgs(
                gpu_driver_version=pool.driver_version
            ),
            gpu_partition_size=shared.partition_size,
            gpu_sharing_config=container.NodePoolNodeConfigGuestAcceleratorGpuSharingConfigArgs(
                gpu_sharing_strategy="TIME_SHARING", max_shared_clients_per_gpu=shared.clients_per_gpu
            )
            if shared.clients_per_gpu > 1
            else None,
        )
    ]


def _local_ssds(count: int) -> container.NodePoolNodeConfigEphemeralStorageLocalSsdConfigArgs | None:
    """D6: as many as the machine comes with, which a reservation matches on."""
    return container.NodePoolNodeConfigEphemeralStorageLocalSsdConfigArgs(local_ssd_count=count) if count else None


def _affinity(bought: Purchase) -> container.NodePoolNodeConfigReservationAffinityArgs | None:
    if bought.affinity is None:
        return None
    named = bought.reservation
    return container.NodePoolNodeConfigReservationAffinityArgs(
        consume_reservation_type=bought.affinity,
        key=RESERVATION_KEY if named else None,
        values=[named] if named else None,
    )
