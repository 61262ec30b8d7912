"""Roles, their policies, and identity providers: global in an account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_IAM = "IAM API reference, errors of the operation"


def _document(order: Order, name: str) -> None:
    text = order.inputs.get(name)
    if text is None:
        return
    try:
        policy = json.loads(text) if isinstance(text, str) else text
    except ValueError as error:
        raise Refusal("MalformedPolicyDocument", f"{name} is not JSON: {error}", source=_IAM) from error
    if not isinstance(policy, dict) or "Statement" not in policy:
        raise Refusal("MalformedPolicyDocument", f"{name} has no Statement", source=_IAM)


def _admit_role(order: Order) -> None:
    _document(order, "assumeRolePolicy")
    if len(order.text("name")) > 64:
        raise Refusal(
            "ValidationError",
            f"role name {order.text('name')!r} has more than 64 characters",
            source="IAM quotas: 64 characters in a role name",
        )
    for other in order.peers():
        if other.state.get("name") == order.text("name"):
            raise Refusal("EntityAlreadyExists", f"Role with name {order.text('name')} already exists.", source=_IAM, status=409)


def _role_outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "arn": order.arn("iam", f"role{order.text('path', '/')}{id_}", region=""),
        "createDate": before.get("createDate", order.world.clock.text()),
        "uniqueId": before.get("uniqueId") or f"AROA{order.world.new_id('', 16).upper()}",
        "path": order.text("path", "/"),
        "maxSessionDuration": order.inputs.get("maxSessionDuration", 3600),
        "forceDetachPolicies": order.inputs.get("forceDetachPolicies", False),
    }


def _role_releases(world: Simulation, role: Record) -> None:
    for kind in (t.ROLE_ATTACHMENT, t.ROLE_POLICY):
        for record in world.store.of_kind(kind, role.key):
            if record.state.get("role") == role.id and not role.inputs.get("forceDetachPolicies"):
                raise Refusal(
                    "DeleteConflict", f"Cannot delete entity, must detach all policies first ({record.id})", source=_IAM, status=409
                )


def _require_role(order: Order) -> None:
    name = order.text("role").rsplit("/", 1)[-1]
    if order.get(t.ROLE, name) is None:
        raise Refusal("NoSuchEntity", f"The role with name {name} cannot be found.", source=_IAM, status=404)
    _document(order, "policy")


def _admit_identity_provider(order: Order) -> None:
    url = order.text("url")
    if not url.startswith(("https://", "http://127.0.0.1")):
        raise Refusal("InvalidInput", f"url {url!r} must begin with https://", source=_IAM)
    for other in order.peers():
        if other.state.get("url") == url:
            raise Refusal("EntityAlreadyExists", f"Provider with url {url} already exists.", source=_IAM, status=409)


def _bare(url: str) -> str:
    return url.split("://", 1)[-1]


KINDS = (
    Kind(
        token=t.ROLE,
        replace=frozenset({"name", "namePrefix", "path"}),
        auto_name="name",
        name_limit=64,
        everywhere=True,
        identify=lambda order: order.text("name"),
        admit=_admit_role,
        outputs=_role_outputs,
        releases=_role_releases,
    ),
    Kind(
        token=t.ROLE_ATTACHMENT,
        replace=frozenset({"role", "policyArn"}),
        everywhere=True,
        identify=lambda order: f"{order.text('role').rsplit('/', 1)[-1]}/{order.text('policyArn')}",
        admit=_require_role,
    ),
    Kind(
        token=t.ROLE_POLICY,
        replace=frozenset({"name", "namePrefix", "role"}),
        auto_name="name",
        name_limit=128,
        everywhere=True,
        identify=lambda order: f"{order.text('role')}:{order.text('name')}",
        admit=_require_role,
    ),
    Kind(
        token=t.IDENTITY_PROVIDER,
        replace=frozenset({"url"}),
        everywhere=True,
        identify=lambda order: order.arn("iam", f"oidc-provider/{_bare(order.text('url'))}", region=""),
        admit=_admit_identity_provider,
        outputs=lambda order, id_: {"arn": id_, "thumbprintLists": order.inputs.get("thumbprintLists", [])},
    ),
)
