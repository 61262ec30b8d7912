"""Containers that ask for RDMA devices, in whatever kind of object they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from components.inventory import Manifest, RdmaContainer
from components.resource import Value, name_of, read
from components.unknown import Maybe, Unknown
from policies.readers.kubernetes.objects import manifests
from policies.readers.program import Program
from policies.readers.values import any_of, flag, items, text

RESOURCES = "rdma/"
_PIN = "IPC_LOCK"
_DEEPEST = 24
"""Objects nest a dozen levels at most; beyond it lies nothing that a cluster would take."""


def read_rdma_containers(program: Program) -> Iterator[RdmaContainer]:
    for manifest in program.once(manifests):
        yield from _below(manifest, manifest.body, "", 0)


def _below(manifest: Manifest, node: Value, path: str, depth: int) -> Iterator[RdmaContainer]:
    """Every container below `node`; jobs of all kinds keep them in a list of this name."""
    if depth > _DEEPEST:
        return
    if isinstance(node, Mapping):
        for key, inner in cast("Mapping[str, Value]", node).items():
            at = f"{path}.{key}" if path else str(key)
            if key == "containers" and isinstance(inner, list | tuple):
                yield from _containers(manifest, cast("Sequence[Value]", inner), at)
            else:
                yield from _below(manifest, inner, at, depth + 1)
    elif isinstance(node, list | tuple):
        for i, inner in enumerate(cast("Sequence[Value]", node)):
            yield from _below(manifest, inner, f"{path}[{i}]", depth + 1)


def _containers(manifest: Manifest, listed: Sequence[Value], path: str) -> Iterator[RdmaContainer]:
    for i, container in enumerate(listed):
        at = manifest.at(f"{path}[{i}]")
        limits = read(container, "resources", "limits")
        asked = [str(key) for key in cast("Mapping[str, Value]", limits)] if isinstance(limits, Mapping) else []
        wanted = next((name for name in asked if name.startswith(RESOURCES)), None)
        if wanted is not None:
            name = manifest.name if isinstance(manifest.name, str) else name_of(manifest.urn)
            yield RdmaContainer(urn=manifest.urn, name=name, path=at, resource=wanted, locks_memory=_locks(container, at))


def _locks(container: Value, path: str) -> Maybe[bool]:
    at = f"{path}.securityContext"
    privileged = flag(read(container, "securityContext", "privileged"), f"{at}.privileged")
    added = items(read(container, "securityContext", "capabilities", "add"), f"{at}.capabilities.add")
    if isinstance(added, Unknown):
        return any_of([privileged if isinstance(privileged, Unknown) else bool(privileged), added])
    names = [text(read(name), f"{at}.capabilities.add[{i}]") for i, name in enumerate(added)]
    claims = [name if isinstance(name, Unknown) else name in (_PIN, "ALL") for name in names]
    return any_of([privileged if isinstance(privileged, Unknown) else bool(privileged), *claims])
