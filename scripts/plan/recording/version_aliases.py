"""azure-native's own aliases: each resource says under which of the provider's API versions it may stand in a state, up to 110 of them.

The SDK turns each into an output of its own, which is nine tenths of what a registration costs. They depend on the type alone, so that they
are taken off before that, once for a type, and are written on the tape as if they had been sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pulumi
from pulumi.runtime import register_stack_transformation

AZURE = "azure-native:"


class VersionAliases:
    """Takes them off and remembers them by type."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, ...]] = {}

    def of(self, type_: str) -> tuple[str, ...]:
        """Those of a registered type, as the tape writes aliases."""
        return self._taken.get(type_, ())

    def watch(self) -> None:
        """From here on, in the running program."""
        register_stack_transformation(self._lightened)

    def _lightened(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        aliases: Sequence[Any] | None = args.opts.aliases
        if not aliases or not args.type_.startswith(AZURE):
            return None
        own = [alias for alias in aliases if not _is_version(alias)]
        if len(own) == len(aliases):
            return None
        self._taken[args.type_] = tuple(f"type={alias.type_}" for alias in aliases if _is_version(alias))
        args.opts.aliases = own  # the SDK's options are merged anew for each resource: nobody else holds them
        return pulumi.ResourceTransformationResult(args.props, args.opts)


def _is_version(alias: Any) -> bool:
    """Whether it says nothing but the same resource under another version of the API."""
    if not isinstance(alias, pulumi.Alias) or not isinstance(alias.type_, str) or not alias.type_.startswith(AZURE):
        return False
    said: tuple[Any, ...] = (alias.name, alias.parent, alias.stack, alias.project)
    return all(value is ... for value in said)
