"""Google's resource names: `projects/P/zones/Z/instances/N` is an object's id, its self link adds the API's address.

References come as id, as self link, or as the bare name where the place is clear; all are brought to the id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

COMPUTE = "Compute Engine API, error reasons notFound, alreadyExists, invalid, resourceInUseByAnotherResource"
_API = re.compile(r"^(https?:)?//[^/]+/(compute/)?(v1|beta)/")
_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def self_link(id_: str) -> str:
    return f"https://www.googleapis.com/compute/v1/{id_}"


def region_of(zone: str) -> str:
    return zone.rpartition("-")[0]


def is_zone(location: str) -> bool:
    """`us-central1-a` is a zone, `us-central1` a region."""
    return location.count("-") >= 2


def region(order: Order) -> str:
    """The region that an order names, by itself, by its zone, or by the provider."""
    zone = order.text("zone").rsplit("/", 1)[-1] or order.defaults.get("zone", "")
    return order.text("region").rsplit("/", 1)[-1] or order.defaults.get("region") or region_of(zone)


def zone(order: Order) -> str:
    return order.text("zone").rsplit("/", 1)[-1] or order.defaults.get("zone", "")


def location(order: Order) -> str:
    """Region or zone of a GKE cluster and its pools."""
    return order.text("location") or order.defaults.get("zone") or order.defaults.get("region", "")


def path(order: Order, reference: object, collection: str) -> str:
    """The id that a reference means; `collection` places bare names (`global/networks`, `regions/us-central1/subnetworks`)."""
    text = _API.sub("", str(reference))
    if text.startswith("projects/"):
        return text
    if text.startswith(("global/", "regions/", "zones/")):
        return f"projects/{order.account}/{text}"
    return f"projects/{order.account}/{collection}/{text}"


def foreign(order: Order, id_: str) -> bool:
    """Whether an id is of another project, such as the host of a shared VPC: those are not simulated, and pass."""
    return not id_.startswith(f"projects/{order.account}/")


def find(order: Order, kind: str, reference: object, collection: str) -> Record | None:
    """What a reference means, or None for something of another project. Raises Refusal when this project has no such thing."""
    id_ = path(order, reference, collection)
    found = order.get(kind, id_)
    if found is None and not foreign(order, id_):
        raise not_found(id_)
    return found


def network(order: Order, reference: object) -> Record | None:
    from scripts.sandbox.kinds.gcp import tokens as t

    return find(order, t.NETWORK, reference, "global/networks")


def subnetwork(order: Order, reference: object, region_name: str) -> Record | None:
    from scripts.sandbox.kinds.gcp import tokens as t

    return find(order, t.SUBNETWORK, reference, f"regions/{region_name}/subnetworks")


def not_found(id_: str) -> Refusal:
    return Refusal("Error 404", f"The resource '{id_}' was not found, notFound", source=COMPUTE, status=404)


def in_use(what: str, id_: str, by: str) -> Refusal:
    """K6: what depends on an object keeps it."""
    return Refusal(
        "Error 400",
        f"The {what} resource '{id_}' is already being used by '{by}', resourceInUseByAnotherResource",
        source="K6: terraform-provider-google#5423, #9812; kubernetes/kops#13855",
    )


def invalid(field: str, value: object, why: str, *, source: str = COMPUTE) -> Refusal:
    return Refusal("Error 400", f"Invalid value for field '{field}': '{value}'. {why}, invalid", source=source)


def refuse_name(order: Order, field: str = "name") -> None:
    """Raises Refusal for a name that is no RFC 1035 label, as all of Compute Engine's are."""
    name = order.text(field)
    if not _NAME.fullmatch(name):
        raise invalid(f"resource.{field}", name, f"Must be a match of regex '(?:{_NAME.pattern})'")


def refuse_taken(order: Order, id_: str) -> None:
    if any(other.id == id_ for other in order.peers()):
        raise Refusal("Error 409", f"The resource '{id_}' already exists, alreadyExists", source=COMPUTE, status=409)


def named(collection: Callable[[Order], str], field: str = "name") -> Callable[[Order], str]:
    """Ids of a kind whose objects are told apart by name within a collection."""
    return lambda order: f"projects/{order.account}/{collection(order)}/{order.text(field)}"


def admitting(identify: Callable[[Order], str], *checks: Callable[[Order], None]) -> Callable[[Order], None]:
    """Refuses names that are none or taken, then whatever the checks refuse."""

    def admit(order: Order) -> None:
        refuse_name(order)
        if order.before is None:
            refuse_taken(order, identify(order))
        for check in checks:
            check(order)

    return admit


def computed(order: Order, id_: str, **more: Any) -> dict[str, Any]:
    """Outputs that Compute Engine gives every object."""
    before: Mapping[str, Any] = order.before.state if order.before else {}
    return {
        "creationTimestamp": before.get("creationTimestamp") or order.world.clock.text(),
        "selfLink": self_link(id_),
        "labelFingerprint": "simulated",
        **more,
    }


def number(order: Order, field: str) -> str:
    """Google's own numeric id of an object, kept by updates."""
    if order.before is not None and field in order.before.state:
        return str(order.before.state[field])
    return str(int(order.world.new_id("", 15), 16))


def references(record: Record, id_: str, *fields: str) -> bool:
    """Whether one of a record's fields names the object with this id."""
    return any(str(record.state.get(field) or "").endswith(id_.removeprefix("projects/").partition("/")[2]) for field in fields)


KindArgs = dict[str, Any]


def kind(token: str, collection: Callable[[Order], str], *checks: Callable[[Order], None], **args: Any) -> Kind:
    """A kind of Compute Engine: named within its collection, with the usual outputs."""
    identify = named(collection)
    args.setdefault("outputs", computed)
    return Kind(token=token, auto_name="name", name_limit=63, identify=identify, admit=admitting(identify, *checks), **args)
