"""Who may reach a cluster's API at all: what every cloud's checks begin with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Literal


def network_problems(api: Literal["public", "private"], api_cidrs: Sequence[IPv4Network]) -> Iterator[tuple[str, str]]:
    """Networks that would shut everyone out of the API, or let everyone in: (field, sentence) each."""
    if api == "public" and not api_cidrs:
        yield "api_cidrs", "is empty: name the networks that may reach a public API, or use api: private"
    for cidr in api_cidrs:
        if cidr.prefixlen == 0:
            yield "api_cidrs", f"{cidr} is everyone: name the networks that may reach the API, or use api: private"
