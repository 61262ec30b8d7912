"""IAM at the AWS door: roles and identity providers, for looking up and for sweeping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, page, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_IAM = "IAM API reference, errors of the operation"


def _all(call: Call, kind: str) -> list[Record]:
    return call.world.store.of_kind(kind, f"aws/{call.world.account('aws')}/global")


def _find(call: Call, kind: str, id_: object, what: str) -> Record:
    record = next((r for r in _all(call, kind) if r.id == id_), None)
    if record is None:
        raise Refusal("NoSuchEntity", f"The {what} {id_} cannot be found.", source=_IAM, status=404)
    return record


def _show_role(record: Record) -> dict[str, Any]:
    state = record.state
    return {
        "Path": state["path"],
        "RoleName": record.id,
        "RoleId": state["uniqueId"],
        "Arn": state["arn"],
        "CreateDate": record.created,
        "AssumeRolePolicyDocument": quote(str(state.get("assumeRolePolicy", ""))),
        "MaxSessionDuration": state["maxSessionDuration"],
        "Tags": tag_list(record.tags),
    }


def _list_roles(call: Call) -> Mapping[str, Any]:
    items, marker = page([(r.id, _show_role(r)) for r in _all(call, t.ROLE)], call.given.get("Marker"), call.given.get("MaxItems") or 100)
    return {"Roles": items, "IsTruncated": marker is not None, "Marker": marker}


def _of_role(call: Call, kind: str) -> list[Record]:
    role = _find(call, t.ROLE, call.given.get("RoleName"), "role with name")
    return [r for r in _all(call, kind) if str(r.state.get("role", "")).rsplit("/", 1)[-1] == role.id]


def _attached(call: Call) -> Mapping[str, Any]:
    arns = [str(r.state["policyArn"]) for r in _of_role(call, t.ROLE_ATTACHMENT)]
    return {"AttachedPolicies": [{"PolicyArn": arn, "PolicyName": arn.rsplit("/", 1)[-1]} for arn in arns], "IsTruncated": False}


def _inline(call: Call) -> Mapping[str, Any]:
    return {"PolicyNames": [str(r.state["name"]) for r in _of_role(call, t.ROLE_POLICY)], "IsTruncated": False}


def _providers(call: Call) -> Mapping[str, Any]:
    return {"OpenIDConnectProviderList": [{"Arn": r.id} for r in _all(call, t.IDENTITY_PROVIDER)]}


def _provider(call: Call) -> Mapping[str, Any]:
    record = _find(call, t.IDENTITY_PROVIDER, call.given.get("OpenIDConnectProviderArn"), "identity provider")
    return {
        "Url": str(record.state["url"]).split("://", 1)[-1],
        "ClientIDList": list(record.state.get("clientIdLists") or ()),
        "ThumbprintList": list(record.state.get("thumbprintLists") or ()),
        "CreateDate": record.created,
        "Tags": tag_list(record.tags),
    }


def _delete_role(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.ROLE), _find(call, t.ROLE, call.given.get("RoleName"), "role with name"))
    return {}


def _detach(call: Call) -> Mapping[str, Any]:
    found = next((r for r in _of_role(call, t.ROLE_ATTACHMENT) if r.state["policyArn"] == call.given.get("PolicyArn")), None)
    if found is None:
        raise Refusal("NoSuchEntity", f"Policy {call.given.get('PolicyArn')} was not found.", source=_IAM, status=404)
    call.world.delete(kinds.kind(t.ROLE_ATTACHMENT), found)
    return {}


def _delete_policy(call: Call) -> Mapping[str, Any]:
    found = next((r for r in _of_role(call, t.ROLE_POLICY) if r.state["name"] == call.given.get("PolicyName")), None)
    if found is None:
        raise Refusal("NoSuchEntity", f"The role policy {call.given.get('PolicyName')} cannot be found.", source=_IAM, status=404)
    call.world.delete(kinds.kind(t.ROLE_POLICY), found)
    return {}


def _delete_provider(call: Call) -> Mapping[str, Any]:
    record = _find(call, t.IDENTITY_PROVIDER, call.given.get("OpenIDConnectProviderArn"), "identity provider")
    call.world.delete(kinds.kind(t.IDENTITY_PROVIDER), record)
    return {}


HANDLERS: Mapping[str, Handler] = {
    "DeleteRolePolicy": _delete_policy,
    "DeleteOpenIDConnectProvider": _delete_provider,
    "GetRole": lambda call: {"Role": _show_role(_find(call, t.ROLE, call.given.get("RoleName"), "role with name"))},
    "ListRoles": _list_roles,
    "ListAttachedRolePolicies": _attached,
    "ListRolePolicies": _inline,
    "ListOpenIDConnectProviders": _providers,
    "GetOpenIDConnectProvider": _provider,
    "DetachRolePolicy": _detach,
    "DeleteRole": _delete_role,
}
