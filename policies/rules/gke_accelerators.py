"""GPU-GKE: what a pool says of its GPUs: type and number, driver version, partitions, disks that the machine takes."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.catalog import Machine
from components.inventory import Accelerator, NodePool
from components.unknown import Unknown, known
from policies.finding import Level

from .gke_pools import NVIDIA, gke_pools, gpu_pools, machine_of, perhaps_plain, untold, violated
from .rule import Case, Rule, Scope, Verdict

LISTED = "nodeConfig.guestAccelerators"
HYPERDISK = "hyperdisk"


# --- GPU-GKE-30


def _drivers(case: Case) -> Iterator[Verdict]:
    """D10: GKE fills in DEFAULT, and the provider then replaces the pool for the difference."""
    why = (
        "GKE fills in DEFAULT by itself, and the next update replaces the pool for the difference, with all its nodes. "
        "Write gpuDriverInstallationConfig.gpuDriverVersion out: LATEST, DEFAULT or INSTALLATION_DISABLED."
    )
    for pool, gke in gpu_pools(case):
        machine = machine_of(pool)
        if machine is not None and machine.vendor != NVIDIA and machine.accelerated:
            continue
        if isinstance(gke.accelerators, Unknown):
            yield untold(pool, gke.accelerators, "it cannot be told whether the driver version is written out")
        elif (plain := perhaps_plain(pool, gke)) is not None:
            yield untold(pool, plain, "it cannot be told whether it needs a driver version")
        elif not gke.accelerators and machine is not None:
            yield violated(pool, LISTED, f"{machine.name} without guestAccelerators, so no driver version is given. {why}")
        else:
            yield from (
                _driver(pool, entry, why) for entry in gke.accelerators if isinstance(entry.driver, Unknown) or entry.driver is None
            )


def _driver(pool: NodePool, entry: Accelerator, why: str) -> Verdict:
    if isinstance(entry.driver, Unknown):
        return untold(pool, entry.driver, "it cannot be told which driver version is asked for")
    return violated(pool, LISTED, f"no driver version is given for {entry.kind}. {why}")


# --- GPU-GKE-31


def _matching(case: Case) -> Iterator[Verdict]:
    for pool, gke in gke_pools(case):
        machine = machine_of(pool)
        if isinstance(gke.accelerators, Unknown):
            continue  # GPU-COST-03 and GPU-GKE-30 say so
        if len(gke.accelerators) > 1:
            text = f"{len(gke.accelerators)} entries of guestAccelerators, and a pool takes GPUs of one type. Keep one, or make a pool for each type."
            yield violated(pool, LISTED, text)
        for entry in gke.accelerators:
            if machine is not None:
                yield from _fits(pool, machine, entry)
            elif (family := _closed_family(pool)) is not None:
                yield violated(pool, LISTED, f"{entry.count} x {entry.kind} on {family.upper()}, {_REFUSED}")


def _fits(pool: NodePool, machine: Machine, entry: Accelerator) -> Iterator[Verdict]:
    so = f"it cannot be told whether {machine.name} takes it"
    unknown = next((fact for fact in (entry.kind, entry.count) if isinstance(fact, Unknown)), None)
    if unknown is not None or isinstance(entry.count, Unknown):
        yield untold(pool, Unknown(entry.path) if unknown is None else unknown, so, Level.ADVISORY)
        return
    sold = catalog.gke_machines.gke_machine(machine)
    if machine.vendor == NVIDIA and sold is not None and (entry.kind != sold.accelerator or entry.count != max(1, machine.gpu_count)):
        text = f"{entry.count} x {entry.kind} on {machine.name}, which carries {machine.gpu_count:g} x {sold.accelerator}. GKE refuses the pool. "
        yield violated(pool, LISTED, f"{text}Give that type and count.")
    elif machine.vendor != NVIDIA and not _attachable(machine, str(entry.kind), entry.count):
        yield violated(pool, LISTED, f"{entry.count} x {entry.kind} on {machine.name}, {_REFUSED}")


_REFUSED = (
    "to which they cannot be attached, so GKE refuses the pool. Take a machine that carries them, or N1 with a number that Google attaches."
)


def _closed_family(pool: NodePool) -> str | None:
    """The family of a machine without a row that takes no GPUs; custom machines of no named family are N1."""
    name = pool.machines[0] if known(pool.machines) else None
    family = catalog.plain_families.plain_family("gcp", name) if isinstance(name, str) else None
    return None if family in ("n1", "custom") else family


def _attachable(machine: Machine, kind: str, count: int) -> bool:
    """GPUs are attached to N1 machines alone, in fixed numbers, up to a size for each number."""
    rows = [row for row in catalog.gpus.attached_gpus() if row.accelerator == kind and row.count == count]
    return machine.family == "n1" and any(machine.vcpus <= row.max_vcpus and machine.memory_gib <= row.max_memory_gib for row in rows)


# --- GPU-GKE-32


def _partitions(case: Case) -> Iterator[Verdict]:
    for pool, gke in gpu_pools(case):
        machine = machine_of(pool)
        split = [entry.partition for entry in gke.accelerators if entry.partition is not None] if known(gke.accelerators) else []
        if machine is not None and machine.mig is False and split:
            text = f"gpuPartitionSize {split[0]}, but the GPUs of {machine.name} have no MIG, so its nodes never become ready. "
            yield violated(pool, LISTED, f"{text}Take it out, or share by gpuSharingConfig.")


# --- GPU-GKE-33


def _disks(case: Case) -> Iterator[Verdict]:
    for pool, _ in gke_pools(case):
        machine = machine_of(pool)
        sold = catalog.gke_machines.gke_machine(machine) if machine is not None else None
        if machine is None or sold is None or not sold.boot_disk.startswith(HYPERDISK):
            continue
        kind = pool.root_disk_kind
        if isinstance(kind, Unknown):
            yield untold(pool, kind, f"it cannot be told whether {machine.name} takes its boot disk", Level.ADVISORY)
        elif kind is not None and not kind.startswith(HYPERDISK):
            text = f"boot disk {kind}, but {machine.name} takes Hyperdisk alone, so no node starts. Set diskType to {sold.boot_disk}."
            yield violated(pool, "nodeConfig.diskType", text)


RULES = (
    Rule(
        id="GPU-GKE-30",
        title="The driver version of a GPU pool is written out",
        failures=("D10",),
        scope=Scope.RESOURCE,
        check=_drivers,
        fix="guestAccelerators: [{type: nvidia-l4, count: 1, gpuDriverInstallationConfig: {gpuDriverVersion: LATEST}}]",
    ),
    Rule(
        id="GPU-GKE-31",
        title="Accelerator type and number are those of the machine",
        failures=(),
        scope=Scope.RESOURCE,
        check=_matching,
        fix="a3-megagpu-8g: type nvidia-h100-mega-80gb, count 8",
    ),
    Rule(
        id="GPU-GKE-32",
        title="Only GPUs with MIG are partitioned",
        failures=(),
        scope=Scope.RESOURCE,
        check=_partitions,
        fix="gpuSharingConfig: {gpuSharingStrategy: TIME_SHARING, maxSharedClientsPerGpu: 4} for L4",
    ),
    Rule(
        id="GPU-GKE-33",
        title="Machines that take Hyperdisk alone boot from Hyperdisk",
        failures=(),
        scope=Scope.RESOURCE,
        check=_disks,
        fix="nodeConfig: {diskType: hyperdisk-balanced}",
    ),
)
