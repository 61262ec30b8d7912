"""Objects as Resource Manager shows them, and its bodies as a program's inputs: what lies in `properties`, and what beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from scripts.arm_paths import TYPES, name_of, parse
from scripts.sandbox import sdk_schema
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

_ENVELOPE = frozenset({"location", "tags", "sku", "identity", "zones", "kind", "plan", "extendedLocation", "managedBy", "etag"})
"""Parts of a body that stand beside `properties` (Azure Resource Manager, common types)."""
_IN_PROPERTIES = {t.AGENT_POOL: frozenset({"tags"}), t.DISK: frozenset[str](), t.BUDGET: frozenset[str]()}
"""Types that keep a part of the envelope in their properties."""
_WRAPPED = frozenset(
    {
        *("subnets", "ipConfigurations", "securityRules", "routes", "privateLinkServiceConnections", "privateDnsZoneConfigs"),
        *("networkInterfaceConfigurations", "delegations"),
    }
)
"""Lists whose items have `properties` of their own, which the SDKs flatten away."""
_BESIDE = frozenset({"id", "name", "type", "etag"})

Json = dict[str, Any]


def shown(world: Simulation, record: Record) -> Json:
    """The body of an object. Secrets stay hidden."""
    kind = TYPES.get(record.kind)
    word = kind.word if kind else str(record.state.get("type", ""))
    state = _known(record)
    inside = _IN_PROPERTIES.get(record.kind, frozenset())
    envelope = {k: v for k, v in state.items() if k in _ENVELOPE and k not in inside and v not in (None, "")}
    own = state.pop("properties", None)
    properties = {k: _wrapped(k, v) for k, v in state.items() if k not in envelope and v is not None}
    properties |= cast("Json", own) if isinstance(own, dict) else {}
    properties["provisioningState"] = record.state.get("provisioningState") if record.status != "Creating" else "Creating"
    body: Json = {
        "id": record.id,
        "name": record.state.get("name") or name_of(record.id),
        "type": word,
        **envelope,
        "properties": properties,
    }
    special = _SPECIAL.get(record.kind)
    return special(world, record, body) if special else body


def _known(record: Record) -> Json:
    """The parts of the state that the type has, without those of its path and without this world's own."""
    schema, kind = sdk_schema.resource(record.kind), TYPES.get(record.kind)
    names = schema.outputs | schema.inputs.shapes.keys() if schema else frozenset[str]()
    hidden = {*(kind.inputs if kind else ()), "name", "type", "id", "azureApiVersion", "provisioningState"}
    return {k: v for k, v in record.state.items() if k in names and k not in hidden}


def _wrapped(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _wrapped(k, v) for k, v in cast("Json", value).items()}
    if not isinstance(value, list):
        return value
    items = cast("list[Any]", value)
    if name in _WRAPPED:
        return [_item(cast("Json", item)) if isinstance(item, dict) else item for item in items]
    return [_wrapped("", item) for item in items]


def _item(item: Json) -> Json:
    return {k: v for k, v in item.items() if k in _BESIDE} | {
        "properties": {k: _wrapped(k, v) for k, v in item.items() if k not in _BESIDE}
    }


def inputs_of(token: str, body: Mapping[str, Any]) -> Json:
    """A program's inputs from a body: `properties` laid open, read-only parts left out."""
    schema = sdk_schema.resource(token)
    names = schema.inputs.shapes if schema else {}
    properties = body.get("properties")
    flat = {**{k: v for k, v in body.items() if k != "properties"}, **(cast("Json", properties) if isinstance(properties, dict) else {})}
    if "properties" in names and isinstance(properties, dict):
        flat["properties"] = properties
    found = {k: _unwrapped(v) for k, v in flat.items() if k in names and v is not None}
    identity = found.get("identity")
    if isinstance(identity, dict) and isinstance(cast("Json", identity).get("userAssignedIdentities"), dict):
        found["identity"] = {**cast("Json", identity), "userAssignedIdentities": list(cast("Json", identity)["userAssignedIdentities"])}
    return found


def _unwrapped(value: Any) -> Any:
    if isinstance(value, list):
        return [_unwrapped(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    item = cast("Json", value)
    inner = item.get("properties")
    if isinstance(inner, dict) and item.keys() <= _BESIDE | {"properties"}:
        return {k: _unwrapped(v) for k, v in {**item, **cast("Json", inner)}.items() if k not in ("properties", "id", "type", "etag")}
    return {k: _unwrapped(v) for k, v in item.items()}


def _scale_set(_: Simulation, record: Record, body: Json) -> Json:
    state = record.state
    if state.get("pool"):
        body["zones"] = state.get("zones") or None
        disk = {
            "osType": "Linux",
            "diskSizeGB": state.get("osDiskGib"),
            **({"diffDiskSettings": {"option": "Local"}} if state.get("ephemeral") else {}),
        }
        body["properties"]["virtualMachineProfile"] = {"priority": state.get("priority"), "storageProfile": {"osDisk": disk}}
        body["properties"]["orchestrationMode"] = "Uniform"
    return body


def _vm_parts(world: Simulation, record: Record) -> Json:
    parts = world.store.of_kind(t.INTERFACE, record.key) + world.store.of_kind(t.DISK, record.key)
    mine = [p for p in parts if str(p.state.get("attachedTo") or p.state.get("managedBy") or "").lower() == record.id.lower()]
    interfaces = [{"id": p.id} for p in mine if p.kind == t.INTERFACE]
    disk = next(({"managedDisk": {"id": p.id}, "diskSizeGB": p.state.get("diskSizeGB")} for p in mine if p.kind == t.DISK), {})
    return {
        "hardwareProfile": {"vmSize": record.state.get("size")},
        "networkProfile": {"networkInterfaces": interfaces},
        "storageProfile": {"osDisk": {"osType": "Linux", **disk}},
        "timeCreated": record.state.get("timeCreated"),
        "priority": record.state.get("priority"),
    }


def _vm(world: Simulation, record: Record, body: Json) -> Json:
    body["properties"] = {**body["properties"], **_vm_parts(world, record)}
    return body


def _scale_set_vm(world: Simulation, record: Record, body: Json) -> Json:
    return {
        **body,
        "instanceId": record.state["instanceId"],
        "location": record.state["location"],
        "sku": {"name": record.state["size"], "tier": "Standard"},
        "zones": [record.state["zone"]] if record.state.get("zone") else None,
        "tags": dict(record.tags),
        "properties": {
            **_vm_parts(world, record),
            "osProfile": {"computerName": record.state["computerName"]},
            "provisioningState": "Succeeded",
            "instanceView": instance_view(record),
        },
    }


def instance_view(record: Record) -> Json:
    """Power state of a machine as the instance view tells it."""
    return {
        "statuses": [
            {"code": "ProvisioningState/succeeded", "level": "Info", "displayStatus": "Provisioning succeeded"},
            {"code": f"PowerState/{record.status}", "level": "Info", "displayStatus": f"VM {record.status}"},
        ]
    }


_SPECIAL: Mapping[str, Callable[[Simulation, Record, Json], Json]] = {
    t.SCALE_SET: _scale_set,
    t.SCALE_SET_VM: _scale_set_vm,
    t.VM: _vm,
}


def resource_line(record: Record) -> Json:
    """An object as the list of all resources shows it: without properties."""
    named = parse(record.id)
    word = named[0].word if named else str(record.state.get("type", ""))
    line: Json = {"id": record.id, "name": record.state.get("name") or name_of(record.id), "type": word, "tags": dict(record.tags)}
    for name in ("location", "sku", "managedBy", "kind"):
        if isinstance(record.state.get(name), str | dict):
            line[name] = record.state[name]
    return line
