"""Values of a sound spec that Azure, or two parts of one cluster, would still refuse: every one of them, before the first resource."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from components import catalog, naming, ownership
from components.refusals import SpecError, tried
from components.spec import Pool, Reservation, Spec, Spot, TrainingSpec

from . import outline
from .budget_outline import budget_problems
from .cluster_access import access_problems
from .driver import DriverMode, driver_mode
from .existing_checks import existing_problems
from .node_pool_limits import MOST_NODES, pool_tags_problem
from .retention import FEWEST_DAYS, MOST_DAYS, retention_days
from .spot import PRICE_DECIMALS
from .storage_outline import storage_problems

SMALLEST_SYSTEM_CORES = 4


def refuse_unfit(spec: Spec) -> list[SpecError]:
    """Names, tags, groups, machines, images and addresses. `spec` has passed `spec.checks`: its machines and zones exist."""
    found = [
        *_names(spec),
        *_tags(spec),
        *_access(spec),
        *_retention(spec),
        *_system(spec),
        *existing_problems(spec),
        *storage_problems(spec),
        *budget_problems(spec),
    ]
    for at, pool in enumerate(spec.pools):
        found += _pool(f"pools[{at}]", spec, pool)
    return found or _together(spec)


def _together(spec: Spec) -> list[SpecError]:
    """What the pools ask for together, once each is sound: their errors would repeat its own."""
    owners = tried("pools", "", lambda: _owners(spec))
    space = () if spec.network.existing else tried("network.cidr", spec.network.cidr, lambda: outline.address_plan(spec))
    return [*owners, *space, *_one_fabric(spec)]


def _names(spec: Spec) -> Iterator[SpecError]:
    yield from tried("name", spec.name, lambda: naming.cluster_name("azure", spec.name))


def _tags(spec: Spec) -> Iterator[SpecError]:
    for problem in naming.problems_of_user_tags("azure", spec.tags):
        yield SpecError(path="tags", message=problem)
    for problem in naming.problems("azure", {naming.tag_key("azure", "owner"): spec.owner}):
        yield SpecError(path="owner", value=spec.owner, message=problem)


def _retention(spec: Spec) -> Iterator[SpecError]:
    days = retention_days(spec)
    if not FEWEST_DAYS <= days <= MOST_DAYS:
        message = f"Log Analytics keeps logs for {FEWEST_DAYS} to {MOST_DAYS} days"
        yield SpecError(path="monitoring.log_retention_days", value=str(days), message=message)


def _access(spec: Spec) -> Iterator[SpecError]:
    for path, problem in access_problems(spec.access.api, spec.access.api_cidrs, spec.access.admins, spec.access.viewers):
        yield SpecError(path=f"access.{path}", message=problem)


def _system(spec: Spec) -> Iterator[SpecError]:
    """What AKS asks of a system pool, which carries its own pods."""
    machine = catalog.machine("azure", spec.system.machine or outline.DEFAULT_SYSTEM_MACHINE)
    if machine.vcpus < SMALLEST_SYSTEM_CORES:
        message = f"has {machine.vcpus} vCPUs, and AKS asks for {SMALLEST_SYSTEM_CORES} in a system pool: take a larger one"
        yield SpecError(path="system.machine", value=machine.name, message=message)


def _pool(path: str, spec: Spec, pool: Pool) -> Iterator[SpecError]:
    if len(pool.machine_types) > 1:
        message = "an agent pool has one size: name one machine, and give each other one a pool of its own"
        yield SpecError(path=f"{path}.machines", message=message)
        return
    yield from _sizes(path, pool)
    yield from _capacity(path, pool)
    machine = catalog.machine("azure", next(iter(pool.machine_types)))
    if machine.vendor != "NVIDIA":
        message = f"{machine.vendor} accelerators are not built on Azure yet: take a machine with NVIDIA GPUs"
        yield SpecError(path=f"{path}.machine", value=machine.name, message=message)
        return
    yield from _image(path, spec, pool, machine)
    yield from tried(f"{path}.sharing", pool.sharing, lambda: outline.pool_outline(spec, pool).sharing)


def _sizes(path: str, pool: Pool) -> Iterator[SpecError]:
    if pool.nodes.max > MOST_NODES:
        message = f"an agent pool has at most {MOST_NODES} nodes: give the rest a pool of their own"
        yield SpecError(path=f"{path}.nodes.max", value=str(pool.nodes.max), message=message)
    if pool.node_auto_repair is False:
        message = "AKS repairs nodes that are not ready by itself, and nothing turns that off: leave it out"
        yield SpecError(path=f"{path}.node_auto_repair", value="false", message=message)
    for key in pool.labels:
        if key.startswith("kubernetes.azure.com/"):
            yield SpecError(
                path=f"{path}.labels", value=key, message="keys that begin with kubernetes.azure.com/ are AKS's own: choose another"
            )


def _capacity(path: str, pool: Pool) -> Iterator[SpecError]:
    capacity = pool.capacity
    if isinstance(capacity, Spot) and capacity.max_usd_per_hour is not None:
        price = capacity.max_usd_per_hour
        if round(price, PRICE_DECIMALS) != price:
            message = f"Azure takes {PRICE_DECIMALS} decimals of a highest price: round it"
            yield SpecError(path=f"{path}.capacity.max_usd_per_hour", value=str(price), message=message)
    if isinstance(capacity, Reservation):
        if capacity.nodes is not None:
            message = (
                "on Azure nodes above the reservation start beside it, on demand: leave it out, and set nodes.max to the reserved number"
            )
            yield SpecError(path=f"{path}.capacity.nodes", value=str(capacity.nodes), message=message)
        if pool.updates == "surge":
            message = "a node that starts first starts beside the reservation and bills on demand: use in_place"
            yield SpecError(path=f"{path}.updates", value=pool.updates, message=message)


def _image(path: str, spec: Spec, pool: Pool, machine: catalog.Machine) -> Iterator[SpecError]:
    if pool.image == "azurelinux" and driver_mode(spec, machine) is DriverMode.OPERATOR:
        message = "the GPU Operator installs this pool's driver, and no driver image for Azure Linux is known: use ubuntu"
        yield SpecError(path=f"{path}.image", value=pool.image, message=message)


def _one_fabric(spec: Spec) -> Iterator[SpecError]:
    """E1: two scale sets share no partition key; the same machine in two pools means one job in both."""
    if not isinstance(spec, TrainingSpec):
        return
    wired: dict[str, list[int]] = defaultdict(list)
    for at, made in enumerate(outline.pool_outlines(spec)):
        if made.infiniband:
            wired[made.machine.name].append(at)
        if problem := pool_tags_problem(made, spec.tags):
            yield SpecError(path="tags", message=problem)
    for machine, where in wired.items():
        if len(where) > 1:
            message = "InfiniBand ends at the scale set, so that no job can use both pools: make one pool of them, or set fabric: none (E1)"
            yield SpecError(path=f"pools[{where[1]}].machine", value=machine, message=message)


def _owners(spec: Spec) -> dict[str, dict[str, object]]:
    """C3: one operator has one setting for the nodes of all pools."""
    return ownership.operator_values({made.name: made.ownership for made in outline.pool_outlines(spec)})
