"""What each pool of a spec amounts to on GKE, as plain values: decided once, built by NodePool, shown by the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from components import catalog, naming, ownership
from components.catalog import Machine
from components.catalog.gcp_networks import gcp_networks
from components.catalog.gke_machines import GkeMachine, gke_machine, local_ssds
from components.catalog.nics import Nic
from components.clock import now
from components.inventory import Market, Owner
from components.ownership import TPU_VENDOR, Circumstances, Ownership
from components.pool_outline import GPU_TAINT, UNRESERVED, Outline, gpu_disk_gib, repaired
from components.regional_addresses import PoolDemand, RegionalPlan, plan
from components.sharing import Sharing
from components.spec import FlexStart, NodeRange, OwnPlacement, Pool, Spec

from .capacity import Phase, Purchase, Window, bounds, purchase, window
from .fabric_choice import fabric_of, wants_fabric
from .fabric_outline import FabricOutline
from .gpu_sharing import WHOLE, GpuSharing, gpu_sharing
from .places import pool_zone, zones
from .tpu import TpuSlice, tpu_slice

DEFAULT_SYSTEM_MACHINE = "e2-standard-4"
TPU_TAINT = "google.com/tpu"
NO_PLUGIN_LABEL = "gke-no-default-nvidia-gpu-device-plugin"
"""C7: keeps GKE's device plugin, and with it its driver installer, off nodes whose whole stack the GPU Operator owns."""
DRANET_LABEL = "cloud.google.com/gke-networking-dra-driver"
Transport = Literal["tcpx", "tcpxo", "gib"]
TRANSPORTS: Mapping[str, Transport] = {"tcpx": "tcpx", "tcpxo": "tcpxo", "rdma": "gib"}
"""By the machine's kind of fabric."""
IMAGE_KINDS = {"auto": "COS_CONTAINERD", "cos": "COS_CONTAINERD", "ubuntu": "UBUNTU_CONTAINERD"}
OWN_NETWORK = Nic("eth0", "gVNIC", "default")
SCHEDULED = (Market.FLEX_START, Market.QUEUED)


@dataclass(frozen=True, kw_only=True)
class PoolOutline(Outline):
    """Every decision about one pool."""

    nodes: NodeRange
    """Total over all zones (D7)."""
    image_kind: str
    """GKE image type."""
    slots: tuple[Nic, ...]
    """Network interfaces of each node."""
    placement: str
    """`none`, `own` (GKE makes a compact policy), `slice 4x8` (a TPU's topology places its hosts), or an existing resource policy."""
    boot_disk: str
    taints: tuple[str, ...]
    """Keys tainted NoSchedule with the value `present`, as GKE does."""
    repair: bool
    purchase: Purchase
    accelerator: str | None = None
    """GKE's name of the GPU; None on CPU and TPU nodes, whose machine type says it all."""
    driver_version: str | None = None
    """D10: written out on every GPU pool: DEFAULT (GKE installs it) or INSTALLATION_DISABLED."""
    gpu_sharing: GpuSharing = WHOLE
    """How GKE's own plugin shares each GPU."""
    local_ssds: int = 0
    """Local SSDs that carry pods' scratch space."""
    secure_boot: bool = True
    fabric: FabricOutline | None = None
    """Extra networks, in the order of the node's interfaces."""
    dranet: bool = False
    """Whether GKE manages the fabric's networks itself."""
    tpu: TpuSlice | None = None
    window: Window | None = None
    phase: Phase | None = None

    @property
    def gpus_per_node(self) -> int:
        """Accelerators of a node: GPUs or TPU chips."""
        return int(self.machine.gpu_count)

    @property
    def bounds(self) -> NodeRange:
        """The autoscaler's bounds at this moment."""
        return bounds(self.nodes, self.phase)

    @property
    def first_nodes_per_zone(self) -> int:
        """Nodes with which the pool is created, in each of its zones."""
        return -(-self.bounds.min // len(self.zones))

    @property
    def surge(self) -> int:
        """Nodes that an update may add: one at a time, over all zones (`max_surge` 1)."""
        return 0 if self.in_place else 1


def pool_outlines(spec: Spec) -> tuple[PoolOutline, ...]:
    """The outlines of the spec's pools, in its order. Raises UnknownName, ValueError or OwnersConflict for what cannot be built."""
    fabric = fabric_of(spec)
    return tuple(pool_outline(spec, pool, fabric) for pool in spec.pools)


def system_outline(spec: Spec) -> PoolOutline:
    """The untainted pool that carries the cluster's own pods (F10), over all zones, on demand."""
    machine = catalog.machine("gcp", spec.system.machine or DEFAULT_SYSTEM_MACHINE)
    return PoolOutline(
        name=naming.SYSTEM_POOL,
        machines=(machine,),
        nodes=spec.system.nodes,
        market=Market.ON_DEMAND,
        zones=zones(spec),
        image_kind=IMAGE_KINDS["auto"],
        slots=(OWN_NETWORK,),
        ownership=ownership.NO_GPU,
        placement="none",
        disk_gib=spec.system.disk_gib,
        boot_disk="pd-balanced",
        labels={naming.POOL_LABEL: naming.SYSTEM_POOL},
        taints=(),
        in_place=False,
        repair=True,
        purchase=Purchase(),
    )


def pool_outline(spec: Spec, pool: Pool, fabric: FabricOutline | None) -> PoolOutline:
    """The outline of one pool of `spec`, whose cluster has `fabric`."""
    machine = catalog.machine("gcp", pool.machine_types[0])
    kind = known_to_gke(machine)
    image = image_kind(pool)
    wired = wants_fabric(spec, pool, machine)
    attached = fabric if wired and pool.fabric == "auto" and gcp_networks(machine) else None
    owners = owners_of(spec, pool, machine, fabric=wired)
    shared, offers = gpu_sharing(pool.sharing, machine, owners, grows_from_zero=pool.nodes.min == 0)
    paid = window(pool)
    tpu = tpu_slice(pool, machine)
    return PoolOutline(
        name=pool.name,
        machines=(machine,),
        nodes=pool.nodes,
        market=pool.market,
        zones=(pool_zone(spec, pool),),
        image_kind=image,
        slots=_slots(attached, dranet=wired and pool.fabric == "dranet"),
        ownership=owners,
        placement=f"slice {tpu.topology}" if tpu and tpu.several_hosts else _placement(pool, kind, fabric=wired),
        disk_gib=gpu_disk_gib(spec, pool),
        boot_disk=kind.boot_disk,
        labels=_labels(pool, machine, owners, offers, fabric=wired),
        taints=(TPU_TAINT if machine.vendor == TPU_VENDOR else GPU_TAINT,),
        in_place=pool.updates == "in_place",
        repair=_repaired(spec, pool),
        purchase=purchase(pool),
        accelerator=None if tpu else kind.accelerator,
        driver_version=None if tpu else _driver_version(owners),
        gpu_sharing=shared,
        sharing=offers,
        local_ssds=local_ssds(machine),
        secure_boot=owners.driver is not Owner.GPU_OPERATOR,  # modules that the operator builds carry no signature that the firmware knows
        fabric=attached,
        dranet=wired and pool.fabric == "dranet",
        tpu=tpu,
        window=paid,
        phase=paid.phase(now()) if paid else None,
    )


def image_kind(pool: Pool) -> str:
    """The image type that the word of the stack file means. Raises ValueError for a word that GKE has no image for."""
    if pool.image not in IMAGE_KINDS:
        raise ValueError(f"image {pool.image!r} is none of GKE's: take one of {', '.join(IMAGE_KINDS)}")
    return IMAGE_KINDS[pool.image]


def known_to_gke(machine: Machine) -> GkeMachine:
    """What GKE calls the machine's accelerator. Raises ValueError where that is not established."""
    found = gke_machine(machine)
    if found is None:
        raise ValueError(f"how GKE builds node pools of {machine.name} is not established: take another machine")
    return found


def owners_of(spec: Spec, pool: Pool, machine: Machine, *, fabric: bool) -> Ownership:
    image = catalog.image("gcp", image_kind(pool))
    if image is None:
        raise LookupError(f"image kind {image_kind(pool)} is not in the catalogue: who would install the driver is not known")
    return ownership.decide("gcp", image, machine, fabric=fabric, here=Circumstances(managed_metrics=spec.monitoring.metrics == "cloud"))


def address_plan(spec: Spec) -> RegionalPlan:
    """Where the nodes of all pools find their addresses at maximum size, updates included. Raises DoesNotFit."""
    pools = (system_outline(spec), *pool_outlines(spec))
    return plan(spec.network.cidr, [PoolDemand(pool=made.name, nodes=made.nodes.max + made.surge) for made in pools])


def _slots(fabric: FabricOutline | None, *, dranet: bool) -> tuple[Nic, ...]:
    if dranet:
        return (OWN_NETWORK, Nic("eth1…", "DRANET", "networks of GKE's own"))
    extra = fabric.interfaces if fabric else ()
    return (OWN_NETWORK, *(Nic(f"eth{at}", made.device_mode, made.network) for at, made in enumerate(extra, start=1)))


def _placement(pool: Pool, kind: GkeMachine, *, fabric: bool) -> str:
    """A user's policy wins; else an own one where nodes talk over the fabric and Google allows it. Reserved and queued nodes get none."""
    match pool.placement:
        case OwnPlacement(group=group):
            return group
        case "own" | "none" as word:
            return word
        case _:
            allowed = pool.market in UNRESERVED or (isinstance(pool.capacity, FlexStart) and kind.compact_flex is True)
            return "own" if fabric and allowed else "none"


def _repaired(spec: Spec, pool: Pool) -> bool:
    """Never where nodes have a bounded life."""
    return pool.market not in SCHEDULED and repaired(spec, pool)


def _driver_version(owners: Ownership) -> str:
    """D10: never left to GKE, which would fill it in later and so replace the pool. C3: disabled only where the operator installs."""
    return "INSTALLATION_DISABLED" if owners.driver is Owner.GPU_OPERATOR else "DEFAULT"


def _labels(pool: Pool, machine: Machine, owners: Ownership, offers: Sharing, *, fabric: bool) -> dict[str, str]:
    labels = {**pool.labels, naming.POOL_LABEL: pool.name, **offers.labels}
    if owners.device_plugin is Owner.GPU_OPERATOR:
        labels[NO_PLUGIN_LABEL] = "true"
    if fabric and machine.fabric is not None:
        labels[naming.FABRIC_LABEL] = TRANSPORTS[machine.fabric]
    if fabric and pool.fabric == "dranet":
        labels[DRANET_LABEL] = "true"
    return labels


def installers(pools: Sequence[PoolOutline]) -> dict[Transport, tuple[str, ...]]:
    """Each transport of the pools, with the accelerators whose nodes need its plugin."""
    found: dict[Transport, dict[str, None]] = {}
    for pool in pools:
        if pool.accelerator is not None and pool.machine.fabric is not None and naming.FABRIC_LABEL in pool.labels:
            found.setdefault(TRANSPORTS[pool.machine.fabric], {})[pool.accelerator] = None
    return {transport: tuple(accelerators) for transport, accelerators in found.items()}
