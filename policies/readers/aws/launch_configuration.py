"""Launch configurations: what scaling groups started from before launch templates, and still may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.inventory import MachineChoice, Market
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, text, whole

_OUTSIDE = f"a launch configuration {OUTSIDE}"


@dataclass(frozen=True)
class Configuration:
    """A launch configuration as seen from its group; its facts are unknown when it is not in the program."""

    resource: Resource | None

    @property
    def machine(self) -> Maybe[str | None]:
        if self.resource is None:
            return Unknown("launchConfiguration", _OUTSIDE)
        return text(self.resource.read("instanceType"), f"launchConfiguration({self.resource.name}).instanceType")

    @property
    def market(self) -> Maybe[Market]:
        """A price makes it spot."""
        if self.resource is None:
            return Unknown("launchConfiguration", _OUTSIDE)
        price = self.resource.read("spotPrice")
        return price if isinstance(price, Unknown) else Market.ON_DEMAND if price is None else Market.SPOT

    @property
    def disk_gib(self) -> Maybe[int | None]:
        if self.resource is None:
            return Unknown("launchConfiguration", _OUTSIDE)
        return whole(self.resource.read("rootBlockDevice", "volumeSize"), "rootBlockDevice.volumeSize")

    @property
    def disk_kind(self) -> Maybe[str | None]:
        if self.resource is None:
            return Unknown("launchConfiguration", _OUTSIDE)
        return text(self.resource.read("rootBlockDevice", "volumeType"), "rootBlockDevice.volumeType")


def used_configuration(program: Program, group: Resource) -> Configuration | None:
    """The launch configuration that `group` names, by dependency or name; None when it names none."""
    if group.read("launchConfiguration") is None:
        return None
    meant = program.resources.referred(group, "launchConfiguration", types.LAUNCH_CONFIGURATION)
    return Configuration(meant[0] if len(meant) == 1 else None)


def read_configuration(resource: Resource, program: Program) -> Iterator[MachineChoice]:
    machine = text(resource.read("instanceType"), "instanceType")
    if machine is not None:
        yield MachineChoice(urn=resource.urn, cloud="aws", region=program.region(resource), machine=machine, path="instanceType")
