"""What a program installs on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.unknown import Maybe


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A Helm release with the values that the program sets."""

    urn: str
    name: str
    chart: Maybe[str]
    version: Maybe[str | None]
    namespace: Maybe[str | None]
    values: Maybe[Mapping[str, object]]
    cluster: Maybe[str | None] = None
    timeout_s: Maybe[int | None] = None
