"""A part of a resource that several kinds share: the same node pool stands alone or inside its cluster."""

from __future__ import annotations

from dataclasses import dataclass

from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers.values import flag, items, text, whole


@dataclass(frozen=True)
class Part:
    """What lies below `at` in a resource. Reads give the paths of the whole resource."""

    resource: Resource
    at: tuple[str | int, ...] = ()

    def read(self, *path: str | int) -> Value:
        return self.resource.read(*self.at, *path)

    def path(self, *path: str | int) -> str:
        return spelt(*self.at, *path)

    def below(self, *path: str | int) -> Part:
        return Part(self.resource, (*self.at, *path))

    def prop(self, name: str) -> str:
        """The top-level property in which `name` lies: what property dependencies are told by."""
        return str(self.at[0]) if self.at else name

    @property
    def prefix(self) -> str:
        return f"{self.path()}." if self.at else ""

    def text(self, *path: str | int) -> Maybe[str | None]:
        return text(self.read(*path), self.path(*path))

    def flag(self, *path: str | int) -> Maybe[bool | None]:
        return flag(self.read(*path), self.path(*path))

    def on(self, *path: str | int) -> Maybe[bool]:
        """A switch that is off when absent."""
        found = self.flag(*path)
        return False if found is None else found

    def whole(self, *path: str | int) -> Maybe[int | None]:
        return whole(self.read(*path), self.path(*path))

    def items(self, *path: str | int) -> Maybe[tuple[Value, ...]]:
        return items(self.read(*path), self.path(*path))

    def each(self, *path: str | int) -> Maybe[tuple[Part, ...]]:
        """The entries of a list."""
        listed = self.items(*path)
        return listed if isinstance(listed, Unknown) else tuple(self.below(*path, i) for i in range(len(listed)))


def spelt(*path: str | int) -> str:
    """`nodePools[0].nodeConfig.machineType`."""
    out = ""
    for key in path:
        out += f"[{key}]" if isinstance(key, int) else f".{key}" if out else key
    return out
