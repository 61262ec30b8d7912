"""Resource groups, locks, features of a subscription, and paths of types without behaviour of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import TYPES
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import ARM, find, nested, place_of, refuse_locked, require, resource
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

INFINIBAND = ("Microsoft.ContainerService", "AKSInfinibandSupport")
"""Namespace and name of the feature without which InfiniBand nodes land on different fabrics (Azure/aks-rdma-infiniband)."""
_NAME = re.compile(r"[-\w.()]{1,90}(?<!\.)")


def _admit_group(order: Order) -> None:
    name = order.text("resourceGroupName")
    if not _NAME.fullmatch(name):
        raise Refusal(
            "InvalidResourceGroup",
            f"The provided resource group name '{name}' has these invalid characters. The name can only be a letter, digit, '-', '.', '(', ')' or "
            "'_', at most 90 of them, not ending in '.'.",
            source="Azure naming rules and restrictions, Microsoft.Resources",
        )
    if not order.text("location") and order.before is None:
        raise Refusal("LocationRequired", "The location property is required for this definition.", source=ARM)


def _group_outputs(_: Order, __: str) -> dict[str, Any]:
    return {"properties": {"provisioningState": "Succeeded"}}


def _group_releases(world: Simulation, group: Record) -> None:
    """A group goes with all that is in it; a lock on any of that stops it."""
    for inner in nested(world, group):
        refuse_locked(world, inner.id, "delete")


def _admit_lock(order: Order) -> None:
    scope = order.text("scope")
    if scope.count("/") > 2:
        require(order.world, scope, by=order.text("lockName"))


def _feature_outputs(order: Order, _: str) -> dict[str, Any]:
    return {
        "properties": {
            "featureName": order.text("featureName"),
            "providerNamespace": order.text("providerNamespace"),
            "state": "Registered",
            "subscriptionId": order.account,
        }
    }


def registered(world: Simulation, subscription: str, namespace: str, name: str) -> bool:
    """Whether a feature is registered in a subscription: by a resource, or because the world declares it."""
    path = TYPES[t.FEATURE].path(subscription, {"providerNamespace": namespace, "featureName": name})
    return find(world, path) is not None or f"{namespace}/{name}" in world.store.meta("features", [])


def groups(world: Simulation, subscription: str) -> list[Record]:
    return world.store.of_kind(t.RESOURCE_GROUP, place_of(subscription).key)


KINDS = (
    resource(
        t.RESOURCE_GROUP,
        admit=_admit_group,
        outputs=_group_outputs,
        releases=_group_releases,
        replace={"managedBy"},
        delete_seconds=30,
    ),
    resource(t.LOCK, admit=_admit_lock),
    resource(t.FEATURE, outputs=_feature_outputs, create_seconds=300),
)
