"""Compute Engine instance templates, and what an instance takes from its own properties or from the template that it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.inventory import Accelerator, MachineChoice, Market
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, first

from .node_config import accelerators
from .parts import Part
from .places import region, short
from .references import reference

SPECIFIC = "SPECIFIC_RESERVATION"
SCRATCH = "SCRATCH"
"""Type of a local SSD."""
_MARKETS = {"STANDARD": Market.ON_DEMAND, "SPOT": Market.SPOT, "FLEX_START": Market.FLEX_START, "RESERVATION_BOUND": Market.RESERVATION}
"""`scheduling.provisioningModel`."""


@dataclass(frozen=True)
class Template:
    """An instance template as seen from what starts from it: unknown when it is not in the program."""

    resource: Resource | None
    prop: str

    @property
    def machine(self) -> Maybe[str | None]:
        return machine(Part(self.resource)) if self.resource else self._outside

    @property
    def market(self) -> Maybe[Market]:
        return market(Part(self.resource)) if self.resource else self._outside

    @property
    def accelerators(self) -> Maybe[tuple[Accelerator, ...]]:
        return accelerators(Part(self.resource)) if self.resource else self._outside

    @property
    def disk(self) -> tuple[Maybe[int | None], Maybe[str | None]]:
        return disks(Part(self.resource)) if self.resource else (self._outside, self._outside)

    @property
    def _outside(self) -> Unknown:
        return Unknown(self.prop, f"an instance template {OUTSIDE}")

    def where(self, path: str) -> str:
        return f"{self.prop}({self.resource.name}).{path}" if self.resource else self.prop


def used_template(part: Part, key: str, program: Program) -> Template | None:
    """The template that `key` names; None when it names none."""
    prop, path = part.prop(key), part.path(key)
    named = reference(program, part.resource, prop, part.read(key), path, *gcp_types.TEMPLATES)
    return None if named is None else Template(program.resources.by_urn.get(named) if isinstance(named, str) else None, path)


def machine(part: Part) -> Maybe[str | None]:
    return short(part.read("machineType"), part.path("machineType"))


def market(part: Part) -> Maybe[Market]:
    model = part.text("scheduling", "provisioningModel")
    if isinstance(model, Unknown):
        return model
    if model is not None and model not in _MARKETS:
        return Unknown(part.path("scheduling", "provisioningModel"), f"{model!r}, which is none of {', '.join(_MARKETS)}")
    preempted = part.on("scheduling", "preemptible")
    if isinstance(preempted, Unknown) or preempted:
        return preempted if isinstance(preempted, Unknown) else Market.SPOT
    bought = _MARKETS[model] if model else Market.ON_DEMAND
    kind = part.text("reservationAffinity", "type")
    if bought is Market.ON_DEMAND and (isinstance(kind, Unknown) or kind == SPECIFIC):
        return kind if isinstance(kind, Unknown) else Market.RESERVATION
    return bought


def disks(part: Part) -> tuple[Maybe[int | None], Maybe[str | None]]:
    """Sum of the template's disks in GiB, without local SSD, and the kind of the first. None: the image decides."""
    listed = part.each("disks")
    if isinstance(listed, Unknown):
        return listed, listed
    total = 0
    for entry in listed:
        size = 0 if entry.text("type") == SCRATCH else entry.whole("diskSizeGb")
        if isinstance(size, Unknown):
            return size, entry.text("diskType")
        total += size or 0
    return total or None, short(part.read("disks", 0, "diskType"), part.path("disks", 0, "diskType"))


def read_template(resource: Resource, program: Program) -> Iterator[MachineChoice]:
    """Holds whether something of this program starts from it or not."""
    found = machine(Part(resource))
    if found is not None:
        where = region(resource, program, "region")
        yield MachineChoice(urn=resource.urn, cloud="gcp", region=where, machine=found, path="machineType")


def chosen(own: Maybe[str | None], template: Template | None) -> Maybe[str | None]:
    """The instance's own machine goes before the template's."""
    return first(own, template.machine if template else None)
