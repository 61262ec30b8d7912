"""GPU-AKS: reserved capacity that pools can really use, and zones that are really offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from components.inventory import AksCluster, AzureRole, ReservedMachines
from components.resource import name_of
from components.unknown import Unknown, known
from policies.finding import Level, Status

from .aks_agents import Agents, agents, gpu_agents
from .rule import Case, Rule, Scope, Verdict, cannot_tell


def _reserved(case: Case) -> Iterator[Agents]:
    """Pools that name a capacity reservation group."""
    return (found for found in agents(case) if found.own.capacity_group is not None)


def _cluster(case: Case, found: Agents) -> AksCluster | None:
    return case.once(_clusters).get(found.own.cluster)


def _clusters(case: Case) -> Mapping[object, AksCluster]:
    return {cluster.urn: cluster for cluster in reversed(case.inventory.azure.clusters)}


# --- GPU-AKS-30


def _identity(case: Case) -> Iterator[Verdict]:
    for found in _reserved(case):
        cluster = _cluster(case, found)
        if isinstance(found.own.cluster, Unknown):
            yield cannot_tell(found.own.urn, found.own.cluster, subject=found.own.name, so="it cannot be told whether it may use its group")
        elif cluster is None:
            text = f"{found.own.name}: its cluster is not in this program. Make sure that it has a user-assigned identity with a role on the group."
            yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path=found.own.path("capacityReservationGroupID"), message=text)
        elif isinstance(cluster.identity, Unknown):
            yield cannot_tell(
                cluster.urn, cluster.identity, subject=cluster.name, so=f"it cannot be told whether {found.own.name} may use its group"
            )
        elif "userassigned" not in (cluster.identity or "").replace(" ", "").casefold():
            text = (
                f"a capacity reservation group, but {cluster.name} has identity {cluster.identity or 'none'}. Only a user-assigned identity with "
                "Contributor on the group's resource group can use it; otherwise nodes start beside the capacity that is paid for. "
                "Give the cluster identity type UserAssigned."
            )
            yield found.violated("capacityReservationGroupID", text)
        else:
            yield from _role(case, found, cluster)


def _role(case: Case, found: Agents, cluster: AksCluster) -> Iterator[Verdict]:
    """A role needs up to an hour to reach every part of Azure, and the pool has to wait for it."""
    by_identity = case.once(_roles)
    roles = [role for identity in dict.fromkeys(cluster.identities) if known(identity) for role in by_identity.get(identity, ())]
    path = found.own.path("capacityReservationGroupID")
    if not roles:
        text = f"{found.own.name}: this program gives the identity of {cluster.name} no role. Make sure that it is Contributor on the group's resource group."
        yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path=path, message=text)
    elif not any(role.urn in found.own.after for role in roles):
        names = ", ".join(role.name for role in roles)
        text = f"the pool does not wait for {names}: made before the role holds, it starts beside its reserved capacity. Add depends_on."
        yield found.violated("capacityReservationGroupID", text, level=Level.ADVISORY)


def _roles(case: Case) -> Mapping[str, Sequence[AzureRole]]:
    """By the identity that has them."""
    found: dict[str, list[AzureRole]] = {}
    for role in case.inventory.azure.roles:
        if isinstance(role.identity, str):
            found.setdefault(role.identity, []).append(role)
    return found


# --- GPU-AKS-31


def _contents(case: Case) -> Iterator[Verdict]:
    """B2: a group without a reservation of the size is no refusal but a warning, and no association."""
    planned = {group.urn for group in case.inventory.azure.groups}
    for found in _reserved(case):
        group = found.own.capacity_group
        if isinstance(group, Unknown):
            yield cannot_tell(
                found.own.urn, group, subject=found.own.name, so="it cannot be told whether its group holds machines of its size"
            )
        elif group in planned:
            yield from _held(found, case.once(_in_groups).get(group, ()), str(group))


def _in_groups(case: Case) -> Mapping[object, Sequence[ReservedMachines]]:
    """Reservations by their group."""
    held: dict[object, list[ReservedMachines]] = {}
    for one in case.inventory.azure.reserved:
        held.setdefault(one.group, []).append(one)
    return held


def _held(found: Agents, reserved: Sequence[ReservedMachines], group: str) -> Iterator[Verdict]:
    machines = () if isinstance(found.pool.machines, Unknown) else found.pool.machines
    unknown = next((held.machine for held in reserved if isinstance(held.machine, Unknown)), None)
    own = [held for held in reserved if known(held.machine) and held.machine in machines]
    size = ", ".join(str(machine) for machine in machines)
    if not own and unknown is not None:
        yield cannot_tell(
            found.own.urn, unknown, subject=found.own.name, so="it cannot be told whether its group holds machines of its size"
        )
    elif not own:
        text = f"{name_of(group)} holds no reservation of {size}: AKS makes the pool with a warning and outside the group. Add a CapacityReservation of this size."
        yield found.violated("capacityReservationGroupID", text)
    else:
        yield from _enough(found, own)


def _enough(found: Agents, own: Sequence[ReservedMachines]) -> Iterator[Verdict]:
    most = found.pool.nodes.with_surge
    counts = [held.capacity for held in own if known(held.capacity)]
    if isinstance(most, Unknown) or len(counts) < len(own):
        missing = most if isinstance(most, Unknown) else next(held.capacity for held in own if isinstance(held.capacity, Unknown))
        yield replace(
            cannot_tell(found.own.urn, missing, subject=found.own.name, so="it cannot be told whether its reservation is large enough"),
            level=Level.ADVISORY,
        )
    elif most > sum(counts):
        text = f"up to {most} nodes with an upgrade's extra ones, and {sum(counts)} are reserved: nodes beyond them start only when Azure has room. "
        yield found.violated(
            "capacityReservationGroupID", text + "Reserve as many, or lower the maximum and the surge.", level=Level.ADVISORY
        )


# --- GPU-AKS-32


def _spot(case: Case) -> Iterator[Verdict]:
    text = "a spot pool with a capacity reservation group: spot machines do not come from reserved capacity. Take one of the two out."
    for found in _reserved(case):
        yield from found.judged(
            found.spot, "capacityReservationGroupID", text, "it cannot be told whether its nodes come from the group", level=Level.ADVISORY
        )


# --- GPU-AKS-33


def _zones(case: Case) -> Iterator[Verdict]:
    """E7: AKS has a list of its own of sizes and zones, and the subscription may be restricted further."""
    for found in gpu_agents(case):
        zones = found.pool.zones
        if isinstance(zones, Unknown):
            yield cannot_tell(found.own.urn, zones, subject=found.own.name, so="it cannot be told whether its zones are offered")
        elif zones and not found.infiniband:
            names = ", ".join(str(zone) for zone in zones)
            size = ", ".join(machine.name for machine in found.machines)
            text = (
                f"{found.own.name}: nothing here says that AKS offers {size} in zones {names} of your subscription; Compute's list is not enough "
                "(AvailabilityZoneNotSupported). Leave the zones out, or suppress this with its reason once AKS has made such a pool there."
            )
            yield Verdict(status=Status.UNCHECKED, urn=found.own.urn, path=found.own.path("availabilityZones"), message=text)


RULES = (
    Rule(
        id="GPU-AKS-30",
        title="Clusters whose pools use a capacity reservation group have a user-assigned identity with a role on it",
        failures=("B2",),
        scope=Scope.STACK,
        check=_identity,
        fix="identity: {type: UserAssigned}, a RoleAssignment of Contributor, and the pool depending on it",
    ),
    Rule(
        id="GPU-AKS-31",
        title="A capacity reservation group holds enough machines of the pool's size",
        failures=("B2", "B14"),
        scope=Scope.STACK,
        check=_contents,
        fix="a CapacityReservation with sku.name of the pool and sku.capacity of its maximum with surge",
    ),
    Rule(
        id="GPU-AKS-32",
        title="Spot pools name no capacity reservation group",
        failures=(),
        scope=Scope.RESOURCE,
        check=_spot,
        fix="scaleSetPriority Regular",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-33",
        title="Zones of GPU pools are offered by AKS",
        failures=("E7",),
        scope=Scope.RESOURCE,
        check=_zones,
        fix="no availabilityZones, or zones that AKS lists for the size",
        level=Level.ADVISORY,
    ),
)
