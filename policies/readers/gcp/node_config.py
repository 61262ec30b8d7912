"""`nodeConfig`: machine, accelerators, image, disk, labels and the way its capacity is bought. The same in pools and clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from components import catalog
from components.inventory import Accelerator, Affinity, Image, Market
from components.resource import read
from components.unknown import Maybe, Unknown, known
from policies.readers import gcp_types
from policies.readers.pools import plain
from policies.readers.program import Program
from policies.readers.values import any_of, first, given, text, whole

from .parts import Part
from .places import short
from .references import references

DEFAULT_MACHINE, DEFAULT_DISK_GIB, DEFAULT_DISK_KIND = "e2-medium", 100, "pd-balanced"
"""What GKE takes when the program names none (pulumi-gcp 10.2.0, `NodePoolNodeConfig`)."""
DEFAULT_IMAGE = "COS_CONTAINERD"
NO_DRIVER = "INSTALLATION_DISABLED"
DRIVERS = ("LATEST", "DEFAULT", NO_DRIVER)
SPECIFIC, ANY_OR_FAIL = "SPECIFIC_RESERVATION", "ANY_RESERVATION_THEN_FAIL"


def machine(config: Part) -> Maybe[str]:
    found = short(config.read("machineType"), config.path("machineType"))
    return DEFAULT_MACHINE if found is None else found


def accelerators(part: Part, *path: str | int) -> Maybe[tuple[Accelerator, ...]]:
    """Entries of a `guestAccelerators` list."""
    listed = part.each(*(path or ("guestAccelerators",)))
    return listed if isinstance(listed, Unknown) else tuple(_accelerator(entry) for entry in listed)


def _accelerator(entry: Part) -> Accelerator:
    kind = short(first(entry.read("type"), entry.read("acceleratorType")), entry.path("type"))
    count = first(whole(first(entry.read("count"), entry.read("acceleratorCount")), entry.path("count")), 1)
    return Accelerator(
        kind=given(kind, entry.path("type"), "not given"),
        count=given(count, entry.path("count"), "not given"),
        driver=entry.text("gpuDriverInstallationConfig", "gpuDriverVersion"),
        partition=entry.text("gpuPartitionSize"),
        path=entry.path(),
    )


def attached(machine_type: Maybe[str], listed: Maybe[tuple[Accelerator, ...]]) -> Maybe[tuple[Accelerator, ...]]:
    """GPUs beside the machine's own: all that is listed for a machine that has none for certain."""
    return listed if known(machine_type) and plain("gcp", machine_type) else ()


def cloud_driver(listed: Maybe[tuple[Accelerator, ...]]) -> Maybe[bool]:
    """Whether GKE installs the driver: it does unless every entry says INSTALLATION_DISABLED (1.30.1-gke.1156000 and later)."""
    if isinstance(listed, Unknown):
        return listed
    return any_of([_installs(entry.driver, entry.path) for entry in listed]) if listed else True


def _installs(word: Maybe[str | None], path: str) -> Maybe[bool]:
    if isinstance(word, Unknown) or word is None:
        return True if word is None else word
    if word not in DRIVERS:
        return Unknown(f"{path}.gpuDriverInstallationConfig.gpuDriverVersion", f"{word!r}, which is none of {', '.join(DRIVERS)}")
    return word != NO_DRIVER


def image(config: Part) -> Image:
    path = config.path("imageType")
    word = config.text("imageType")
    if isinstance(word, Unknown):
        return Image(kind=word, driver=word, toolkit=word, path=path)
    kind = (word or DEFAULT_IMAGE).upper()
    row = catalog.image("gcp", kind)
    if row is None:
        strange = Unknown(path, f"{word!r}, which the catalogue does not know")
        return Image(kind=kind, driver=strange, toolkit=strange, path=path)
    return Image(kind=kind, driver=row.driver, toolkit=row.toolkit, path=path)


def disk(config: Part, machine_type: Maybe[str]) -> tuple[Maybe[int], Maybe[str]]:
    """Size in GiB and kind of the boot disk: Hyperdisk by default on machines that take nothing else."""
    gib = first(config.whole("bootDisk", "sizeGb"), config.whole("diskSizeGb"), DEFAULT_DISK_GIB)
    kind = first(config.text("bootDisk", "diskType"), config.text("diskType"), _usual_disk(machine_type))
    return given(gib, "diskSizeGb", "not given"), given(kind, "diskType", "not given")


def _usual_disk(machine_type: Maybe[str]) -> str:
    row = catalog.find_machine("gcp", machine_type) if known(machine_type) else None
    sold = catalog.gke_machines.gke_machine(row) if row is not None else None
    return sold.boot_disk if sold is not None else DEFAULT_DISK_KIND


def labels(config: Part, *path: str) -> Maybe[Mapping[str, Maybe[str]]]:
    written, where = config.read(*path), config.path(*path)
    if written is None or isinstance(written, Unknown):
        return {} if written is None else written
    if not isinstance(written, Mapping):
        return Unknown(where, "not readable: no object")
    listed = cast("Mapping[object, object]", written)
    return {str(key): given(text(read(value), f"{where}.{key}"), f"{where}.{key}", "empty") for key, value in listed.items()}


def taints(config: Part) -> Maybe[tuple[str, ...]]:
    listed = config.each("taints")
    if isinstance(listed, Unknown):
        return listed
    found: list[str] = []
    for taint in listed:
        words = [first(taint.text(key), "") for key in ("key", "value", "effect")]
        unknown = next((word for word in words if isinstance(word, Unknown)), None)
        if unknown is not None:
            return unknown
        found.append(f"{words[0]}={words[1]}:{words[2]}")
    return tuple(found)


def affinity(config: Part, program: Program) -> Affinity:
    at = config.below("reservationAffinity")
    names = at.items("values")
    if not isinstance(names, Unknown):
        prop = config.prop("nodeConfig")
        names = references(program, config.resource, prop, names, at.path("values"), gcp_types.RESERVATION)
    return Affinity(kind=at.text("consumeReservationType"), key=at.text("key"), names=names)


def market(config: Part, queued: Maybe[bool]) -> Maybe[Market]:
    """How the nodes are bought. ANY_RESERVATION falls back to on-demand, so that is what it counts as."""
    spot = any_of([config.on("spot"), config.on("preemptible")])
    flex = config.on("flexStart")
    reserved = _reserved(config)
    for claim, meant in ((spot, Market.SPOT), (flex, Market.FLEX_START), (queued, Market.QUEUED), (reserved, Market.RESERVATION)):
        if isinstance(claim, Unknown):
            return claim
        if claim:
            return meant
    return Market.ON_DEMAND


def _reserved(config: Part) -> Maybe[bool]:
    word = config.text("reservationAffinity", "consumeReservationType")
    return word if isinstance(word, Unknown) else word in (SPECIFIC, ANY_OR_FAIL)
