"""Compute Engine's objects as its API shows them, from records in the provider's spelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from components import catalog
from scripts.sandbox.kinds.gcp import balancing, capacity, groups, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record


def shown(kind: str, record: Record, **more: Any) -> dict[str, Any]:
    """What every object has; fields without a value are left out, as Google's APIs do."""
    state = record.state
    made = {
        "kind": f"compute#{kind}",
        "id": number(record),
        "name": state.get("name"),
        "description": state.get("description"),
        "creationTimestamp": state.get("creationTimestamp") or record.created,
        "selfLink": state.get("selfLink") or paths.self_link(record.id),
        **more,
    }
    return {name: value for name, value in made.items() if value is not None and value not in ({}, [])}


def number(record: Record) -> str:
    """Google's numeric id, as text (64 bits do not fit JSON's numbers)."""
    for field in ("numericId", "instanceId", "diskId", "subnetworkId", "instanceGroupManagerId"):
        if record.state.get(field):
            return str(record.state[field])
    return str(int.from_bytes(record.id.encode()[-7:], "big"))


def link(text: object) -> str | None:
    """A reference as self link."""
    if not text:
        return None
    return str(text) if "://" in str(text) else paths.self_link(str(text))


def _labels(record: Record) -> dict[str, str]:
    return dict(record.tags) or {str(k): str(v) for k, v in (record.state.get("labels") or {}).items()}


def _zone(record: Record) -> str:
    project = record.key.split("/")[1]
    return paths.self_link(f"projects/{project}/zones/{str(record.state['zone']).rsplit('/', 1)[-1]}")


def _region(record: Record) -> str | None:
    project, name = record.key.split("/")[1], record.state.get("region")
    return paths.self_link(f"projects/{project}/regions/{str(name).rsplit('/', 1)[-1]}") if name else None


def network(world: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    subnets = [paths.self_link(r.id) for r in world.store.of_kind(t.SUBNETWORK, record.key) if r.state.get("networkId") == record.id]
    return shown(
        "network", record, autoCreateSubnetworks=state.get("autoCreateSubnetworks"), mtu=state.get("mtu"), subnetworks=subnets,
        routingConfig={"routingMode": state.get("routingMode", "REGIONAL")}, networkProfile=link(state.get("networkProfile")),
    )  # fmt: skip


def subnetwork(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    ranges = [{"rangeName": r["rangeName"], "ipCidrRange": r["ipCidrRange"]} for r in state.get("secondaryIpRanges") or ()]
    return shown(
        "subnetwork", record, network=link(state.get("networkId")), ipCidrRange=state.get("ipCidrRange"), region=_region(record),
        gatewayAddress=state.get("gatewayAddress"), privateIpGoogleAccess=state.get("privateIpGoogleAccess"), secondaryIpRanges=ranges,
        purpose=state.get("purpose"), stackType=state.get("stackType"),
    )  # fmt: skip


def firewall(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    return shown(
        "firewall", record, network=link(state.get("network")), direction=state.get("direction"), priority=state.get("priority"),
        sourceRanges=list(state.get("sourceRanges") or ()), allowed=_allowed(state.get("allows")), denied=_allowed(state.get("denies")),
        disabled=state.get("disabled"),
    )  # fmt: skip


def _allowed(rules: object) -> list[dict[str, Any]]:
    given = cast("list[Mapping[str, Any]]", rules or [])
    return [{"IPProtocol": r["protocol"], **({"ports": list(r["ports"])} if r.get("ports") else {})} for r in given]


def route(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    return shown("route", record, network=link(state.get("network")), destRange=state.get("destRange"), priority=state.get("priority"))


def router(world: Simulation, record: Record) -> dict[str, Any]:
    _, project, _, region, _, name = record.id.split("/")
    nats = [r for r in world.store.of_kind(t.ROUTER_NAT, record.key) if r.id.startswith(f"{project}/{region}/{name}/")]
    fields = ("name", "natIpAllocateOption", "sourceSubnetworkIpRangesToNat", "minPortsPerVm", "type")
    shown_nats = [{field: nat.state[field] for field in fields if nat.state.get(field) is not None} for nat in nats]
    return shown("router", record, network=link(record.state.get("network")), region=_region(record), nats=shown_nats)


def address(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    used = bool(state.get("users"))
    return shown(
        "address", record, address=state.get("address"), addressType=state.get("addressType"), region=_region(record), labels=_labels(record),
        purpose=state.get("purpose"), prefixLength=state.get("prefixLength") or None, network=link(state.get("network")),
        status="IN_USE" if used else "RESERVED", users=list(state.get("users") or ()),
    )  # fmt: skip


def instance(world: Simulation, record: Record) -> dict[str, Any]:
    state, project = record.state, record.key.split("/")[1]
    zone = str(state["zone"]).rsplit("/", 1)[-1]
    disks = [d for d in world.store.children(record) if d.kind == t.DISK]
    return shown(
        "instance", record, zone=_zone(record), status=record.status, labels=_labels(record), labelFingerprint="c2ltdWxhdGVk",
        machineType=paths.self_link(f"projects/{project}/zones/{zone}/machineTypes/{str(state['machineType']).rsplit('/', 1)[-1]}"),
        networkInterfaces=[_interface(each) for each in state.get("networkInterfaces") or ()],
        disks=[{"kind": "compute#attachedDisk", "boot": True, "source": d.state["selfLink"], "autoDelete": True, "type": "PERSISTENT"} for d in disks],
        scheduling={"preemptible": bool(state.get("preemptible")), "provisioningModel": state.get("provisioningModel", "STANDARD")},
        guestAccelerators=_accelerators(state, project, zone), deletionProtection=bool(state.get("deletionProtection")),
        serviceAccounts=[{"email": str(state["serviceAccount"])}] if isinstance(state.get("serviceAccount"), str) else [],
        lastStartTimestamp=state.get("creationTimestamp") or record.created,
    )  # fmt: skip


def _accelerators(state: Mapping[str, Any], project: str, zone: str) -> list[dict[str, Any]]:
    return [
        {
            "acceleratorType": paths.self_link(f"projects/{project}/zones/{zone}/acceleratorTypes/{str(a['type']).rsplit('/', 1)[-1]}"),
            "acceleratorCount": int(a["count"]),
        }
        for a in state.get("guestAccelerators") or ()
    ]


def _interface(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {
        "kind": "compute#networkInterface",
        "name": given.get("name"),
        "network": link(given.get("network")),
        "subnetwork": link(given.get("subnetwork")),
        "networkIP": given.get("networkIp"),
        "nicType": given.get("nicType"),
    }
    return {name: value for name, value in made.items() if value is not None}


def disk(_: Simulation, record: Record) -> dict[str, Any]:
    state, project = record.state, record.key.split("/")[1]
    zone = str(state["zone"]).rsplit("/", 1)[-1]
    return shown(
        "disk", record, zone=_zone(record), sizeGb=str(state.get("size", 10)), status="READY", labels=_labels(record),
        type=paths.self_link(f"projects/{project}/zones/{zone}/diskTypes/{str(state.get('type')).rsplit('/', 1)[-1]}"),
        users=list(state.get("users") or ()), labelFingerprint="c2ltdWxhdGVk",
    )  # fmt: skip


def template(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    properties = {"machineType": state.get("machineType"), "labels": {str(k): str(v) for k, v in (state.get("labels") or {}).items()}}
    return shown("instanceTemplate", record, properties={name: value for name, value in properties.items() if value})


def group_manager(world: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    running = len(groups.instances(world, record))
    wanted = int(state.get("targetSize") or 0)
    return shown(
        "instanceGroupManager", record, zone=_zone(record), targetSize=wanted, instanceGroup=state.get("instanceGroup"),
        baseInstanceName=state.get("baseInstanceName"), status={"isStable": running == wanted},
        currentActions={"none": running, "creating": max(0, wanted - running)},
    )  # fmt: skip


def managed_instance(world: Simulation, record: Record) -> dict[str, Any]:
    del world
    return {
        "instance": record.state["selfLink"], "id": number(record), "instanceStatus": record.status, "currentAction": "NONE",
        "name": record.state["name"],
    }  # fmt: skip


def policy(_: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    group = cast("dict[str, Any]", state.get("groupPlacementPolicy") or {})
    kept = {
        name: group[name] for name in ("availabilityDomainCount", "collocation", "vmCount", "gpuTopology") if group.get(name) is not None
    }
    return shown("resourcePolicy", record, region=_region(record), status="READY", groupPlacementPolicy=kept)


def reservation(world: Simulation, record: Record) -> dict[str, Any]:
    state = record.state
    specific = cast("dict[str, Any]", state.get("specificReservation") or {})
    properties = cast("dict[str, Any]", specific.get("instanceProperties") or {})
    held = {
        "count": str(specific.get("count") or 0),
        "inUseCount": str(len(capacity.using(world, record))),
        "instanceProperties": {"machineType": properties.get("machineType")},
    }
    return shown(
        "reservation", record, zone=_zone(record), status=record.status, specificReservation=held,
        specificReservationRequired=bool(state.get("specificReservationRequired")),
    )  # fmt: skip


_PART_FIELDS = (
    *balancing.FIELDS, "IPAddress", "loadBalancingScheme", "networkEndpointType", "sourceDisk", "storageBytes", "diskSizeGb", "snapshotType",
)  # fmt: skip


def part(plural: str) -> Callable[[Simulation, Record], dict[str, Any]]:
    """A part of a load balancer, or a snapshot: what it was made with, references as they were given."""

    def shape(_: Simulation, record: Record) -> dict[str, Any]:
        given = {name: record.state.get(name) for name in _PART_FIELDS}
        return shown(plural.removesuffix("s"), record, network=link(record.state.get("network")), labels=_labels(record), **given)

    return shape


def machine_type(zone: str, machine: catalog.Machine, project: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": "compute#machineType",
        "id": str(int.from_bytes(machine.name.encode()[-7:], "big")),
        "name": machine.name,
        "guestCpus": machine.vcpus,
        "memoryMb": int(machine.memory_gib * 1024),
        "zone": zone,
        "selfLink": paths.self_link(f"projects/{project}/zones/{zone}/machineTypes/{machine.name}"),
    }
    if machine.accelerated:
        from components.catalog.gke_machines import gke_machine

        kind = gke_machine(machine)
        if kind is not None:
            made["accelerators"] = [{"guestAcceleratorType": kind.accelerator, "guestAcceleratorCount": max(1, int(machine.gpu_count))}]
    return made
