"""What GKE refuses of a node pool: machines, modes that exclude each other, networks, placement, counts, quota."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from components.catalog import Machine
from scripts.sandbox.kinds.gcp import capacity, machines, network, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

FLEX = "GKE documentation, flex-start: requirements and limitations; cluster-toolkit#4027"
_QUEUED = "D4: terraform-provider-google#18341"
_AUTOSCALING = "Terraform Google provider, container node pool: autoscaling"
_PLACEMENT = "GKE documentation, compact placement"
NO_RESERVATION = "NO_RESERVATION"
SPECIFIC = "SPECIFIC_RESERVATION"
RESERVATION_KEY = "compute.googleapis.com/reservation-name"
COMPACT = "COMPACT"


def refused(message: str, *, source: str) -> Refusal:
    return Refusal("Error 400", f"{message}, badRequest", source=source)


def config_of(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The node config with GKE's own machine where the program names none."""
    given = cast("dict[str, Any]", inputs.get("nodeConfig") or {})
    return {**given, "machineType": given.get("machineType") or "e2-medium"}


def refuse(order: Order, cluster: Record, zones: list[str]) -> None:
    """Raises the Refusal that a pool with these settings would meet, if any."""
    config = config_of(order.inputs)
    refuse_zones(cluster, zones)
    for zone in zones:
        machine = machines.machine(str(config["machineType"]), zone)
        refuse_accelerators(machine, config)
        refuse_disk(machine, config)
        refuse_mode(machine, config, queued=bool((order.inputs.get("queuedProvisioning") or {}).get("enabled")))
        refuse_networks(order, cluster, machine, zone)
    refuse_counts(order)
    refuse_affinity(config)
    refuse_bounded(order, config)
    refuse_placement(order, config, zones)
    refuse_upgrade(order)


def refuse_zones(cluster: Record, zones: list[str]) -> None:
    location = cluster.id.split("/")[3]
    region = paths.region_of(location) if paths.is_zone(location) else location
    for zone in zones:
        if not paths.is_zone(zone) or paths.region_of(zone) != region:
            raise refused(
                f'Location "{zone}" is not a zone of the cluster\'s region {region}', source="GKE API reference, nodePools.locations"
            )


def refuse_accelerators(machine: Machine, config: Mapping[str, Any]) -> None:
    """A GPU machine takes its own accelerator and count; others than N1 take none beside."""
    given = [a for a in config.get("guestAccelerators") or () if int(a.get("count") or 0)]
    kind = machines.in_gke(machine)
    if len(given) > 1:
        raise refused("a node pool takes one type of accelerator", source="Compute Engine documentation, GPU machine types")
    if machines.is_gpu(machine) and kind is not None:
        wanted = (kind.accelerator, machines.accelerators(machine))
        got = [(str(a["type"]), int(a["count"])) for a in given]
        if got and got != [wanted]:
            raise refused(
                f"Accelerator {got[0][1]} x {got[0][0]} does not fit machine type {machine.name}, which comes with {wanted[1]} x {wanted[0]}",
                source="GKE documentation, GPU machine types: accelerator and count follow from the machine type",
            )
    elif given and machine.family != "n1":
        raise refused(
            f"machine type {machine.name} takes no accelerators", source="Compute Engine documentation, GPUs attach to N1 machines only"
        )


def refuse_disk(machine: Machine, config: Mapping[str, Any]) -> None:
    kind = machines.in_gke(machine)
    disk = str(config.get("diskType") or "")
    if kind is not None and disk.startswith("pd-") and kind.boot_disk.startswith("hyperdisk"):
        raise refused(f"{disk} is not supported by machine type {machine.name}: use {kind.boot_disk}", source=kind.source)


def refuse_mode(machine: Machine, config: Mapping[str, Any], *, queued: bool = False) -> None:
    """Machines that are not sold in every way. Queued provisioning is said by the pool, not by its nodes."""
    kind = machines.in_gke(machine)
    if kind is None or not kind.modes:
        return
    bought = capacity.bought(config)
    mode = (
        "spot"
        if bought.spot
        else "flex_start"
        if bought.flex
        else "reservation"
        if bought.specific
        else "queued"
        if queued
        else "on_demand"
    )
    if mode not in kind.modes and not (mode == "on_demand" and bought.affinity.startswith("ANY")):
        raise refused(f"machine type {machine.name} is not offered as {mode}: {', '.join(kind.modes)}", source=kind.source)


def refuse_networks(order: Order, cluster: Record, machine: Machine, zone: str) -> None:
    """D1, D2: additional networks need a cluster that knows several, and interfaces on the machine."""
    config = cast("dict[str, Any]", order.inputs.get("networkConfig") or {})
    extra = list(config.get("additionalNodeNetworkConfigs") or ())
    managed = bool(config.get("acceleratorNetworkProfile"))
    if extra and managed:
        raise refused(
            "additional node networks cannot be combined with an accelerator network profile",
            source="GKE documentation, allocate network resources by using GKE managed DRANET",
        )
    if extra and not cluster.state.get("enableMultiNetworking"):
        raise refused(
            "additional node networks require a cluster with multi-networking enabled",
            source="D2: GKE documentation, multi-network support for Pods",
        )
    if 1 + len(extra) > machines.most_interfaces(machine):
        raise refused(
            f"{1 + len(extra)} network interfaces exceed the {machines.most_interfaces(machine)} of machine type {machine.name}",
            source="D1: aicr#1662; Compute Engine documentation, network bandwidth of accelerator-optimized machines",
        )
    seen: set[str] = set()
    for pair in extra:
        _refuse_pair(order, cluster, pair, zone, seen)


def _refuse_pair(order: Order, cluster: Record, pair: Mapping[str, Any], zone: str, seen: set[str]) -> None:
    vpc = paths.network(order, pair.get("network"))
    subnetwork = paths.subnetwork(order, pair.get("subnetwork"), paths.region_of(zone))
    if vpc is None or subnetwork is None:
        return
    bound = network.profile_zone(vpc)
    if subnetwork.state.get("networkId") != vpc.id:
        raise refused(
            f"subnetwork {subnetwork.state['name']} is not in network {vpc.state['name']}",
            source="GKE API reference, AdditionalNodeNetworkConfig",
        )
    if vpc.id == cluster.state.get("network") or subnetwork.id in seen or (vpc.id in seen and bound is None):
        raise refused(
            f"network {vpc.state['name']} is used by more than one interface",
            source="Compute Engine documentation, multiple network interfaces: each in a network of its own, but for RDMA",
        )
    seen |= {vpc.id, subnetwork.id}
    if bound is not None and bound != zone:
        raise refused(
            f"network {vpc.state['name']} has the RDMA profile of zone {bound}, the nodes are in {zone}",
            source="VPC documentation, RDMA network profiles: zonal constraint",
        )


def refuse_counts(order: Order) -> None:
    scaling = cast("dict[str, Any]", order.inputs.get("autoscaling") or {})
    total = [scaling.get(name) for name in ("totalMinNodeCount", "totalMaxNodeCount")]
    zonal = [scaling.get(name) for name in ("minNodeCount", "maxNodeCount")]
    if any(value is not None for value in total) and any(value is not None for value in zonal):
        raise refused("per-zone and total limits cannot be used together", source=_AUTOSCALING)
    for low, high in (total, zonal):
        if high is not None and int(low or 0) > int(high):
            raise refused(f"the least number of nodes {low} is above the most {high}", source=_AUTOSCALING)
    if order.inputs.get("initialNodeCount") and order.inputs.get("nodeCount"):
        raise refused(
            "Cannot set both initial_node_count and node_count on node pool",
            source="Terraform Google provider, container node pool: expandNodePool",
        )


def refuse_affinity(config: Mapping[str, Any]) -> None:
    affinity = cast("dict[str, Any]", config.get("reservationAffinity") or {})
    kind, values = affinity.get("consumeReservationType"), list(affinity.get("values") or ())
    if kind == SPECIFIC and (affinity.get("key") != RESERVATION_KEY or len(values) != 1):
        raise refused(
            f"{SPECIFIC} needs key {RESERVATION_KEY} and exactly one reservation ({len(values)} given)",
            source="GKE documentation, consuming reserved zonal resources",
        )
    if kind != SPECIFIC and values:
        raise refused(
            f"reservation affinity {kind} takes no reservation's name", source="GKE documentation, consuming reserved zonal resources"
        )
    if config.get("spot") and kind == SPECIFIC:
        raise refused("Spot VMs cannot consume a reservation", source="Compute Engine documentation, reservations: restrictions")


def refuse_bounded(order: Order, config: Mapping[str, Any]) -> None:
    """D4: what flex-start and queued provisioning exclude."""
    queued = bool((order.inputs.get("queuedProvisioning") or {}).get("enabled"))
    affinity = (config.get("reservationAffinity") or {}).get("consumeReservationType")
    if queued and affinity != NO_RESERVATION:
        raise refused("Queued_provisioning requires reservation affinity to be set to none", source=_QUEUED)
    if not config.get("flexStart"):
        return
    management = order.inputs.get("management") or {}
    if config.get("spot") or config.get("preemptible"):
        raise refused("flex-start cannot be combined with Spot VMs", source=FLEX)
    if affinity != NO_RESERVATION:
        raise refused("flex-start requires reservation affinity NO_RESERVATION", source=FLEX)
    if management.get("autoRepair", True):
        raise refused("flex-start requires node auto-repair to be off", source=FLEX)
    if order.inputs.get("nodeCount") or order.inputs.get("initialNodeCount"):
        raise refused("flex-start nodes are not counted by hand: use autoscaling", source=FLEX)


def refuse_placement(order: Order, config: Mapping[str, Any], zones: list[str]) -> None:
    policy = cast("dict[str, Any]", order.inputs.get("placementPolicy") or {})
    if policy.get("policyName"):
        paths.find(order, t.POLICY, policy["policyName"], f"regions/{paths.region_of(zones[0])}/resourcePolicies")
    if policy.get("type") != COMPACT or policy.get("tpuTopology"):
        return
    machine = machines.machine(str(config["machineType"]), zones[0])
    kind = machines.in_gke(machine)
    if len(zones) > 1:
        raise refused("compact placement is limited to one zone", source=f"A8: {_PLACEMENT}")
    if (order.inputs.get("queuedProvisioning") or {}).get("enabled"):
        raise refused(
            "compact placement cannot be combined with queued provisioning", source="GKE documentation, ProvisioningRequest: limitations"
        )
    if config.get("flexStart") and kind is not None and kind.compact_flex is False:
        raise refused(f"compact placement with flex-start is not supported for {machine.name}", source="cluster-toolkit#5737")
    if (order.inputs.get("upgradeSettings") or {}).get("strategy") == "BLUE_GREEN":
        raise refused("compact placement cannot be combined with blue-green upgrades", source=_PLACEMENT)
    if capacity.bought(config).specific and not policy.get("policyName"):
        raise refused("a specific reservation brings its own placement", source="AI-Hypercomputer/xpk#1074, #1075")


def refuse_upgrade(order: Order) -> None:
    given = cast("dict[str, Any]", order.inputs.get("upgradeSettings") or {})
    surge, away = given.get("maxSurge"), given.get("maxUnavailable")
    if given.get("strategy", "SURGE") == "SURGE" and surge is not None and away is not None and not int(surge) + int(away):
        raise refused("max_surge and max_unavailable cannot both be 0", source="GKE documentation, surge upgrades")


def refuse_quota(order: Order, zone_counts: Mapping[str, int]) -> None:
    """GKE looks at the project's quota before it makes the first nodes."""
    config = config_of(order.inputs)
    total = sum(zone_counts.values())
    if not total:
        return
    zone = next(iter(zone_counts))
    machine = machines.machine(str(config["machineType"]), zone)
    wish = capacity.Wish(machine=machine, zone=zone, purchase=capacity.bought(config), count=total)
    over = capacity.short(order.world, order.place.key, wish)
    if over is not None:
        code, limit, used, asked = over.code, over.limit, over.used, over.asked
        raise Refusal(
            "Error 403",
            f"Insufficient regional quota to satisfy request: resource \"{code}\": request requires '{asked:.1f}' and is short "
            f"'{used + asked - limit:.1f}'. project has a quota of '{limit:.1f}' with '{max(0.0, limit - used):.1f}' available., forbidden",
            source="vanvalenlab/kiosk-console#367, kubeflow/kubeflow#842",
            status=403,
        )


def refuse_held(order: Order, zone: str) -> None:
    """D6: a reservation that this world knows must fit the pool."""
    config = config_of(order.inputs)
    purchase = capacity.bought(config)
    held = capacity.reservation_of(order.world, order.place.key, purchase, zone) if purchase.specific else None
    if held is None:
        return
    for difference in capacity.differences(held, machines.machine(str(config["machineType"]), zone), zone):
        raise Refusal(
            "Error 400", f"Invalid value for field 'resource.reservationAffinity': reservation {held.state['name']} holds {difference}, invalid",
            source="D6: AI-Hypercomputer/xpk#476, cluster-toolkit#5543",
        )  # fmt: skip
