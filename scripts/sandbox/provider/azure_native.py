"""pulumi-azure-native's own ways: a resource group on nearly every resource, Resource Manager ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider.connections import Connection, parsed
from scripts.sandbox.provider.packages import Extras, Package
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation


def _configure(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure an Azure provider. Raises Refusal on a subscription that is not this world's."""
    settings = {name: parsed(value) for name, value in args.items()}
    own = world.account("azure")
    subscription = str(settings.get("subscriptionId") or own)
    if subscription.lower() != own.lower():
        raise Refusal(
            "SubscriptionNotFound",
            f"The subscription '{subscription}' could not be found. The simulated subscription is {own}.",
            source="Azure Resource Manager common errors: SubscriptionNotFound",
            status=404,
        )
    defaults = {"location": str(settings["location"])} if settings.get("location") else {}
    return Connection(Place("azure", own, "global"), defaults=defaults)


def _place(connection: Connection, kind: Kind, inputs: Mapping[str, Any], id_: str) -> Place:
    """A resource group, by its id or its name among the inputs; the subscription itself without one."""
    words = id_.split("/")
    named = next((words[at + 1] for at, word in enumerate(words[:-1]) if word.lower() == "resourcegroups"), None)
    group = named or inputs.get("resourceGroupName")
    place = connection.place
    return place if kind.everywhere or not group else Place("azure", place.account, str(group))


def _extras(_: Connection, order: Order) -> Extras:
    own = order.inputs.get("tags")
    return Extras({k: str(v) for k, v in cast("dict[str, Any]", own if isinstance(own, dict) else {}).items()})


PACKAGE = Package(name="azure-native", distribution="pulumi-azure-native", configure=_configure, place=_place, extras=_extras)
