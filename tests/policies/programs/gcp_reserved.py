"""A program as people write them; what is to be said of it stands in test_programs_of_others."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp


@dataclass
class PoolSpec:
    machine: str
    gpu: str
    gpus: int
    nodes: int
    reservation: pulumi.Input[str]


class Gke(pulumi.ComponentResource):
    def __init__(self, name: str, region: str, zone: str, pools: dict[str, PoolSpec], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("acme:gke:Gke", name, None, opts)
        inside = pulumi.ResourceOptions(parent=self, protect=True)
        labels = {"owner": "core"}
        host = "projects/net-host"
        self.cluster = gcp.container.Cluster(
            name,
            location=region,
            deletion_protection=True,
            enable_multi_networking=True,
            datapath_provider="ADVANCED_DATAPATH",
            remove_default_node_pool=True,
            initial_node_count=1,
            network=f"{host}/global/networks/shared",
            subnetwork=f"{host}/regions/{region}/subnetworks/gke",
            ip_allocation_policy={"cluster_secondary_range_name": "p", "services_secondary_range_name": "s"},
            resource_labels=labels,
            opts=inside,
        )
        shared = {"cluster": self.cluster.name, "location": region, "node_locations": [zone]}
        plain = gcp.container.NodePoolNodeConfigArgs(
            machine_type="n4-custom-4-16384", disk_type="hyperdisk-balanced", resource_labels=labels
        )
        gcp.container.NodePool(f"{name}-default", **shared, node_count=2, node_config=plain, opts=inside)
        for suffix, spec in pools.items():
            driver = {"gpu_driver_version": "LATEST"}
            gcp.container.NodePool(
                f"{name}-{suffix}",
                **shared,
                node_count=spec.nodes,
                upgrade_settings={"max_surge": 0, "max_unavailable": 1},
                management={"auto_upgrade": False, "auto_repair": True},
                network_config={"accelerator_network_profile": "auto"} if spec.machine.startswith("a4-") else None,
                node_config=gcp.container.NodePoolNodeConfigArgs(
                    machine_type=spec.machine,
                    disk_type="hyperdisk-balanced",
                    disk_size_gb=200,
                    resource_labels=labels,
                    gvnic={"enabled": True},
                    reservation_affinity=gcp.container.NodePoolNodeConfigReservationAffinityArgs(
                        consume_reservation_type="SPECIFIC_RESERVATION",
                        key="compute.googleapis.com/reservation-name",
                        values=[spec.reservation],
                    ),
                    guest_accelerators=[
                        gcp.container.NodePoolNodeConfigGuestAcceleratorArgs(
                            type=spec.gpu, count=spec.gpus, gpu_driver_installation_config=driver
                        )
                    ],
                ),
                opts=inside,
            )
        self.register_outputs({})


held = {"count": 3, "instance_properties": {"machine_type": "g4-standard-48"}}
rtx = gcp.compute.Reservation("rtx", zone="us-central1-b", specific_reservation_required=True, specific_reservation=held)
Gke(
    "prod",
    "us-central1",
    "us-central1-b",
    {
        "b200": PoolSpec("a4-highgpu-8g", "nvidia-b200", 8, 2, "b200-res/reservationBlocks/b200-res-block-0001"),
        "rtx": PoolSpec("g4-standard-48", "nvidia-rtx-pro-6000", 1, 1, rtx.name),
    },
)
