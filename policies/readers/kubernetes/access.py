"""Providers through which in-cluster objects are made, and stack outputs that would hand the access on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import ClusterAccess, StackOutput
from components.resource import Resource, Secret, Value
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.yaml_text import document_of

STACK = "pulumi:pulumi:Stack"
CREDENTIALS = ("token", "password", "client-key-data", "client-certificate-data", "tokenFile")
"""Keys of a kubeconfig's user that hold a credential; `exec` fetches one when it is needed."""
_MARKS = ("clusters", "current-context")


def read_access(provider: Resource, program: Program) -> Iterator[ClusterAccess]:  # noqa: ARG001 # readers have one form
    identity = provider.read("clusterIdentifier")
    yield ClusterAccess(
        urn=provider.urn,
        name=provider.name,
        fixed_identity=identity is not None,
        plain_credential=_plain_credential(provider.inputs.get("kubeconfig")),
    )


def _plain_credential(given: Value) -> Maybe[str | None]:
    if isinstance(given, Unknown):
        return given
    return None if isinstance(given, Secret) else _credential(_parsed(given))


def _parsed(given: Value) -> Value:
    """The kubeconfig as an object, written as YAML, JSON, or already taken apart; a path to a file is none."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given) if given.lstrip().startswith("{") else document_of(given)
    except (ValueError, RecursionError):
        return None


def _credential(config: Value) -> str | None:
    users: Value = cast("Mapping[str, Value]", config).get("users") if isinstance(config, Mapping) else None
    for user in cast("list[Value]", users) if isinstance(users, list) else []:
        held: Value = cast("Mapping[str, Value]", user).get("user") if isinstance(user, Mapping) else None
        for key in CREDENTIALS:
            if isinstance(held, Mapping) and isinstance(cast("Mapping[str, Value]", held).get(key), str):
                return key
    return None


def read_outputs(program: Program) -> Iterator[StackOutput]:
    """The outputs of the stack, with those that hold, or by their name should hold, a kubeconfig."""
    for stack in program.resources.of_type(STACK):
        for name, value in stack.outputs.items():
            yield StackOutput(urn=stack.urn, name=name, secret=isinstance(value, Secret), holds_kubeconfig=_is_kubeconfig(name, value))


def _is_kubeconfig(name: str, value: Value) -> Maybe[bool]:
    if "kubeconfig" in name.replace("_", "").replace("-", "").casefold():
        return True
    if isinstance(value, Unknown | Secret) or not isinstance(value, str | Mapping):
        return False
    said = _parsed(value)
    return isinstance(said, Mapping) and all(mark in said for mark in _MARKS)
