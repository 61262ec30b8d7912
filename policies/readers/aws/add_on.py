"""EKS add-ons: what the managed service installs, at which version and with which settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import AddOn
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import text
from policies.readers.yaml_text import document_of


def read_add_on(add_on: Resource, program: Program) -> Iterator[AddOn]:
    yield AddOn(
        urn=add_on.urn,
        name=text(add_on.read("addonName"), "addonName"),
        version=text(add_on.read("addonVersion"), "addonVersion"),
        configuration=_configuration(add_on),
        cluster=program.reference(add_on, "clusterName", add_on.read("clusterName"), types.CLUSTER),
    )


def _configuration(add_on: Resource) -> Maybe[Mapping[str, Value]]:
    """EKS takes JSON or YAML text."""
    said = text(add_on.read("configurationValues"), "configurationValues")
    if isinstance(said, Unknown) or said is None:
        return {} if said is None else said
    try:
        read: object = json.loads(said) if said.lstrip().startswith("{") else document_of(said)
    except (ValueError, RecursionError):
        return Unknown("configurationValues", "not readable: neither JSON nor YAML")
    if not isinstance(read, Mapping):
        return Unknown("configurationValues", "not readable: no object")
    return cast("Mapping[str, Value]", read)
