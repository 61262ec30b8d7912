"""Machines, disks, templates and managed instance groups that a program makes itself, beside those of GKE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scripts.sandbox.kinds.gcp import capacity, groups, machines, network, node_pool_rules, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_SCHEDULING = "Compute Engine documentation, provisioning models and host maintenance"


def config_of(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A machine's settings in the words of a node config, so that both are judged alike."""
    scheduling = cast("dict[str, Any]", inputs.get("scheduling") or {})
    model = scheduling.get("provisioningModel")
    affinity = cast("dict[str, Any]", inputs.get("reservationAffinity") or {})
    specific = cast("dict[str, Any]", affinity.get("specificReservation") or {})
    return {
        "machineType": str(inputs.get("machineType") or "").rsplit("/", 1)[-1],
        "guestAccelerators": [{**a, "type": str(a.get("type")).rsplit("/", 1)[-1]} for a in inputs.get("guestAccelerators") or ()],
        "spot": model == "SPOT" or bool(scheduling.get("preemptible")),
        "flexStart": model == "FLEX_START",
        "maxRunDuration": scheduling.get("maxRunDuration"),
        "resourceLabels": inputs.get("labels") or {},
        "serviceAccount": (inputs.get("serviceAccount") or {}).get("email"),
        "reservationAffinity": {"consumeReservationType": affinity.get("type"), "values": specific.get("values")} if affinity else None,
    }


def refuse_machine(order: Order, zone: str) -> None:
    """Raises Refusal for a machine that could not be started so."""
    config = config_of(order.inputs)
    machine = machines.machine(str(config["machineType"]), zone)
    node_pool_rules.refuse_mode(machine, config)
    _refuse_maintenance(order, config, machine_has_gpu=machines.is_gpu(machine) or bool(config["guestAccelerators"]))
    interfaces = cast("list[dict[str, Any]]", order.inputs.get("networkInterfaces") or [])
    if len(interfaces) > machines.most_interfaces(machine):
        raise paths.invalid(
            "resource.networkInterfaces", len(interfaces), f"{machine.name} takes {machines.most_interfaces(machine)} at most"
        )
    for interface in interfaces:
        vpc = paths.network(order, interface["network"]) if interface.get("network") else None
        if interface.get("subnetwork"):
            paths.subnetwork(order, interface["subnetwork"], paths.region_of(zone))
        bound = network.profile_zone(vpc) if vpc else None
        if bound is not None and bound != zone:
            raise paths.invalid(
                "resource.networkInterfaces", vpc.state["name"] if vpc else "", f"its RDMA profile is bound to zone {bound}"
            )


def _refuse_maintenance(order: Order, config: Mapping[str, Any], *, machine_has_gpu: bool) -> None:
    scheduling = cast("dict[str, Any]", order.inputs.get("scheduling") or {})
    stays = scheduling.get("onHostMaintenance", "MIGRATE" if not machine_has_gpu else "TERMINATE") == "MIGRATE"
    if machine_has_gpu and scheduling.get("onHostMaintenance") == "MIGRATE":
        raise paths.invalid(
            "resource.scheduling.onHostMaintenance",
            "MIGRATE",
            "Instances with guest accelerators do not support live migration",
            source=_SCHEDULING,
        )
    if config.get("spot") and scheduling.get("automaticRestart"):
        raise paths.invalid("resource.scheduling.automaticRestart", "true", "Spot VMs are not restarted automatically", source=_SCHEDULING)
    if config.get("spot") and stays and scheduling.get("onHostMaintenance"):
        raise paths.invalid("resource.scheduling.onHostMaintenance", "MIGRATE", "Spot VMs cannot migrate", source=_SCHEDULING)


def _admit_instance(order: Order) -> None:
    zone = paths.zone(order)
    if not zone:
        raise paths.invalid("zone", "", "give the instance's zone", source="Terraform Google provider: GetZone")
    refuse_machine(order, zone)
    if order.before is not None:
        return
    config = config_of(order.inputs)
    machine, purchase = machines.machine(str(config["machineType"]), zone), capacity.bought(config)
    held = capacity.reservation_of(order.world, order.place.key, purchase, zone) if purchase.specific else None
    capacity.refuse_over_quota(order.world, order.place.key, capacity.Wish(machine=machine, zone=zone, purchase=purchase))
    if held is not None:
        capacity.refuse_reservation(order.world, held, machine, zone)
    elif not purchase.specific:
        capacity.refuse_stockout(order.world, machine, zone, order.account)


def _instance_outputs(order: Order, id_: str) -> dict[str, Any]:
    config, zone = config_of(order.inputs), paths.zone(order)
    purchase = capacity.bought(config)
    held = capacity.reservation_of(order.world, order.place.key, purchase, zone) if purchase.specific else None
    before: Mapping[str, Any] = order.before.state if order.before else {}
    return {
        **paths.computed(order, id_),
        "zone": zone,
        "instanceId": paths.number(order, "instanceId"),
        "currentStatus": "RUNNING",
        "machineType": str(config["machineType"]),
        "cpuPlatform": "simulated",
        "preemptible": purchase.spot or purchase.flex,
        "provisioningModel": "SPOT" if purchase.spot else "FLEX_START" if purchase.flex else "STANDARD",
        "reservation": held.id if held else "",
        "networkInterfaces": before.get("networkInterfaces")
        or [_interface(order, zone, at, each) for at, each in enumerate(order.inputs["networkInterfaces"])],
        "gpuBusy": before.get("gpuBusy", 0.0),
    }


def _interface(order: Order, zone: str, at: int, given: Mapping[str, Any]) -> dict[str, Any]:
    region = paths.region_of(zone)
    named = paths.path(order, given.get("subnetwork") or "default", f"regions/{region}/subnetworks")
    subnetwork = order.get(t.SUBNETWORK, named)
    vpc = given.get("network") or (subnetwork.state.get("networkId") if subnetwork else "default")
    address = given.get("networkIp") or (network.next_address(order.world, subnetwork) if subnetwork else f"10.128.0.{at + 2}")
    return {**given, "name": f"nic{at}", "network": paths.path(order, vpc, "global/networks"), "subnetwork": named, "networkIp": address}


def _instance_disk(order: Order, record: Record) -> None:
    boot = cast("dict[str, Any]", order.inputs.get("bootDisk") or {})
    given = cast("dict[str, Any]", boot.get("initializeParams") or {})
    id_ = record.id.replace("/instances/", "/disks/")
    state = {
        "name": record.state["name"], "zone": record.state["zone"], "size": int(given.get("size") or 10), "type": given.get("type") or "pd-standard",
        "selfLink": paths.self_link(id_), "users": [record.state["selfLink"]], "labels": dict(record.tags), "creationTimestamp": order.world.clock.text(),
        "diskId": paths.number(order, "diskId"), "autoDelete": boot.get("autoDelete", True),
    }  # fmt: skip
    if not boot.get("source"):
        order.world.store.put(
            Record(
                kind=t.DISK,
                key=record.key,
                id=id_,
                state=state,
                created=order.world.tick(),
                status="READY",
                parent=record.ref,
                tags=record.tags,
            )
        )


def _instance_releases(_: Simulation, record: Record) -> None:
    if record.state.get("deletionProtection"):
        raise Refusal(
            "Error 400",
            f"Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion. {record.id}', resourceNotDeletable",
            source="Compute Engine documentation, preventing accidental VM deletion",
        )


def _instance_deleted(world: Simulation, record: Record) -> None:
    """A boot disk that is not to go with its machine stays, and is billed."""
    for disk in world.store.children(record):
        if not disk.state.get("autoDelete", True):
            world.store.put(replace(disk, parent=None, state={**disk.state, "users": []}))


def _disk_outputs(order: Order, id_: str) -> dict[str, Any]:
    before: Mapping[str, Any] = order.before.state if order.before else {}
    return {
        **paths.computed(order, id_),
        "zone": paths.zone(order),
        "diskId": paths.number(order, "diskId"),
        "size": order.inputs.get("size", 10 if order.inputs.get("image") else 500),
        "type": order.text("type", "pd-standard"),
        "users": before.get("users", []),
    }


def _admit_disk(order: Order) -> None:
    if order.before is not None and int(order.inputs.get("size") or 0) < int(order.before.inputs.get("size") or 0):
        raise paths.invalid(
            "resource.sizeGb",
            order.inputs.get("size"),
            "Disks cannot be made smaller",
            source="Compute Engine documentation, modify a disk",
        )


def _disk_releases(_: Simulation, disk: Record) -> None:
    for user in disk.state.get("users") or ():
        raise paths.in_use("disk", disk.id, str(user).rsplit("/compute/v1/", 1)[-1])


def _admit_template(order: Order) -> None:
    machine = str(order.inputs.get("machineType") or "")
    if order.before is None and machines.catalog.find_machine("gcp", machine) is None:
        raise paths.invalid("resource.properties.machineType", machine, "The referenced machine type does not exist")


def _template_releases(world: Simulation, template: Record) -> None:
    for kind in (t.GROUP, t.REGION_GROUP):
        for group in world.store.of_kind(kind, template.key):
            if any(
                str(v.get("instanceTemplate")).endswith(template.id.partition("/global/")[2]) for v in group.state.get("versions") or ()
            ):
                raise paths.in_use("instance_template", template.id, group.id)


def _template_of(order: Order) -> Record:
    version = cast("list[dict[str, Any]]", order.inputs.get("versions") or [{}])[0]
    reference = str(version.get("instanceTemplate") or "").split("?")[0]
    found = paths.find(order, t.TEMPLATE, reference, "global/instanceTemplates")
    if found is None:
        raise paths.not_found(reference)
    return found


def _admit_group(order: Order) -> None:
    template = _template_of(order)
    probe = Order(world=order.world, place=order.place, token=order.token, name=order.name, inputs=template.inputs, defaults=order.defaults)
    refuse_machine(probe, paths.zone(order))


def _group_outputs(order: Order, id_: str) -> dict[str, Any]:
    template, zone = _template_of(order), paths.zone(order)
    before: Mapping[str, Any] = order.before.state if order.before else {}
    region = paths.region_of(zone)
    pairs = [
        {
            "network": paths.path(order, each.get("network") or "default", "global/networks"),
            "subnetwork": paths.path(order, each.get("subnetwork") or "default", f"regions/{region}/subnetworks"),
        }
        for each in template.inputs.get("networkInterfaces") or [{}]
    ]
    return {
        **paths.computed(order, id_),
        "zone": zone,
        "targetSize": int(order.inputs.get("targetSize", before.get("targetSize", 0))),
        "instanceGroup": paths.self_link(id_).replace("/instanceGroupManagers/", "/instanceGroups/"),
        "instanceGroupManagerId": int(paths.number(order, "instanceGroupManagerId")) % 10**15,
        "config": config_of(template.inputs),
        "networks": pairs,
    }


def _start_group(world: Simulation, group: Record) -> None:
    failure = groups.reconcile(world, group)
    if failure is not None:
        raise NotReady("Error waiting for Creating InstanceGroupManager", str(failure))


def _empty_group(world: Simulation, group: Record) -> None:
    for instance in groups.instances(world, group):
        groups.terminate(world, instance)


_INSTANCE_FIXED = (
    "name", "project", "zone", "bootDisk", "canIpForward", "hostname", "scratchDisks", "guestAccelerators", "reservationAffinity",
    "metadataStartupScript", "networkPerformanceConfig", "description", "networkInterfaces",
)  # fmt: skip

KINDS = (
    paths.kind(
        t.INSTANCE, lambda order: f"zones/{paths.zone(order)}/instances", _admit_instance, replace=frozenset(_INSTANCE_FIXED),
        outputs=_instance_outputs, created=_instance_disk, releases=_instance_releases, deleted=_instance_deleted, starts="RUNNING",
        starting="PROVISIONING", create_seconds=30, delete_seconds=60, moving=frozenset({"labelFingerprint", "currentStatus"}),
    ),
    paths.kind(
        t.DISK, lambda order: f"zones/{paths.zone(order)}/disks", _admit_disk,
        replace=frozenset({"name", "project", "zone", "type", "image", "snapshot", "physicalBlockSizeBytes", "diskEncryptionKey"}),
        outputs=_disk_outputs, releases=_disk_releases, starts="READY", moving=frozenset({"labelFingerprint", "users"}),
    ),
    Kind(
        token=t.TEMPLATE, auto_name="name", name_limit=63, identify=paths.named(lambda _: "global/instanceTemplates"),
        admit=paths.admitting(paths.named(lambda _: "global/instanceTemplates"), _admit_template),
        replace=frozenset(
            {
                "name", "namePrefix", "project", "machineType", "disks", "networkInterfaces", "guestAccelerators", "scheduling", "labels",
                "metadata", "metadataStartupScript", "serviceAccount", "tags", "reservationAffinity", "resourcePolicies", "canIpForward", "description",
                "instanceDescription", "minCpuPlatform", "region", "shieldedInstanceConfig", "advancedMachineFeatures", "resourceManagerTags",
            }
        ),
        outputs=lambda order, id_: paths.computed(order, id_, numericId=paths.number(order, "numericId"), selfLinkUnique=f"{paths.self_link(id_)}?uniqueId=1"),
        releases=_template_releases,
    ),
    paths.kind(
        t.GROUP, lambda order: f"zones/{paths.zone(order)}/instanceGroupManagers", _admit_group,
        replace=frozenset({"name", "project", "zone", "description"}), outputs=_group_outputs, settle=_start_group, deleted=_empty_group,
        create_seconds=30, delete_seconds=60, moving=frozenset({"targetSize", "fingerprint", "statuses", "operation"}),
    ),
)  # fmt: skip
