"""Values of one pool that Google would refuse, or that do not go with each other there."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog, naming
from components.catalog import Machine
from components.catalog.gke_machines import gke_machine
from components.ownership import TPU_VENDOR
from components.refusals import SpecError, tried
from components.spec import Calendar, FlexStart, OwnPlacement, Pool, Queued, Reservation, Spec

from . import outline
from .fabric_choice import wants_fabric
from .gpu_sharing import gpu_sharing
from .tpu import NoSuchSlice, TpuSlice, tpu_slice
from .unbuilt import NOT_YET

UNBUILT_FAMILIES = {
    "a4x-highgpu": "its NVLink domains need ComputeDomains",
    "a4x-maxgpu": "its NVLink domains need ComputeDomains",
}
GOOGLES_LABELS = "cloud.google.com/"
MINORS = {"dranet": "1.34", "tpu_flex": "1.33"}
"""Oldest minor version of GKE with the feature (some of its first patches lack it, which no channel offers any more)."""


def pool_problems(path: str, spec: Spec, pool: Pool, region: str) -> list[SpecError]:
    """Everything about the pool at `path`: first its machine, then what goes with it."""
    found = [*_names(path, spec, pool), *_machine(path, pool, region)]
    return found or [*_goes_with(path, spec, pool, _the_machine(pool))]


def _names(path: str, spec: Spec, pool: Pool) -> Iterator[SpecError]:
    yield from tried(f"{path}.name", pool.name, lambda: naming.pool_name("gcp", spec.name, pool.name))
    for key in pool.labels:
        if key.startswith(GOOGLES_LABELS) or key == outline.NO_PLUGIN_LABEL:
            yield SpecError(path=f"{path}.labels", value=key, message="is set by GKE or by gpukit itself: leave it out")


def _machine(path: str, pool: Pool, region: str) -> Iterator[SpecError]:
    if len(pool.machine_types) > 1:
        message = "a GKE node pool has one machine type: make a pool for each machine"
        yield SpecError(path=f"{path}.machines", value=", ".join(pool.machine_types), message=message)
        return
    machine, where = _the_machine(pool), f"{path}.machine"
    if why := _unbuilt(machine):
        yield SpecError(path=where, value=machine.name, message=f"{NOT_YET}: {why}")
        return
    regions = catalog.regions("gcp", machine.name)
    if regions and region not in regions:  # D8
        message = f"is not offered in {region}: choose a region that has it"
        yield SpecError(path=where, value=machine.name, message=message, allowed=regions)
    yield from _mode(path, pool, machine)


def _the_machine(pool: Pool) -> Machine:
    return catalog.machine("gcp", next(iter(pool.machine_types)))


def _unbuilt(machine: Machine) -> str | None:
    if machine.family in UNBUILT_FAMILIES:
        return UNBUILT_FAMILIES[machine.family]
    if gke_machine(machine) is None:
        return "how GKE spells its node pools is not established"
    return "a part of a GPU is lent by vGPU" if 0 < machine.gpu_count < 1 else None


def _mode(path: str, pool: Pool, machine: Machine) -> Iterator[SpecError]:
    kind = gke_machine(machine)
    if kind is not None and kind.modes and pool.capacity.mode not in kind.modes:
        message = f"{machine.name} is not sold that way"
        yield SpecError(path=f"{path}.capacity.mode", value=pool.capacity.mode, message=message, allowed=kind.modes)


def _goes_with(path: str, spec: Spec, pool: Pool, machine: Machine) -> Iterator[SpecError]:
    yield from _capacity(path, pool, machine)
    yield from _fabric(path, spec, pool, machine)
    yield from _tpu(path, spec, pool, machine)
    owners = outline.owners_of(spec, pool, machine, fabric=False)
    yield from tried(
        f"{path}.sharing", pool.sharing, lambda: gpu_sharing(pool.sharing, machine, owners, grows_from_zero=pool.nodes.min == 0)
    )


def _capacity(path: str, pool: Pool, machine: Machine) -> Iterator[SpecError]:
    """What capacity that lends no node beyond its own does not go with."""
    capacity = pool.capacity
    if not isinstance(capacity, FlexStart | Queued | Reservation | Calendar):
        return
    if pool.updates == "surge":
        message = f"{capacity.mode} capacity has no spare node to start first, so that the update would hang (D13): use in_place"
        yield SpecError(path=f"{path}.updates", value=pool.updates, message=message)
    if isinstance(capacity, Reservation) and capacity.nodes is not None:
        message = "nodes start in the reservation or not at all: leave it out, and set nodes.max to the number of reserved nodes"
        yield SpecError(path=f"{path}.capacity.nodes", value=str(capacity.nodes), message=message)
    kind = gke_machine(machine)
    compact = pool.placement == "own" or isinstance(pool.placement, OwnPlacement)
    if compact and (isinstance(capacity, Queued) or (isinstance(capacity, FlexStart) and not (kind and kind.compact_flex))):
        word = pool.placement if isinstance(pool.placement, str) else "{group: …}"
        message = f"{capacity.mode} nodes of {machine.name} are not placed compactly: use auto"
        yield SpecError(path=f"{path}.placement", value=word, message=message)


def _fabric(path: str, spec: Spec, pool: Pool, machine: Machine) -> Iterator[SpecError]:
    wired = wants_fabric(spec, pool, machine)
    if pool.fabric == "dranet" and machine.fabric != "rdma":
        message = f"GKE manages RDMA networks, which {machine.name} has not: use auto or none"
        yield SpecError(path=f"{path}.fabric", value=pool.fabric, message=message)
    elif pool.fabric == "dranet" and _older(spec.kubernetes_version, MINORS["dranet"]):
        message = f"needs GKE {MINORS['dranet']} or later: use auto, or a later kubernetes_version"
        yield SpecError(path=f"{path}.fabric", value=pool.fabric, message=message)
    if wired and pool.image == "ubuntu":
        message = f"{NOT_YET} with a fabric, whose installers are made for Container-Optimized OS: use auto, or set fabric: none"
        yield SpecError(path=f"{path}.image", value=pool.image, message=message)


def _tpu(path: str, spec: Spec, pool: Pool, machine: Machine) -> Iterator[SpecError]:
    if machine.vendor != TPU_VENDOR:
        return
    try:
        made = tpu_slice(pool, machine)
    except NoSuchSlice as error:
        yield SpecError(path=f"{path}.topology", value=str(pool.topology), message=str(error))
        return
    if pool.image == "ubuntu":
        yield SpecError(path=f"{path}.image", value=pool.image, message=f"{NOT_YET} on TPU nodes: use auto")
    if isinstance(pool.capacity, FlexStart | Queued) and _older(spec.kubernetes_version, MINORS["tpu_flex"]):
        message = f"TPU nodes start that way from GKE {MINORS['tpu_flex']} on: take a later kubernetes_version"
        yield SpecError(path=f"{path}.capacity.mode", value=pool.capacity.mode, message=message)
    if made is not None and made.several_hosts:
        yield from _slice_size(path, pool, made)


def _slice_size(path: str, pool: Pool, made: TpuSlice) -> Iterator[SpecError]:
    """A slice of several hosts is there with all of them or not at all."""
    if pool.nodes.max != made.hosts or pool.nodes.min not in (0, made.hosts):
        message = f"a {made.topology} slice is {made.hosts} nodes, which come and go together: write {{min: 0, max: {made.hosts}}}"
        yield SpecError(path=f"{path}.nodes", value=f"{pool.nodes.min} to {pool.nodes.max}", message=message)
    if pool.placement not in ("auto", "none"):
        message = "the nodes of a slice are placed by its topology: use auto"
        yield SpecError(path=f"{path}.placement", message=message)


def _older(minor: str, least: str) -> bool:
    return tuple(map(int, minor.split("."))) < tuple(map(int, least.split(".")))
