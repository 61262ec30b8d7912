"""What Azure Resource Manager does for every type: paths as ids, groups and parents that must exist, locks, nested objects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from scripts.arm_paths import TYPES, ArmType, group_of, is_under, name_of, parse, subscription_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

ARM = "Azure Resource Manager documentation, troubleshoot common deployment errors"
_SINGLETONS = frozenset({t.BLOB_SERVICE})
"""Types whose one object is there with its parent, before anybody creates it."""
_ETAGGED = frozenset({"network", "privatedns", "operationalinsights", t.VM, t.SCALE_SET, t.BLOB_CONTAINER})
"""Modules and types that show an `etag` (pulumi-azure-native 3.29)."""
_MADE_BY_AZURE = frozenset({"networkwatcherrg"})
"""Groups that Azure makes by itself in every subscription with a network (Network Watcher documentation)."""


def place_of(subscription: str) -> Place:
    """Objects of a subscription live in one place: their paths tell them apart, the region is a property."""
    return Place("azure", subscription, "global")


def find(world: Simulation, path: object) -> Record | None:
    """The object with this path in any case, or None. Types that this world does not know are never found."""
    named = parse(str(path).rstrip("/"))
    if named is None:
        return None
    key = place_of(subscription_of(str(path))).key
    exact = world.store.get(named[0].token, key, str(path))
    if exact is not None:
        return exact
    wanted = str(path).rstrip("/").lower()
    return next((r for r in world.store.of_kind(named[0].token, key) if r.id.lower() == wanted), None)


def require(world: Simulation, path: object, *, by: str) -> Record:
    """The object that another one refers to. Raises Refusal when it does not exist."""
    found = find(world, path)
    if found is None:
        raise Refusal(
            "InvalidResourceReference",
            f"Resource {path} referenced by resource {by} was not found. Please make sure that the referenced resource exists, and that both "
            "resources are in the same region.",
            source="Azure/azure-quickstart-templates#5878",
        )
    return found


def require_known(world: Simulation, path: object, *, by: str) -> Record | None:
    """As `require`, where the path's group is of this world; None for what lies in other groups, which is taken to exist."""
    text = str(path)
    if find(world, text) is None and find(world, group_path(text)) is None:
        return None
    return require(world, text, by=by)


def all_of(world: Simulation, token: str, like: Record | Order) -> list[Record]:
    """All objects of a type in the subscription of a record or order."""
    key = like.key if isinstance(like, Record) else like.place.key
    return world.store.of_kind(token, key)


def reference(value: object) -> str:
    """The path in a reference of the form {"id": path}, or "" without."""
    return str(value.get("id") or "") if isinstance(value, Mapping) else ""  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]  # plain JSON


def location_of(order: Order) -> str:
    """The object's region as Azure spells it: its own, else its group's."""
    own = order.text("location")
    if not own and order.before is not None:
        own = str(order.before.state.get("location") or "")
    group = own or _group(order)
    text = group if isinstance(group, str) else str(group.state.get("location", "")) if group else ""
    return text.replace(" ", "").lower()


def path_of(order: Order) -> str:
    """The path of an order's object; the one that it has when it is changed."""
    return order.before.id if order.before else TYPES[order.token].path(order.account, order.inputs)


def _group(order: Order) -> Record | None:
    return find(order.world, f"/subscriptions/{order.account}/resourceGroups/{order.text('resourceGroupName')}")


def _admit(order: Order) -> None:
    path, kind = path_of(order), TYPES[order.token]
    for name in kind.inputs:
        if not order.inputs.get(name):
            raise Refusal("MissingRequiredParameter", f"{name} is missing: it is part of the path of a {kind.word}", source=ARM)
    _refuse_without_group(order, kind)
    _refuse_without_parent(order, path)
    refuse_locked(order.world, path, "write")
    if order.before is None and order.token not in _SINGLETONS and find(order.world, path) is not None:
        raise Refusal(
            "AlreadyExists",
            f"cannot create already existing resource '{path}'",
            source="pulumi-azure-native#1123, #1722",
            status=409,
        )


def _refuse_without_group(order: Order, kind: ArmType) -> None:
    if "resourceGroupName" not in kind.inputs or order.token == t.RESOURCE_GROUP:
        return
    name = order.text("resourceGroupName")
    if _group(order) is None and name.lower() not in _MADE_BY_AZURE:
        raise Refusal("ResourceGroupNotFound", f"Resource group '{name}' could not be found.", source=ARM, status=404)


def _refuse_without_parent(order: Order, path: str) -> None:
    parent = parent_path(path)
    if parent and find(order.world, parent) is None:
        raise Refusal(
            "ParentResourceNotFound",
            f"Failed to perform 'write' on resource(s) of type '{TYPES[order.token].word}', because the parent resource '{parent}' could not be "
            "found.",
            source=ARM,
            status=404,
        )


def parent_path(path: str) -> str:
    """The path of the nearest object that holds this one, "" for one that hangs on no other but its group or scope."""
    head, separator, rest = path.rpartition("/providers/")
    parts = rest.split("/")
    for length in range(len(parts) - 2, 1, -2):
        candidate = f"{head}{separator}{'/'.join(parts[:length])}"
        named = parse(candidate)
        if named is not None and named[0].token not in _SINGLETONS:
            return candidate
    return ""


def refuse_locked(world: Simulation, path: str, operation: str) -> None:
    """Raises Refusal when a lock on the path or above it forbids the operation (`write` or `delete`)."""
    locks = world.store.of_kind(t.LOCK, place_of(subscription_of(path)).key)
    levels = ("ReadOnly",) if operation == "write" else ("ReadOnly", "CanNotDelete")
    held = [str(lock.state["scope"]) for lock in locks if lock.state.get("level") in levels and is_under(path, str(lock.state["scope"]))]
    if held and (named := parse(path)) is not None and named[0].token != t.LOCK:
        raise Refusal(
            "ScopeLocked",
            f"The scope '{path}' cannot perform {operation} operation because following scope(s) are locked: '{held[0]}'. "
            "Please remove the lock and try again.",
            source="hashicorp/terraform-provider-azurerm#17478",
            status=409,
        )


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    from scripts.sandbox import sdk_schema

    schema = sdk_schema.resource(order.token)
    names = schema.outputs if schema else frozenset[str]()
    before = order.before.state if order.before else {}
    made = {
        "name": name_of(id_),
        "type": TYPES[order.token].word,
        "location": location_of(order),
        "provisioningState": before.get("provisioningState", "Succeeded"),
        "etag": f'W/"{order.world.new_id("", 32)}"',
        "azureApiVersion": "simulated",
    }
    identity = {"identity": identities_by_path(order.inputs["identity"])} if order.inputs.get("identity") else {}
    return {name: value for name, value in {**made, **identity}.items() if name in names and value}


def identities_by_path(identity: Any) -> Any:
    """An object's identity as the API answers it: the list of user-assigned identities has become a map by path."""
    listed = identity.get("userAssignedIdentities") if isinstance(identity, Mapping) else None  # pyright: ignore[reportUnknownMemberType]
    return {**identity, "userAssignedIdentities": {str(path): {} for path in listed}} if isinstance(listed, list) else identity


def nested(world: Simulation, record: Record) -> Iterator[Record]:
    """Objects whose paths lie below this one's, extensions such as role assignments included; the deepest first."""
    below = [r for r in world.store.in_place(record.key) if r.id != record.id and is_under(r.id, record.id)]
    yield from sorted(below, key=lambda r: r.id.count("/"), reverse=True)


def drop_nested(world: Simulation, record: Record) -> None:
    """Take away what lies below a record, in the open transaction, each as its own kind ends."""
    from scripts.sandbox import kinds

    for inner in list(nested(world, record)):
        present = world.store.by_ref(inner.ref)
        if present is not None:
            kinds.kind(present.kind).deleted(world, present)
            world.drop_tree(present)


Check = Callable[[Order], None]
Release = Callable[["Simulation", Record], None]


def _nothing(*_: Any) -> None:
    return None


def _none(_: Order, __: str) -> dict[str, Any]:
    return {}


def _joined(name: str, digits: str) -> str:
    """pulumi-azure-native puts the random digits right behind the name."""
    return f"{name}{digits}"


def _guid_form(name: str, digits: str) -> str:
    """Role assignments get a GUID (pulumi-azure-native: `autoname: uuid`)."""
    text = hashlib.sha256(f"{name}/{digits}".encode()).hexdigest()
    return "-".join((text[:8], text[8:12], f"4{text[13:16]}", f"8{text[17:20]}", text[20:32]))


_FORMS = {t.ROLE_ASSIGNMENT: _guid_form}


class Own(TypedDict, total=False):
    """What a type adds to Resource Manager's behaviour; names and meaning are those of `Kind`."""

    admit: Check
    outputs: Callable[[Order, str], dict[str, Any]]
    created: Callable[[Order, Record], None]
    settle: Release
    updated: Callable[[Order, Record], None]
    releases: Release
    deleted: Release
    replace: Collection[str]
    moving: Collection[str]
    closed_sets: Mapping[str, tuple[str, str]]
    create_seconds: float
    delete_seconds: float


def resource(token: str, **own: Unpack[Own]) -> Kind:
    """A kind with Resource Manager's behaviour and its own on top of it. What lies below an object goes with it.

    Inputs in the path always replace; sources of the others: provider/pkg/gen/replacement.go of pulumi-azure-native (3.29) and
    `x-ms-mutability` in Azure's API specifications.
    """
    kind = TYPES[token]
    admit, outputs = own.get("admit", _nothing), own.get("outputs", _none)
    releases, deleted = own.get("releases", _nothing), own.get("deleted", _nothing)

    def both_admit(order: Order) -> None:
        _admit(order)
        admit(order)

    def both_release(world: Simulation, record: Record) -> None:
        refuse_locked(world, record.id, "delete")
        releases(world, record)

    def both_delete(world: Simulation, record: Record) -> None:
        deleted(world, record)
        drop_nested(world, record)

    return Kind(
        token=token,
        replace=frozenset({*kind.inputs, *(("location",) if kind.located else ()), *own.get("replace", ())}),
        auto_name=kind.name_input,
        auto_form=_FORMS.get(token, _joined),
        everywhere=True,
        identify=path_of,
        admit=both_admit,
        outputs=lambda order, id_: {**_outputs(order, id_), **outputs(order, id_)},
        shown_as={"identity": identities_by_path},
        moving=frozenset({*(("etag",) if token.split(":")[1] in _ETAGGED or token in _ETAGGED else ()), *own.get("moving", ())}),
        releases=both_release,
        deleted=both_delete,
        starts="Succeeded",
        starting="Creating",
        created=own.get("created", _nothing),
        settle=own.get("settle", _nothing),
        updated=own.get("updated", _nothing),
        create_seconds=own.get("create_seconds", 2),
        delete_seconds=own.get("delete_seconds", 2),
        closed_sets=own.get("closed_sets", {}),
    )


def set_state(world: Simulation, record: Record, **changes: Any) -> Record:
    """Change the present state of a record, in the open transaction."""
    present = world.store.by_ref(record.ref) or record
    return world.store.put(present.with_state(**changes))


def group_path(path: str) -> str:
    return f"/subscriptions/{subscription_of(path)}/resourceGroups/{group_of(path)}"
