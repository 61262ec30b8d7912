"""Machines, zones and options of the pools of a stack file against the catalogue and their cloud."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from components import naming
from components.catalog import Machine, UnknownName, find_machine, machines
from components.inventory import CLOUDS, Cloud, Market
from components.refusals import Verdict, nearest, verdict

from . import Mig, OwnPlacement, Pool, Spec, TimeSlices, TrainingSpec, capacity_checks
from .network_checks import is_zone_id, zone_form

IMAGES: dict[Cloud, tuple[str, ...]] = {
    "aws": ("auto", "al2023", "bottlerocket", "ubuntu"),
    "gcp": ("auto", "cos", "ubuntu"),
    "azure": ("auto", "ubuntu", "azurelinux"),
}
"""Words for node images. Whether an image fits a machine is the catalogue's to say."""
TPU_VENDOR = "Google"


@dataclass(frozen=True, kw_only=True)
class PoolAt:
    """A pool where it stands, with the machines of it that the catalogue knows."""

    spec: Spec
    index: int
    machines: tuple[Machine, ...]

    @property
    def pool(self) -> Pool:
        return self.spec.pools[self.index]

    @property
    def cloud(self) -> Cloud:
        return self.spec.cloud

    def path(self, field: str) -> str:
        return f"pools[{self.index}].{field}"

    def machine_paths(self) -> tuple[str, ...]:
        return self.path("machine"), self.path("machines")


def check(spec: Spec, region: str | None) -> Iterator[Verdict]:
    """Refusals of `system` and `pools`."""
    yield from _system(spec)
    for index, pool in enumerate(spec.pools):
        known = (find_machine(spec.cloud, name) for name in pool.machine_types)
        at = PoolAt(spec=spec, index=index, machines=tuple(m for m in known if m is not None))
        if pool.name == naming.SYSTEM_POOL:
            yield verdict(at.path("name"), pool.name, "is the name of the pool for the cluster's own pods: choose another")
        yield from _machines(at)
        yield from _zone(at, region)
        yield from capacity_checks.check(at)
        yield from _sharing(at)
        yield from _options(at)


def _system(spec: Spec) -> Iterator[Verdict]:
    name, nodes = spec.system.machine, spec.system.nodes
    if nodes.min == 0:
        yield verdict("system.nodes.min", 0, "the cluster's own pods always need a node: give at least 1")
    if name is None:
        return
    found = find_machine(spec.cloud, name)
    if found is not None and found.accelerated:
        why = f"carries {found.gpu_count:g} {found.gpu_model}, paid for by pods that use none: take a CPU machine"
        yield verdict("system.machine", name, why, "cloud")
    elif found is None and any(not m.accelerated for m in machines(spec.cloud)):
        yield from _unknown_machine("system.machine", spec.cloud, name, accelerated=False)


def _machines(at: PoolAt) -> Iterator[Verdict]:
    pool, single, several = at.pool, *at.machine_paths()
    if pool.machine is None and not pool.machines:
        yield verdict(single, None, "is missing: name the machine type, as the cloud spells it", several)
    if pool.machine is not None and pool.machines:
        yield verdict(several, pool.machines, "stands beside machine: give one of the two", single)
        return
    for where, name in _named(at):
        found = find_machine(at.cloud, name)
        if found is None and not _may_be_tpu(at):
            yield from _unknown_machine(where, at.cloud, name, accelerated=True)
        elif found is not None and not found.accelerated:
            yield verdict(where, name, "has no GPU, and these pools are GPU pools: CPU work runs on the system pool", "cloud")
    if pool.machines:
        yield from _alternatives(at, several)


def _named(at: PoolAt) -> Iterator[tuple[str, str]]:
    if at.pool.machine is not None:
        yield at.path("machine"), at.pool.machine
    for index, name in enumerate(at.pool.machines):
        yield f"{at.path('machines')}[{index}]", name


def _may_be_tpu(at: PoolAt) -> bool:
    """While the catalogue lists no TPU, a machine with a topology cannot be called unknown."""
    return at.cloud == "gcp" and at.pool.topology is not None and not any(m.vendor == TPU_VENDOR for m in machines("gcp"))


def _unknown_machine(path: str, cloud: Cloud, name: str, *, accelerated: bool) -> Iterator[Verdict]:
    """Near names are those that may stand there: no CPU machine for a pool of GPUs, no GPU machine for the system pool."""
    home = next((other for other in CLOUDS if other != cloud and find_machine(other, name)), None)
    if home is not None:
        yield verdict(path, name, f"is a machine of {home}, and this cluster runs on {cloud}", "cloud")
        return
    fitting = [m.name for m in machines(cloud) if m.accelerated is accelerated]
    near = " or ".join(UnknownName(f"{cloud} machine", name, fitting).nearest or _with_gpu(cloud, name)) or None
    lists = "" if near else f": `gpukit catalog machines --cloud {cloud}` lists them"
    yield verdict(path, name, f"is no {cloud} machine that the catalogue knows{lists}", "cloud", near=near)


def _with_gpu(cloud: Cloud, word: str) -> tuple[str, ...]:
    """Up to three machines whose GPU somebody wrote in the machine's place (`h100`)."""
    gpu = word.casefold()
    return tuple(m.name for m in machines(cloud) if gpu and m.accelerated and (m.gpu_model or "").casefold().startswith(gpu))[:3]


def _alternatives(at: PoolAt, path: str) -> Iterator[Verdict]:
    pool, mode = at.pool, at.path("capacity.mode")
    if pool.market is not Market.SPOT:
        yield verdict(path, pool.machines, f"alternatives serve spot pools only, and this one is {pool.market}: name one machine", mode)
    wired = [m.name for m in at.machines if m.fabric is not None]
    if wired and pool.fabric == "auto":
        why = f"{', '.join(wired)} would come with a fast fabric, whose layout differs by machine: name one machine, or set fabric: none"
        yield verdict(path, pool.machines, why, "cloud", at.path("fabric"))
    if len(set(pool.machines)) < len(pool.machines):
        yield verdict(path, pool.machines, "names a machine twice: keep one")
    if len({m.arch for m in at.machines}) > 1:
        yield verdict(path, pool.machines, "mixes x86_64 and arm64 machines, which need different images: make two pools", "cloud")


def _zone(at: PoolAt, region: str | None) -> Iterator[Verdict]:
    pool, path = at.pool, at.path("zone")
    if pool.zone is None:
        if isinstance(at.spec, TrainingSpec) and at.cloud != "azure":
            # A8, F7: placement groups and collectives end at a zone's border.
            why = "is missing: the nodes of a training pool live in one zone, and capacity differs by zone"
            yield verdict(path, None, why, "cloud", "workload", allowed=_zones(at.spec))
        return
    misplaced = tuple(zone_form(path, pool.zone, at.cloud, region))
    yield from misplaced
    zones = _zones(at.spec)
    if misplaced or not zones or pool.zone in zones:
        return
    if at.cloud == "aws" and is_zone_id(pool.zone) != is_zone_id(zones[0]):
        why = "the network names its zones the other way (name against id), and letters differ by account: write both in one way"
        yield verdict(path, pool.zone, why, "network.zones", "network.existing")
        return
    yield verdict(
        path,
        pool.zone,
        "the network has no subnet there",
        "network.zones",
        "network.existing",
        allowed=zones,
        near=nearest(pool.zone, zones),
    )


def _zones(spec: Spec) -> tuple[str, ...]:
    existing = spec.network.existing
    return tuple(existing.node_subnets) if existing is not None else spec.network.zones


def _sharing(at: PoolAt) -> Iterator[Verdict]:
    sharing, path = at.pool.sharing, at.path("sharing")
    if isinstance(sharing, TimeSlices) and isinstance(at.spec, TrainingSpec):
        # I6: slices look like whole GPUs to a job, without memory of their own.
        why = "slices share one GPU's memory and break collectives, so training pools take none: use {mig: …} or none"
        yield verdict(f"{path}.time_slices", sharing.time_slices, why, "workload")
    if isinstance(sharing, Mig):
        unable = [m for m in at.machines if m.mig is False]
        if unable:
            why = f"{unable[0].gpu_model} of {unable[0].name} cannot be divided: use none, or {{time_slices: n}} for inference"
            yield verdict(f"{path}.mig", sharing.mig, why, "cloud", *at.machine_paths())
        if not re.fullmatch(r"\d+g\.\d+gb(\+(me|gfx|me\.all))?|[a-z][a-z0-9.+-]*", sharing.mig):
            yield verdict(f"{path}.mig", sharing.mig, "write a profile such as 1g.10gb, or a layout such as all-1g.10gb")


def _options(at: PoolAt) -> Iterator[Verdict]:
    pool = at.pool
    words = IMAGES[at.cloud]
    if pool.image not in words:
        yield verdict(
            at.path("image"), pool.image, f"is no image word of {at.cloud}", "cloud", allowed=words, near=nearest(pool.image, words)
        )
    if pool.topology is not None:
        yield from _topology(at, pool.topology)
    if pool.fabric == "dranet" and at.cloud != "gcp":
        yield verdict(at.path("fabric"), pool.fabric, f"is GKE's way to manage a fabric: use auto or none on {at.cloud}", "cloud")
    if at.cloud == "azure" and isinstance(pool.placement, OwnPlacement) and not pool.placement.group.startswith("/subscriptions/"):
        why = "give the id of the proximity placement group, /subscriptions/…/proximityPlacementGroups/…"
        yield verdict(at.path("placement.group"), pool.placement.group, why, "cloud")


def _topology(at: PoolAt, topology: str) -> Iterator[Verdict]:
    path = at.path("topology")
    if at.cloud != "gcp":
        yield verdict(path, topology, f"is for TPU pools, which GCP alone has: remove it on {at.cloud}", "cloud")
        return
    gpus = [m for m in at.machines if m.vendor != TPU_VENDOR]
    if gpus:
        yield verdict(path, topology, f"is for TPU machines, and {gpus[0].name} has {gpus[0].gpu_model}: remove it", *at.machine_paths())
    if not re.fullmatch(r"\d+(x\d+){1,2}", topology):
        yield verdict(path, topology, "write the slice's shape such as 4x4 or 2x2x2")
