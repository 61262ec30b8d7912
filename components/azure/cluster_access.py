"""Who may reach and use a cluster's API: the checks, made once for the spec and once for the component's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Literal

from components.api_access import network_problems

OBJECT_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MOST_RANGES = 200
"""Authorised ranges of a cluster. Source: AKS documentation, "Secure access to the API server using authorized IP address ranges"."""


def access_problems(
    api: Literal["public", "private"], api_cidrs: Sequence[IPv4Network], admins: Sequence[str], viewers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What would shut everyone out of the API, or let everyone in: (field, sentence) each."""
    yield from network_problems(api, api_cidrs)
    if len(api_cidrs) >= MOST_RANGES:
        yield "api_cidrs", f"names {len(api_cidrs)} networks, and AKS takes {MOST_RANGES} with the cluster's own: name larger ones"
    if not admins:
        yield "admins", "is empty: name at least the Entra group that deploys, or nobody can use the cluster (local accounts are off)"
    yield from _principal_problems(admins, viewers)


def _principal_problems(admins: Sequence[str], viewers: Sequence[str]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for field, groups in (("admins", admins), ("viewers", viewers)):
        for group in groups:
            if not OBJECT_ID.fullmatch(group):
                yield field, f"{group!r} is no object id of an Entra group: give the UUID"
            elif group.lower() in seen:
                yield field, f"{group} is named twice: name each group once, as admin or as viewer"
            seen.add(group.lower())
