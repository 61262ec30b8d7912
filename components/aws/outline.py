"""What each pool of a spec amounts to on AWS, as plain values: decided once, built by NodePool, shown by the plan."""

from __future__ import annotations

import re
from dataclasses import dataclass

from components import catalog, naming, ownership
from components.addresses import AddressPlan, Demand, plan
from components.catalog import Machine
from components.catalog.fabric import PRIMARY, Slot, layout
from components.clock import now
from components.inventory import Market
from components.ownership import Ownership
from components.pool_outline import GPU_TAINT, UNRESERVED, Outline, gpu_disk_gib, repaired
from components.sharing import sharing
from components.spec import OwnPlacement, Pool, Reservation, Spec, TrainingSpec

from .capacity import Phase, Size, Target, Window, first_size, target, window

DEFAULT_SYSTEM_MACHINE = "m7i.large"
ACCELERATOR_LABEL = "k8s.amazonaws.com/accelerator"
"""F2: without it the cluster autoscaler takes a node whose device plugin is not up yet for a mistake and starts more of them."""


@dataclass(frozen=True, kw_only=True)
class PoolOutline(Outline):
    """Every decision about one pool."""

    machines: tuple[Machine, ...]
    """Alternatives; more than one on spot without fabric only."""
    image_kind: str
    """EKS AMI type."""
    slots: tuple[Slot, ...]
    """Network interfaces of each node."""
    placement: str
    """`none`, `own`, or the name of an existing placement group."""
    raid0: bool
    """Whether local NVMe disks become one volume for containers and kubelet."""
    repair: bool = True
    """Whether EKS replaces or restarts nodes that report a fault."""
    target: Target | None = None
    """Reserved capacity that the nodes must start in."""
    window: Window | None = None
    """Paid time of a capacity block."""
    phase: Phase | None = None
    """Where the present lies in the window."""

    @property
    def gpus_per_node(self) -> int:
        return int(self.machine.gpu_count)

    @property
    def efa_interfaces(self) -> int:
        return sum(slot.kind != "interface" for slot in self.slots)

    @property
    def interfaces(self) -> int:
        return len(self.slots)

    @property
    def addresses(self) -> int:
        """Subnet addresses that a node's interfaces take: `efa-only` ones take none (A6)."""
        return sum(slot.kind != "efa-only" for slot in self.slots)

    @property
    def autoscaled(self) -> bool:
        """Whether the autoscaler writes the number of nodes. A block's is written by its schedule (one owner, H1)."""
        return self.window is None

    @property
    def first_size(self) -> Size:
        return first_size(self.nodes, self.phase)

    @property
    def surge(self) -> int:
        """Nodes that an update may add (EKS guide: up to twice the zones, or `maxUnavailable`, whichever is more)."""
        return 0 if self.in_place else max(2 * len(self.zones), 1)


def pool_outlines(spec: Spec) -> tuple[PoolOutline, ...]:
    """The outlines of the spec's pools, in its order. Raises UnknownName, ValueError or OwnersConflict for what cannot be built."""
    return tuple(pool_outline(spec, pool) for pool in spec.pools)


def system_outline(spec: Spec) -> PoolOutline:
    """The untainted pool that carries the cluster's own pods (F10), over all zones, on demand."""
    machine = catalog.machine("aws", spec.system.machine or DEFAULT_SYSTEM_MACHINE)
    return PoolOutline(
        name=naming.SYSTEM_POOL,
        machines=(machine,),
        nodes=spec.system.nodes,
        market=Market.ON_DEMAND,
        zones=spec.zones,
        image_kind=catalog.ami_type(machine, "auto"),
        slots=(PRIMARY,),
        ownership=ownership.NO_GPU,
        placement="none",
        disk_gib=spec.system.disk_gib,
        labels={naming.POOL_LABEL: naming.SYSTEM_POOL},
        taints=(),
        in_place=False,
        raid0=False,
    )


def pool_outline(spec: Spec, pool: Pool) -> PoolOutline:
    """The outline of one pool of `spec`."""
    machines = tuple(catalog.machine("aws", name) for name in pool.machine_types)
    fabric = _has_fabric(spec, pool, machines)
    kind = image_kind(machines, pool.image)
    owners = _ownership(kind, machines[0], fabric=fabric)
    shared = sharing(pool.sharing, machines[0], owners, grows_from_zero=pool.nodes.min == 0)
    paid = window(pool)
    return PoolOutline(
        name=pool.name,
        machines=machines,
        nodes=pool.nodes,
        market=pool.market,
        zones=(pool.zone or spec.zones[0],),
        image_kind=kind,
        slots=layout(machines[0]) if fabric else (PRIMARY,),
        ownership=owners,
        placement=_placement(pool, fabric=fabric),
        disk_gib=gpu_disk_gib(spec, pool),
        labels={**_labels(pool, machines[0], fabric=fabric), **shared.labels},
        taints=(GPU_TAINT,) if machines[0].gpu_count else (),
        in_place=pool.updates == "in_place",
        raid0=kind.startswith("AL2023") and all(m.nvme_gib for m in machines),
        sharing=shared,
        repair=repaired(spec, pool),
        target=target(pool),
        window=paid,
        phase=paid.phase(now()) if paid else None,
    )


def image_kind(machines: tuple[Machine, ...], word: str) -> str:
    """The one AMI type that `word` means on all `machines`. Raises ValueError when they need different ones (B9)."""
    kinds = {catalog.ami_type(machine, word): machine.name for machine in machines}
    if len(kinds) > 1:
        pairs = ", ".join(f"{name} {kind}" for kind, name in kinds.items())
        raise ValueError(f"the machine types need different images ({pairs}): give each kind a pool of its own")
    return next(iter(kinds))


def _has_fabric(spec: Spec, pool: Pool, machines: tuple[Machine, ...]) -> bool:
    """EFA belongs to training pools that do not turn it off, and to inference pools whose file asks for it: models over several nodes."""
    asked = isinstance(spec, TrainingSpec) or "fabric" in pool.model_fields_set
    if pool.fabric == "none" or not asked:
        return False
    return all(m.fabric == "efa" and m.gpu_count > 0 for m in machines)


def _ownership(kind: str, machine: Machine, *, fabric: bool) -> Ownership:
    image = catalog.image("aws", kind)
    if image is None:
        raise LookupError(f"image kind {kind} is not in the catalogue: who would install the driver is not known")
    return ownership.decide("aws", image, machine, fabric=fabric)


def _placement(pool: Pool, *, fabric: bool) -> str:
    """A user's group wins, then the reservation's; else an own one where nodes talk over the fabric. Reserved capacity gets none (A9)."""
    if isinstance(pool.capacity, Reservation) and pool.capacity.placement_group:
        return pool.capacity.placement_group
    match pool.placement:
        case OwnPlacement(group=group):
            return group
        case "own" | "none" as word:
            return word
        case _:
            return "own" if fabric and pool.market in UNRESERVED else "none"


def _labels(pool: Pool, machine: Machine, *, fabric: bool) -> dict[str, str]:
    labels = {**pool.labels, naming.POOL_LABEL: pool.name}
    if machine.gpu_count:
        labels[ACCELERATOR_LABEL] = accelerator(machine)
    if fabric:
        labels[naming.FABRIC_LABEL] = "efa"  # A12: the EFA plugin crash-loops on nodes that were launched without EFA
    return labels


def accelerator(machine: Machine) -> str:
    """The GPU as a Kubernetes label value: `nvidia-a100`."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{machine.vendor} {machine.gpu_model}".lower())
    return words.strip("-")[:63]


def address_plan(spec: Spec) -> AddressPlan:
    """Where the nodes of all pools find their addresses at maximum size, updates included. Raises DoesNotFit."""
    outlines = (system_outline(spec), *pool_outlines(spec))
    demands = [Demand(pool=o.name, zone=zone, nodes=o.nodes.max + o.surge, interfaces=o.addresses) for o in outlines for zone in o.zones]
    return plan(spec.network.cidr, spec.network.zones, demands)
