"""Containers of a pod template: image, amounts, variables, mounts."""

from __future__ import annotations

from collections.abc import Mapping

from components.inventory import Container, Manifest
from components.unknown import Maybe, Unknown
from policies.readers.values import items, text, texts, word

from .roles import Path


def dotted(path: Path) -> str:
    """`spec.tasks[0].template`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def containers(manifest: Manifest, spec: Path, path: str) -> Maybe[tuple[Container, ...]]:
    found = items(manifest.read(*spec, "containers"), f"{path}.spec.containers")
    if isinstance(found, Unknown):
        return found
    return tuple(_container(manifest, (*spec, "containers", i)) for i in range(len(found)))


def _container(manifest: Manifest, at: Path) -> Container:
    path = manifest.at(dotted(at))
    name = text(manifest.read(*at, "name"), f"{path}.name")
    return Container(
        name=name if isinstance(name, str) else path,
        image=text(manifest.read(*at, "image"), f"{path}.image"),
        limits=texts(manifest.read(*at, "resources", "limits"), f"{path}.resources.limits"),
        requests=texts(manifest.read(*at, "resources", "requests"), f"{path}.resources.requests"),
        env=pairs(manifest, (*at, "env"), "name", "value"),
        arguments=line(manifest, at),
        mounts=pairs(manifest, (*at, "volumeMounts"), "mountPath", "name"),
        path=path,
    )


def line(manifest: Manifest, at: Path) -> Maybe[str | None]:
    """Command and arguments; unknown as a whole when one word is."""
    words: list[str] = []
    for prop in ("command", "args"):
        found = items(manifest.read(*at, prop), f"{manifest.at(dotted(at))}.{prop}")
        if isinstance(found, Unknown):
            return found
        for i in range(len(found)):
            said = word(manifest.read(*at, prop, i), f"{manifest.at(dotted(at))}.{prop}[{i}]")
            if isinstance(said, Unknown):
                return said
            words.append(said or "")
    return " ".join(words) or None


def pairs(manifest: Manifest, at: Path, key: str, value: str) -> Maybe[Mapping[str, Maybe[str | None]]]:
    """A list of objects as one mapping."""
    path = manifest.at(dotted(at))
    found = items(manifest.read(*at), path)
    if isinstance(found, Unknown):
        return found
    named: dict[str, Maybe[str | None]] = {}
    for i in range(len(found)):
        name = text(manifest.read(*at, i, key), f"{path}[{i}].{key}")
        if isinstance(name, Unknown):
            return name
        named[name or ""] = word(manifest.read(*at, i, value), f"{path}[{i}].{value}")
    return named
