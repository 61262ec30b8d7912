"""Properties with a closed list of values. The lists are the clouds' own API models, as botocore and Google's discovery documents have them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from scripts.sandbox import wire
from scripts.sandbox.kinds.kind import Kind
from scripts.sandbox.schema_check import Failure, nearest


def _botocore(service: str, shape: str) -> tuple[str, ...]:
    import botocore.session

    model = cast("Any", botocore.session.get_session()).get_service_model(service)
    return tuple(model.shape_for(shape).enum)


def _google(service: str, shape: str) -> tuple[str, ...]:
    from scripts.sandbox.kinds.gcp import enums

    return enums.values(service, shape)


def _azure(service: str, shape: str) -> tuple[str, ...]:
    models = importlib.import_module(f"azure.mgmt.{service}.models")
    return tuple(str(member.value) for member in getattr(models, shape))


_MODELS: Mapping[str, Callable[[str, str], tuple[str, ...]]] = {"aws": _botocore, "gcp": _google, "azure-native": _azure}
"""By Pulumi package: (service, shape) to the values that the cloud takes."""


@lru_cache(maxsize=64)
def allowed(package: str, service: str, shape: str) -> tuple[str, ...]:
    return _MODELS[package](service, shape)


def check(kind: Kind, inputs: Mapping[str, Any]) -> list[Failure]:
    """Every value that is in no closed list of its property."""
    found: list[Failure] = []
    for path, (service, shape) in kind.closed_sets.items():
        choices = allowed(kind.token.partition(":")[0], service, shape)
        for where, value in _at(inputs, path.split("."), ""):
            if isinstance(value, str) and value not in choices:
                found.append(Failure(where, f"{value!r} is not one of {', '.join(choices)}{nearest(value, dict.fromkeys(choices))}"))
    return found


def _at(node: Any, path: list[str], where: str) -> Iterator[tuple[str, Any]]:
    node = wire.plain(node)
    if wire.is_unknown(node) or node is None:
        return
    if not path:
        items = cast("list[Any]", node) if isinstance(node, list) else None
        yield from [(where, node)] if items is None else [(f"{where}[{i}]", v) for i, v in enumerate(items) if not wire.is_unknown(v)]
        return
    name, *rest = path
    if not isinstance(node, dict):
        return
    inner = cast("dict[str, Any]", node).get(name.removesuffix("[]"))
    at = f"{where}.{name.removesuffix('[]')}" if where else name.removesuffix("[]")
    if name.endswith("[]") and isinstance(inner, list):
        for index, item in enumerate(cast("list[Any]", inner)):
            yield from _at(item, rest, f"{at}[{index}]")
    else:
        yield from _at(inner, rest, at)
