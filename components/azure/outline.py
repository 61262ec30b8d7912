"""What each pool of a spec amounts to on Azure, as plain values: decided once, built by NodePool, shown by the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from components import catalog, naming, ownership
from components.addresses import AddressPlan, Demand, plan
from components.catalog import Machine
from components.catalog.fabric import PRIMARY, Slot
from components.inventory import Market
from components.ownership import Circumstances, Ownership
from components.pool_outline import GPU_TAINT, Outline, gpu_disk_gib
from components.sharing import sharing
from components.spec import OwnPlacement, Pool, Reservation, Spec, Spot, TrainingSpec

from .driver import DriverMode, driver_mode
from .images import os_sku
from .mig import gpu_instance_profile
from .spot import ANY_PRICE, SPOT_LABEL, SPOT_TAINT, SPOT_VALUE

DEFAULT_SYSTEM_MACHINE = "Standard_D4s_v5"
"""AKS asks for 4 vCPUs and 4 GiB at least in a system pool. Source: AKS documentation, "Use system node pools"."""
TAINT_VALUE = "present"
INFINIBAND = "infiniband"
WHOLE_NETWORK = "nodes"
"""Name of the one node subnet where the file names no zone: Azure's subnets span the zones of their region."""
MANAGED_DISK: Literal["Managed"] = "Managed"
"""AKS refuses ephemeral disks that do not fit the cache or temporary disk of a size, and T4 sizes offer less than their page prints
(AKS#2694): the catalogue proves that for no size, so every root disk is a managed one."""


@dataclass(frozen=True, kw_only=True)
class PoolOutline(Outline):
    """Every decision about one pool."""

    name: str
    """As the stack file has it; AKS's own name is `agent_pool`."""
    zones: tuple[str, ...]
    """Availability zones; () where the file names none, as ND sizes are mostly offered without (E7)."""
    image_kind: str
    """AKS OS SKU."""
    slots: tuple[Slot, ...]
    """Network interfaces in the subnet; InfiniBand adapters are no interfaces of Azure's network."""
    placement: str
    """`none`, `own`, or the id of an existing proximity placement group."""
    taints: tuple[str, ...]
    """Keys tainted NoSchedule, AKS's own spot taint included."""
    subnet: str = WHOLE_NETWORK
    """Name of its node subnet: an agent pool has one."""
    subnet_id: str | None = None
    """Its id, where it is there already."""
    mode: Literal["System", "User"] = "User"
    """E3: only the system pool may be one."""
    driver: DriverMode | None = None
    """Who installs the GPU driver; None without GPUs."""
    infiniband: int = 0
    """InfiniBand adapters that pods of a node may use."""
    max_price_usd: float | None = None
    """Spot: the most that a node may cost per hour; -1 is up to the on-demand price. None on other markets."""
    reservation_group: str | None = None
    """Id of the capacity reservation group that the nodes start in."""
    mig_profile: str | None = None
    """How AKS itself divides each GPU, where it installs the driver."""

    @property
    def gpus_per_node(self) -> int:
        """GPU devices of a node; a share of a GPU is one device."""
        return self.machine.devices

    @property
    def window(self) -> None:
        """Azure sells no capacity for a window."""
        return None

    @property
    def phase(self) -> None:
        return None

    @property
    def taint_texts(self) -> tuple[str, ...]:
        """The taints as AKS spells them."""
        return tuple(f"{key}={SPOT_VALUE if key == SPOT_TAINT else TAINT_VALUE}:NoSchedule" for key in self.taints)

    @property
    def agent_pool(self) -> str:
        """AKS's name of the pool. It changes with what AKS cannot change in a pool that exists (E10): the new pool stands beside the old."""
        fixed = (self.machine.name, self.market, *self.zones, self.image_kind, self.driver, self.placement, self.disk_gib)
        rest = (self.max_price_usd, self.reservation_group, self.mig_profile, self.subnet, self.subnet_id)
        return naming.agent_pool_name(self.name, *map(str, (*fixed, *rest)))

    @property
    def surge(self) -> int:
        """Nodes that an update may add."""
        return 0 if self.in_place else 1


def pool_outlines(spec: Spec) -> tuple[PoolOutline, ...]:
    """The outlines of the spec's pools, in its order. Raises UnknownName, ValueError or OwnersConflict for what cannot be built."""
    return tuple(pool_outline(spec, pool) for pool in spec.pools)


def system_outline(spec: Spec) -> PoolOutline:
    """The untainted pool that carries the cluster's own pods (F10), over all zones, on demand."""
    machine = catalog.machine("azure", spec.system.machine or DEFAULT_SYSTEM_MACHINE)
    return PoolOutline(
        name=naming.SYSTEM_POOL,
        machines=(machine,),
        nodes=spec.system.nodes,
        market=Market.ON_DEMAND,
        zones=spec.zones,
        image_kind=os_sku(machine, "auto"),
        slots=(PRIMARY,),
        ownership=ownership.NO_GPU,
        placement="none",
        disk_gib=spec.system.disk_gib,
        labels={naming.POOL_LABEL: naming.SYSTEM_POOL},
        taints=(),
        in_place=False,
        subnet=node_subnets(spec)[0],
        mode="System",
    )


def pool_outline(spec: Spec, pool: Pool) -> PoolOutline:
    """The outline of one pool of `spec`."""
    machine = catalog.machine("azure", pool.machine_types[0])
    infiniband = has_infiniband(spec, pool, machine)
    mode = driver_mode(spec, machine)
    owners = _ownership(spec, os_sku(machine, pool.image), machine, mode, infiniband=infiniband)
    shared = sharing(pool.sharing, machine, owners, grows_from_zero=pool.nodes.min == 0)
    on_spot = pool.market is Market.SPOT
    subnet = pool.zone if pool.zone in node_subnets(spec) else node_subnets(spec)[0]
    return PoolOutline(
        name=pool.name,
        machines=(machine,),
        nodes=pool.nodes,
        market=pool.market,
        zones=(pool.zone,) if pool.zone else (),
        image_kind=os_sku(machine, pool.image),
        slots=(PRIMARY,),
        ownership=owners,
        placement=_placement(pool),
        disk_gib=gpu_disk_gib(spec, pool),
        labels={**_labels(pool, infiniband=infiniband, on_spot=on_spot), **shared.labels},
        taints=(GPU_TAINT, SPOT_TAINT) if on_spot else (GPU_TAINT,),
        in_place=pool.updates == "in_place",
        subnet=subnet,
        subnet_id=spec.network.existing.node_subnets.get(subnet) if spec.network.existing else None,
        driver=mode,
        infiniband=(machine.rdma_interfaces or 0) if infiniband else 0,
        max_price_usd=_max_price(pool),
        reservation_group=pool.capacity.group if isinstance(pool.capacity, Reservation) else None,
        mig_profile=gpu_instance_profile(shared.cloud_mig),
        sharing=shared,
    )


def has_infiniband(spec: Spec, pool: Pool, machine: Machine) -> bool:
    """InfiniBand belongs to training pools that do not turn it off, and to inference pools whose file asks for it: models over several
    nodes.
    """
    asked = isinstance(spec, TrainingSpec) or "fabric" in pool.model_fields_set
    return pool.fabric != "none" and asked and machine.fabric == INFINIBAND


def wired(spec: Spec) -> bool:
    """Whether any pool of the cluster has InfiniBand."""
    return any(has_infiniband(spec, pool, catalog.machine("azure", pool.machine_types[0])) for pool in spec.pools)


def _ownership(spec: Spec, kind: str, machine: Machine, mode: DriverMode, *, infiniband: bool) -> Ownership:
    image = catalog.image("azure", kind)
    if image is None:
        raise LookupError(f"image kind {kind} is not in the catalogue: who would install the driver is not known")
    here = Circumstances(cloud_driver=mode is not DriverMode.OPERATOR, network_operator=wired(spec))
    return ownership.decide("azure", image, machine, fabric=infiniband, here=here)


def _placement(pool: Pool) -> str:
    """A proximity placement group only where the file asks: none of the published InfiniBand set-ups has one, the scale set is enough."""
    match pool.placement:
        case OwnPlacement(group=group):
            return group
        case "own":
            return "own"
        case _:
            return "none"


def _max_price(pool: Pool) -> float | None:
    if not isinstance(pool.capacity, Spot):
        return None
    return pool.capacity.max_usd_per_hour or ANY_PRICE


def _labels(pool: Pool, *, infiniband: bool, on_spot: bool) -> dict[str, str]:
    labels = {**pool.labels, naming.POOL_LABEL: pool.name}
    if infiniband:
        labels[naming.FABRIC_LABEL] = INFINIBAND
    if on_spot:
        labels[SPOT_LABEL] = SPOT_VALUE  # AKS sets it too: written down, a refresh finds no difference
    return labels


def node_subnets(spec: Spec) -> tuple[str, ...]:
    """Names of the node subnets: the zones of the file, or one for the whole network."""
    return spec.zones or (WHOLE_NETWORK,)


def address_plan(spec: Spec) -> AddressPlan:
    """Where the nodes of all pools find their addresses at maximum size, updates included; pods have a range of their own (overlay).

    Raises DoesNotFit.
    """
    outlines = (system_outline(spec), *pool_outlines(spec))
    demands = [Demand(pool=o.name, zone=o.subnet, nodes=o.nodes.max + o.surge, pods=0) for o in outlines]
    return plan(spec.network.cidr, node_subnets(spec), demands, fewest=1)
