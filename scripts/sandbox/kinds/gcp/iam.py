"""Service accounts, their roles, custom roles, and the members of projects, buckets, accounts and keys. Bindings are kept, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

_IAM = "IAM API reference, projects.serviceAccounts"
_ACCOUNT_ID = re.compile(r"[a-z](?:[-a-z0-9]{4,28}[a-z0-9])")
_MEMBER = re.compile(
    r"(allUsers|allAuthenticatedUsers|(deleted:)?(user|group|serviceAccount|domain|projectOwner|projectEditor|projectViewer|principal|principalSet):.+)"
)
_OWN_ACCOUNT = re.compile(r"serviceAccount:(?P<email>[^@]+@(?P<project>[^.]+)\.iam\.gserviceaccount\.com)$")


def email(order: Order) -> str:
    return f"{order.text('accountId')}@{order.account}.iam.gserviceaccount.com"


def _account_id(order: Order) -> str:
    return f"projects/{order.account}/serviceAccounts/{email(order)}"


def _admit_account(order: Order) -> None:
    name = order.text("accountId")
    if not _ACCOUNT_ID.fullmatch(name):
        raise Refusal(
            "Error 400", f'The account ID "{name}" does not have a length between 6 and 30, or is no RFC 1035 label, badRequest',
            source="Terraform Google provider, service account: validateRFC1035Name(6, 30)",
        )  # fmt: skip
    if order.before is None and any(other.id == _account_id(order) for other in order.peers()):
        raise Refusal(
            "Error 409",
            f"Service account {name} already exists within project projects/{order.account}., alreadyExists",
            source=_IAM,
            status=409,
        )


def _account_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {"email": email(order), "name": id_, "member": f"serviceAccount:{email(order)}", "uniqueId": paths.number(order, "uniqueId")}


def accounts(order: Order) -> set[str]:
    """Addresses of the project's service accounts."""
    return {str(r.state["email"]) for r in order.world.store.of_kind(t.SERVICE_ACCOUNT, order.place.key)}


def _admit_member(order: Order) -> None:
    """A member must be one, a service account of this project must exist; other projects' are not simulated and pass."""
    member = order.text("member")
    if not _MEMBER.fullmatch(member):
        raise Refusal(
            "Error 400", f"The member {member} is of an unknown type, badRequest", source="IAM documentation, principal identifiers"
        )
    own = _OWN_ACCOUNT.match(member)
    if own is not None and own["project"] == order.account and own["email"] not in accounts(order):
        raise Refusal(
            "Error 400",
            f"Service account {own['email']} does not exist., badRequest",
            source="terraform-provider-google#9969, GoogleCloudPlatform/generative-ai#944",
        )
    if not re.fullmatch(r"(roles|(projects|organizations)/[^/]+/roles)/[\w.]+", order.text("role")):
        raise Refusal(
            "Error 400", f"Role {order.text('role')} is not supported for this resource., badRequest", source="IAM documentation, roles"
        )


def _of(target: str) -> Callable[[Order], str]:
    return lambda order: f"{order.text(target)}/{order.text('role')}/{order.text('member')}"


def _admit_target(target: str, kind: str, collection: Callable[[Order], str]) -> Callable[[Order], None]:
    def admit(order: Order) -> None:
        paths.find(order, kind, order.inputs.get(target), collection(order))
        _admit_member(order)

    return admit


def _admit_bucket_member(order: Order) -> None:
    name = order.text("bucket").removeprefix("b/")
    if order.get(t.BUCKET, name) is None:
        raise Refusal(
            "Error 404", f"The specified bucket does not exist: {name}, notFound", source="Cloud Storage JSON API, status codes", status=404
        )
    _admit_member(order)


def _bound(_: Order, __: str) -> dict[str, Any]:
    return {"etag": "simulated"}


def _member(token: str, target: str, admit: Callable[[Order], None]) -> Kind:
    fixed = frozenset({target, "role", "member", "condition"})
    return Kind(token=token, replace=fixed, identify=_of(target), admit=admit, outputs=_bound)


KINDS = (
    Kind(
        token=t.SERVICE_ACCOUNT, replace=frozenset({"accountId", "project"}), identify=_account_id, admit=_admit_account, outputs=_account_outputs,
        auto_name="accountId", name_limit=30,
    ),
    _member(t.PROJECT_MEMBER, "project", _admit_member),
    _member(t.ACCOUNT_MEMBER, "serviceAccountId", _admit_target("serviceAccountId", t.SERVICE_ACCOUNT, lambda _: "serviceAccounts")),
    _member(t.KEY_MEMBER, "cryptoKeyId", _admit_target("cryptoKeyId", t.KEY, lambda _: "locations/global/keyRings")),
    _member(t.BUCKET_MEMBER, "bucket", _admit_bucket_member),
    Kind(
        token=t.CUSTOM_ROLE, replace=frozenset({"roleId", "project"}), identify=lambda order: f"projects/{order.account}/roles/{order.text('roleId')}",
        outputs=lambda _, id_: {"name": id_, "deleted": False},
    ),
)  # fmt: skip
