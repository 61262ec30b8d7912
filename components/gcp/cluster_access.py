"""Who may reach and use a cluster's API: the checks, and the names under which Kubernetes knows Google's identities.

Source: GKE documentation, "Authorize actions in clusters using GKE RBAC" and "Configure Google Groups for RBAC".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

from components.api_access import network_problems

Kind = Literal["User", "Group"]


@dataclass(frozen=True, kw_only=True)
class Identified:
    """One identity of the stack file."""

    email: str
    kind: Kind
    """As RBAC names it; a service account is a user."""
    member: str
    """As IAM names it: `user:…`, `group:…`, `serviceAccount:…`."""

    @property
    def word(self) -> str:
        """Part of a logical name."""
        return self.email.replace("@", "-at-").replace(".", "-")


def identified(written: str) -> Identified:
    """A bare address is a service account's where Google's own domain for them says so, else a person's."""
    prefix, _, email = written.rpartition(":")
    kind = prefix or ("serviceAccount" if email.endswith(".gserviceaccount.com") else "user")
    return Identified(email=email, kind="Group" if kind == "group" else "User", member=f"{kind}:{email}")


def access_problems(
    api: Literal["public", "private"], api_cidrs: Sequence[IPv4Network], admins: Sequence[str], viewers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What would shut everyone out of the API, or let everyone in: (field, sentence) each."""
    yield from network_problems(api, api_cidrs)
    seen: set[str] = set()
    for field, written in (("admins", admins), ("viewers", viewers)):
        for who in written:
            email = identified(who).email
            if email in seen:
                yield field, f"{email} is named twice: name each identity once, as admin or as viewer"
            seen.add(email)


def groups_domain(identities: Sequence[str]) -> str | None:
    """Domain of the groups, whose members GKE finds through the group `gke-security-groups` of that domain; None without groups."""
    groups = [who.email for who in map(identified, identities) if who.kind == "Group"]
    return groups[0].rpartition("@")[2] if groups else None
