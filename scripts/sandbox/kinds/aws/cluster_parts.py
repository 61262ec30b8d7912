"""What hangs on an EKS cluster: add-ons, access entries, policies of access, pod identities."""

from __future__ import annotations

import json
from typing import Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.cluster import require_cluster
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

_EKS = "EKS API reference, errors of the operation"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
_ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
_POD_IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
PARTS = (t.ADDON, _ENTRY, _ASSOCIATION, _POD_IDENTITY)


def _refuse_taken(order: Order, id_: str, what: str) -> None:
    if any(other.id == id_ for other in order.peers()):
        raise Refusal("ResourceInUseException", f"{what} already exists: {id_}", source=_EKS, status=409)


def _addon_id(order: Order) -> str:
    return f"{order.text('clusterName')}:{order.text('addonName')}"


def _admit_addon(order: Order) -> None:
    require_cluster(order)
    _refuse_taken(order, _addon_id(order), "Addon")
    values = order.inputs.get("configurationValues")
    if isinstance(values, str) and values:
        try:
            json.loads(values)
        except ValueError as error:
            raise Refusal("InvalidParameterException", f"ConfigurationValue provided is not JSON: {error}", source=_EKS) from error


def _addon_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    now = order.world.clock.text()
    return {
        "arn": before.get("arn")
        or order.arn("eks", f"addon/{order.text('clusterName')}/{order.text('addonName')}/{order.world.new_id('', 32)}"),
        "addonVersion": order.text("addonVersion") or before.get("addonVersion") or "v1.0.0-eksbuild.1",
        "createdAt": before.get("createdAt", now),
        "modifiedAt": now,
    }


def _admit_entry(order: Order) -> None:
    cluster = require_cluster(order)
    if cluster.state.get("accessConfig", {}).get("authenticationMode") == "CONFIG_MAP":
        raise Refusal(
            "InvalidRequestException",
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
            source=_EKS,
        )
    _refuse_taken(order, _entry_id(order), "The specified access entry resource")


def _entry_id(order: Order) -> str:
    return f"{order.text('clusterName')}:{order.text('principalArn')}"


def _entry_outputs(order: Order, _: str) -> dict[str, Any]:
    principal = order.text("principalArn")
    now = order.world.clock.text()
    return {
        "accessEntryArn": order.arn("eks", f"access-entry/{order.text('clusterName')}/{principal.rsplit(':', 1)[-1]}"),
        "createdAt": (order.before.state if order.before else {}).get("createdAt", now),
        "modifiedAt": now,
        "type": order.text("type", "STANDARD"),
        "kubernetesGroups": order.inputs.get("kubernetesGroups", []),
        "userName": order.text("userName", principal),
    }


def _admit_association(order: Order) -> None:
    require_cluster(order)
    if order.get(_ENTRY, _entry_id(order)) is None:
        raise Refusal(
            "ResourceNotFoundException",
            f"The specified principalArn could not be found: {order.text('principalArn')}",
            source=_EKS,
            status=404,
        )
    policy = order.text("policyArn")
    if "::aws:cluster-access-policy/" not in policy:
        raise Refusal(
            "InvalidParameterException",
            f"The specified policyArn is invalid: {policy}",
            source="EKS user guide: access policy ARNs are arn:aws:eks::aws:cluster-access-policy/NAME",
        )


def _association_outputs(order: Order, _: str) -> dict[str, Any]:
    now = order.world.clock.text()
    return {"associatedAt": now, "modifiedAt": now}


def _admit_pod_identity(order: Order) -> None:
    require_cluster(order)
    mine = tuple(order.inputs.get(n) for n in ("clusterName", "namespace", "serviceAccount"))
    for other in order.peers():
        if tuple(other.state.get(n) for n in ("clusterName", "namespace", "serviceAccount")) == mine:
            raise Refusal("ResourceInUseException", f"Association already exists: {other.id}", source=_EKS, status=409)


def _pod_identity_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "associationId": id_,
        "associationArn": order.arn("eks", f"podidentityassociation/{order.text('clusterName')}/{id_}"),
        "ownerArn": "",
    }


KINDS = (
    Kind(
        token=t.ADDON,
        replace=frozenset({"addonName", "clusterName", "namespaceConfig"}),
        create_seconds=45,
        delete_seconds=20,
        identify=_addon_id,
        admit=_admit_addon,
        outputs=_addon_outputs,
        moving=frozenset({"modifiedAt", "addonVersion"}),
        starts="ACTIVE",
        starting="CREATING",
        closed_sets={"resolveConflictsOnCreate": ("eks", "ResolveConflicts"), "resolveConflictsOnUpdate": ("eks", "ResolveConflicts")},
    ),
    Kind(
        token=_ENTRY,
        replace=frozenset({"clusterName", "principalArn", "type"}),
        identify=_entry_id,
        admit=_admit_entry,
        outputs=_entry_outputs,
        moving=frozenset({"modifiedAt", "kubernetesGroups", "userName"}),
    ),
    Kind(
        token=_ASSOCIATION,
        replace=frozenset({"clusterName", "principalArn", "policyArn", "accessScope"}),
        identify=lambda order: f"{order.text('clusterName')}#{order.text('principalArn')}#{order.text('policyArn')}",
        admit=_admit_association,
        outputs=_association_outputs,
    ),
    Kind(
        token=_POD_IDENTITY,
        replace=frozenset({"clusterName", "namespace", "serviceAccount"}),
        identify=lambda order: order.world.new_id("a"),
        admit=_admit_pod_identity,
        outputs=_pod_identity_outputs,
    ),
)
