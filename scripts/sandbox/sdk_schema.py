"""What the installed Pulumi SDKs say about a resource type: its inputs down to the leaves, what is required, its outputs.

Read by reflection of the SDK's own classes, so that the simulated providers refuse exactly what the pinned SDK does not know.
"""

from __future__ import annotations

import collections.abc
import importlib
import inspect
import keyword
import re
import sys
import threading
import types
import typing
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, cast

import pulumi
from pulumi import _types as reflection  # pyright: ignore[reportPrivateUsage]  # no public way to the SDK's property names and types

PACKAGES = {"aws": "pulumi_aws", "kubernetes": "pulumi_kubernetes", "gcp": "pulumi_gcp", "azure-native": "pulumi_azure_native"}

_importing = threading.RLock()
"""Held by every reflection: the SDKs import their modules lazily, and a second thread would see one half imported."""


@dataclass(frozen=True)
class Shape:
    """What a value may be: one of `scalars`, a list of `item`, a map of `entry`, an object of `properties`; or anything."""

    anything: bool = False
    scalars: frozenset[type] = frozenset()
    item: Shape | None = None
    entry: Shape | None = None
    record: type | None = None


ANYTHING = Shape(anything=True)


@dataclass(frozen=True)
class Properties:
    """Input properties of a class, by their Pulumi names."""

    shapes: dict[str, Shape]
    required: frozenset[str]


@dataclass(frozen=True)
class ResourceSchema:
    token: str
    inputs: Properties
    outputs: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def resource(token: str) -> ResourceSchema | None:
    """The schema of a resource type (`aws:ec2/vpc:Vpc`), or None when the installed SDK has no such type."""
    with _importing:
        cls = _class(token)
        if cls is None:
            return None
        module = sys.modules[cls.__module__]
        args = getattr(module, f"{cls.__name__}InitArgs", None) or getattr(module, f"{cls.__name__}Args", None)
        inputs = properties(args) if args is not None else Properties({}, frozenset())
        outputs = frozenset(reflection.resource_pulumi_to_py_names(cls)) - {"id", "urn"}
    return ResourceSchema(token, inputs, frozenset(n for n in outputs if not hasattr(pulumi.ProviderResource, n)))


@lru_cache(maxsize=8)
def provider(package: str) -> Properties:
    """The configuration of a package's provider."""
    with _importing:
        module = importlib.import_module(f"{PACKAGES[package]}.provider")
    return properties(module.ProviderArgs)


def _class(token: str) -> type | None:
    package, module, name = token.split(":")
    for candidate in _modules(package, module):
        try:
            found = getattr(importlib.import_module(candidate), name, None)
        except ImportError:
            continue
        if isinstance(found, type):
            return found
    return None


def _modules(package: str, module: str) -> tuple[str, ...]:
    root = PACKAGES[package]
    if package == "kubernetes":
        group, _, version = module.rpartition("/")
        group = {"helm.sh": "helm"}.get(group, re.sub(r"\.k8s\.io$", "", group).split(".")[0])
        return (f"{root}.{group}.{version}",)
    path = module.split("/", maxsplit=1)[0].replace("-", "_").replace("/", ".")
    return (root,) if path in ("", "index") else (f"{root}.{f'{path}_' if keyword.iskeyword(path) else path}",)


@lru_cache(maxsize=4096)
def properties(args: type) -> Properties:
    """Inputs of an SDK args class, nested ones included by reference."""
    with _importing:
        names = reflection.input_type_py_to_pulumi_names(args)
        kinds = cast("dict[str, Any]", reflection.input_type_types(args))
    parameters = inspect.signature(args.__init__).parameters
    required = {
        pulumi_name
        for python_name, pulumi_name in names.items()
        if python_name in parameters and parameters[python_name].default is inspect.Parameter.empty
    }
    return Properties({name: shape(kinds.get(name, Any)) for name in names.values()}, frozenset(required))


def shape(annotation: Any) -> Shape:
    """The shape that an annotation of the SDK allows on the wire."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return _union([a for a in typing.get_args(annotation) if not _plumbing(a)])
    if origin in (collections.abc.Sequence, list, typing.Sequence):
        return Shape(item=shape(typing.get_args(annotation)[0]))
    if origin in (collections.abc.Mapping, dict, typing.Mapping):
        return Shape(entry=shape(typing.get_args(annotation)[1]))
    if isinstance(annotation, type):
        return _of_class(annotation)
    return ANYTHING


def _of_class(cls: type) -> Shape:
    if issubclass(cls, Enum):
        # An SDK enum lists what it knows, not what the cloud takes: the closed lists are in `closed_sets`.
        return Shape(scalars=frozenset({str} if issubclass(cls, str) else {int, float}))
    if cls in (str, bool, int, float):
        return Shape(scalars=frozenset({cls}))
    return Shape(record=cls) if reflection.is_input_type(cls) else ANYTHING


def _union(options: list[Any]) -> Shape:
    shapes = [shape(option) for option in options]
    if not shapes or any(s.anything for s in shapes):
        return ANYTHING
    return Shape(
        scalars=frozenset[type]().union(*(s.scalars for s in shapes)),
        item=next((s.item for s in shapes if s.item), None),
        entry=next((s.entry for s in shapes if s.entry), None),
        record=next((s.record for s in shapes if s.record), None),
    )


def _plumbing(option: Any) -> bool:
    """Awaitables, Outputs, None and the TypedDict twins say nothing about the value on the wire."""
    origin = typing.get_origin(option)
    if option is type(None) or origin in (collections.abc.Awaitable, pulumi.Output) or option is pulumi.Output:
        return True
    if isinstance(option, typing.ForwardRef):
        return "Output" in option.__forward_arg__ or option.__forward_arg__.endswith("ArgsDict")
    return isinstance(option, type) and typing.is_typeddict(option)
