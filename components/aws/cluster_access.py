"""Who may reach and use a cluster's API: the checks, made once for the spec and once for the component's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Literal

from components.api_access import network_problems

PRINCIPAL = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+")


def access_problems(
    api: Literal["public", "private"], api_cidrs: Sequence[IPv4Network], admins: Sequence[str], viewers: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What would shut everyone out of the API, or let everyone in: (field, sentence) each."""
    yield from network_problems(api, api_cidrs)
    if not admins:
        yield "admins", "is empty: name at least the IAM role that deploys, or nobody can use the cluster"
    yield from _principal_problems(admins, viewers)


def _principal_problems(admins: Sequence[str], viewers: Sequence[str]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for field, arns in (("admins", admins), ("viewers", viewers)):
        for arn in arns:
            if not PRINCIPAL.fullmatch(arn):
                yield field, f"{arn!r} is no IAM role or user: give arn:aws:iam::<account>:role/<name>"
            elif arn in seen:
                yield field, f"{arn} is named twice: name each principal once, as admin or as viewer"
            seen.add(arn)


def principal_name(arn: str) -> str:
    """`arn:aws:iam::123456789012:role/team/platform` as part of a logical name: account, kind and path."""
    return arn.split(":", 4)[4].replace(":", "-").replace("/", "-")
