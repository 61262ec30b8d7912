"""Data that outlives its cluster: what is marked and registered so that a destroy leaves it (design: data is kept on purpose)."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from components.naming import Identity, tag_key

KEPT_DATA = "data"


def kept_options(
    parent: pulumi.Resource, *, depends_on: Sequence[pulumi.Resource] = (), ignore_changes: Sequence[str] = ()
) -> pulumi.ResourceOptions:
    """Options of data, and of everything that data cannot do without: a destroy drops it from the state alone."""
    return pulumi.ResourceOptions(parent=parent, retain_on_delete=True, depends_on=list(depends_on), ignore_changes=list(ignore_changes))


def kept_tags(identity: Identity, name: str) -> dict[str, str]:
    """Tags of whatever a destroy leaves on purpose: the sweep tells it from leftovers by one of them."""
    return {**identity.tags(name), tag_key(identity.cloud, "kept"): KEPT_DATA}
