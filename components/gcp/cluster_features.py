"""What a cluster has beyond its control plane, in the provider's words: storage drivers, metrics, maintenance.

`Features` is the plain decision; the functions render it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulumi_gcp import container

from .upkeep import EXCLUSION_START, WINDOW_END, WINDOW_RECURRENCE, WINDOW_START, Upkeep


@dataclass(frozen=True, kw_only=True)
class Features:
    multi_networking: bool
    """Whether a pool's nodes have extra networks: settled when the cluster is made."""
    managed_metrics: bool
    """Whether Google collects metrics: Managed Prometheus, and NVIDIA's DCGM on GPU nodes."""
    jobs: bool
    """Whether state of jobs is among them."""
    buckets: bool
    lustre: bool


def addons(features: Features) -> container.ClusterAddonsConfigArgs:
    """Storage drivers are the cluster's, and cost nothing by themselves. Filestore is always there for claims of its classes.

    Lustre is spoken over the port that leaves GKE's metadata server its own; the file system is told so too.
    """
    return container.ClusterAddonsConfigArgs(
        gce_persistent_disk_csi_driver_config=container.ClusterAddonsConfigGcePersistentDiskCsiDriverConfigArgs(enabled=True),
        gcp_filestore_csi_driver_config=container.ClusterAddonsConfigGcpFilestoreCsiDriverConfigArgs(enabled=True),
        gcs_fuse_csi_driver_config=container.ClusterAddonsConfigGcsFuseCsiDriverConfigArgs(enabled=features.buckets),
        lustre_csi_driver_config=container.ClusterAddonsConfigLustreCsiDriverConfigArgs(enabled=True, enable_legacy_lustre_port=True)
        if features.lustre
        else None,
    )


def monitoring(features: Features) -> container.ClusterMonitoringConfigArgs:
    """A list replaces the default one: system components stay in it. I5: DCGM here, or the operator's exporter, never both."""
    extra = ["DCGM", *(["JOBSET"] if features.jobs else [])] if features.managed_metrics else []
    return container.ClusterMonitoringConfigArgs(
        enable_components=["SYSTEM_COMPONENTS", *extra],
        managed_prometheus=container.ClusterMonitoringConfigManagedPrometheusArgs(enabled=features.managed_metrics),
    )


def maintenance(upkeep: Upkeep) -> container.ClusterMaintenancePolicyArgs:
    """D13: GKE's own work falls on the weekend; training keeps its nodes and its minor version while that is supported."""
    exclusion = container.ClusterMaintenancePolicyMaintenanceExclusionArgs(
        exclusion_name="training-keeps-its-nodes",
        start_time=EXCLUSION_START,
        exclusion_options=container.ClusterMaintenancePolicyMaintenanceExclusionExclusionOptionsArgs(
            scope="NO_MINOR_OR_NODE_UPGRADES", end_time_behavior="UNTIL_END_OF_SUPPORT"
        ),
    )
    return container.ClusterMaintenancePolicyArgs(
        recurring_window=container.ClusterMaintenancePolicyRecurringWindowArgs(
            start_time=WINDOW_START, end_time=WINDOW_END, recurrence=WINDOW_RECURRENCE
        ),
        maintenance_exclusions=[exclusion] if upkeep.spared else None,
    )
