"""What differs between the packages at the provider door: how they are configured and what their objects are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from scripts.sandbox import clouds, kinds, wire
from scripts.sandbox.kinds import kubernetes as kubernetes_kind
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider.connections import Connection
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Given, Simulation
from scripts.sandbox.store import Record

Answer = Callable[[Simulation, Place, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Package:
    """One package's own ways."""

    name: str
    distribution: str
    configure: Callable[[Simulation, Mapping[str, Any]], Connection]
    place: Callable[[Connection, Kind, Mapping[str, Any], str], Place]
    """Where an object lives, from the connection, its inputs and its id ("" before it has one)."""
    extras: Callable[[Connection, Order], Extras] = lambda _, __: Extras()
    complete: Callable[[Connection, str, dict[str, Any]], None] = lambda *_: None
    """Fills in inputs of a type (its token) that the provider's settings give, when a program does not."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """The data sources that it answers: a closed list, by token."""
    identity: frozenset[str] = frozenset()
    """Provider settings whose change makes another provider, whose objects are replaced."""


@dataclass(frozen=True)
class Extras:
    """What a package adds to every object: the tags that it finally has, and outputs that its schema may name."""

    tags: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)


NAMES = ("aws", "azure-native", "gcp", "kubernetes")


@lru_cache(maxsize=8)
def package(name: str) -> Package:
    """A package's ways, read when its provider is first asked."""
    return importlib.import_module(f"scripts.sandbox.provider.{name.replace('-', '_')}").PACKAGE


def create(world: Simulation, order: Order, given: Given) -> Record:
    if is_object(order.token):
        return kubernetes_kind.create(world, order, given.inputs)
    return world.create(kinds.kind(order.token), order, given=given)


def update(world: Simulation, order: Order, given: Given) -> Record:
    if is_object(order.token):
        return kubernetes_kind.update(world, order, given.inputs)
    return world.update(kinds.kind(order.token), order, given=given)


def delete(world: Simulation, record: Record) -> None:
    if is_object(record.kind):
        kubernetes_kind.delete(world, record)
    else:
        world.delete(kinds.kind(record.kind), record)


def is_object(token: str) -> bool:
    return token.startswith("kubernetes:") and token != t.RELEASE


def require_reachable(world: Simulation, connection: Connection) -> None:
    """Raises Refusal when the connection's cluster does not answer: absent, not ready, or cut off by a fault."""
    if connection.place.cluster and clouds.cluster_of(world, connection.place) is None:
        raise Refusal(
            "Unreachable",
            f"configured Kubernetes cluster is unreachable: unable to load schema information from the API server at {connection.server}",
            source="pulumi-kubernetes, provider.go: configured Kubernetes cluster is unreachable",
        )


@dataclass(frozen=True)
class Naming:
    """What a new name is made of: the resource's name in the program, a random suffix, or what the engine proposes."""

    name: str
    suffix: str
    proposed: str = ""


def auto_named(token: str, news: dict[str, Any], olds: Mapping[str, Any], naming: Naming) -> None:
    """Fill in a name where the program gives none, the same one as before where there was one; marks it in `__defaults`."""
    if is_object(token):
        _object_name(news, olds, naming)
        return
    kind = kinds.kind(token)
    field = kind.auto_name
    if field is None or news.get(field) is not None or news.get(f"{field}Prefix") is not None:
        return
    kept = olds.get(field) if field in (olds.get("__defaults") or ()) else None
    news[field] = kept or naming.proposed or kind.auto_form(naming.name[: kind.name_limit - 8], naming.suffix)
    news["__defaults"] = [field]


def _object_name(news: dict[str, Any], olds: Mapping[str, Any], naming: Naming) -> None:
    metadata = news.get("metadata")
    if wire.is_unknown(metadata) or wire.is_secret(metadata):
        return
    metadata = dict(metadata or {})
    if metadata.get("name") is None and metadata.get("generateName") is None:
        old: Mapping[str, Any] = olds.get("metadata") or {}
        auto = (old.get("annotations") or {}).get("pulumi.com/autonamed") == "true"
        metadata["name"] = old.get("name") if auto else f"{naming.name}-{naming.suffix}"
        metadata["annotations"] = {**(metadata.get("annotations") or {}), "pulumi.com/autonamed": "true"}
    news["metadata"] = metadata
