"""pulumi-azure-native's own ways: one subscription, a default location, Resource Manager paths, and the functions that are answered."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox import sdk_schema
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider.connections import Connection, parsed
from scripts.sandbox.provider.packages import Answer, Extras, Package
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


def _place(connection: Connection, _kind: Kind, _inputs: Mapping[str, Any], _id: str) -> Place:
    """Objects of a subscription are together: their paths tell them apart."""
    return connection.place


def _complete(connection: Connection, token: str, news: dict[str, Any]) -> None:
    """A type with a location takes the provider's when it gives none (pulumi-azure-native, configuration: location)."""
    schema = sdk_schema.resource(token)
    location = connection.defaults.get("location")
    if location and schema is not None and "location" in schema.inputs.shapes and news.get("location") is None:
        news["location"] = location


def _extras(_: Connection, order: Order) -> Extras:
    own = order.inputs.get("tags")
    return Extras({k: str(v) for k, v in cast("dict[str, Any]", own if isinstance(own, dict) else {}).items()})


def _credentials(world: Simulation, place: Place, given: Mapping[str, Any]) -> dict[str, Any]:
    """A cluster's kubeconfig as AKS lists it for users: its address and no credential."""
    from scripts.arm_paths import TYPES
    from scripts.sandbox.kinds.azure.cluster import kubeconfig
    from scripts.sandbox.kinds.azure.tokens import CLUSTER

    text = json.dumps(kubeconfig(world, TYPES[CLUSTER].path(place.account, given)))
    return {"kubeconfigs": [{"name": "clusterUser", "value": base64.b64encode(text.encode()).decode()}]}


def _client_config(_: Simulation, place: Place, __: Mapping[str, Any]) -> dict[str, Any]:
    from scripts.sandbox.kinds.azure.identity import TENANT

    return {"clientId": "simulated", "objectId": "simulated", "subscriptionId": place.account, "tenantId": TENANT}


_ANSWERS: Mapping[str, Answer] = {
    "azure-native:containerservice:listManagedClusterUserCredentials": _credentials,
    "azure-native:authorization:getClientConfig": _client_config,
}

PACKAGE = Package(
    name="azure-native",
    distribution="pulumi-azure-native",
    configure=_configure,
    place=_place,
    extras=_extras,
    complete=_complete,
    answers=_ANSWERS,
    identity=frozenset({"subscriptionId"}),
)
