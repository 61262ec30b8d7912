"""GPU-AKS: the network, access and budget around a cluster with GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from components.inventory import AksCluster, AzureSubnet
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import all_of, any_of

from .aks_agents import Agents, agents, gpu_agents
from .rule import Case, Rule, Scope, Verdict, cannot_tell

STORAGE = "Microsoft.Storage"
_BLOB = frozenset({"blob", "dfs"})


def _gpu_clusters(case: Case) -> Iterator[AksCluster]:
    """Planned clusters with a GPU pool in the program."""
    used = {found.own.cluster for found in gpu_agents(case) if known(found.own.cluster)}
    return (cluster for cluster in case.inventory.azure.clusters if cluster.urn in used)


# --- GPU-AKS-40


def _storage_traffic(case: Case) -> Iterator[Verdict]:
    """J4: a NAT gateway bills every byte that nodes read from storage of their own region."""
    used = used_subnets(agents(case))
    private = _private_storage(case)
    for subnet in case.inventory.azure.subnets:
        if not used.holds(subnet):
            continue
        claim = all_of([subnet.nat, _not(any_of([_endpoint(subnet), private]))])
        path = f"{subnet.at}serviceEndpoints"
        if isinstance(claim, Unknown):
            yield cannot_tell(
                subnet.urn, claim, subject=subnet.name, so="it cannot be told whether traffic to storage is billed by the NAT gateway"
            )
        elif claim:
            text = (
                f"{subnet.name}: nodes reach storage through the NAT gateway, which bills every byte of images, models and checkpoints. "
                f"Add the service endpoint {STORAGE} to the subnet, which is free, or a private endpoint for blob."
            )
            yield Verdict(status=Status.VIOLATED, urn=subnet.urn, path=path, message=text)


@dataclass(frozen=True)
class _Subnets:
    """What pools name as their subnets."""

    meant: frozenset[str]
    endings: frozenset[str]
    untold: bool

    def holds(self, subnet: AzureSubnet) -> bool:
        """Whether a pool may mean this subnet; one inside its network's resource has no URN of its own and is told by the end of its id."""
        return self.untold or (subnet.name.casefold() in self.endings if subnet.at else subnet.urn in self.meant)


def used_subnets(pools: Iterable[Agents]) -> _Subnets:
    named = [found.own.subnet for found in pools]
    meant = frozenset(name for name in named if isinstance(name, str))
    endings = frozenset(name.casefold().rpartition("/")[2] for name in meant if "/" in name)
    return _Subnets(meant, endings, any(isinstance(name, Unknown) for name in named))


def _endpoint(subnet: AzureSubnet) -> Maybe[bool]:
    found = subnet.service_endpoints
    return found if isinstance(found, Unknown) else any(service.casefold().startswith(STORAGE.casefold()) for service in found)


def _private_storage(case: Case) -> Maybe[bool]:
    links = [link.services for link in case.inventory.azure.links]
    return any_of([services if isinstance(services, Unknown) else bool(services & _BLOB) for services in links])


def _not(claim: Maybe[bool]) -> Maybe[bool]:
    return claim if isinstance(claim, Unknown) else not claim


# --- GPU-AKS-41


def _access(case: Case) -> Iterator[Verdict]:
    for cluster in _gpu_clusters(case):
        accounts = "local accounts are on: a kubeconfig with a certificate opens the cluster for good, whoever holds it. Set disableLocalAccounts true and use Entra."
        yield from _advice(cluster, cluster.local_accounts, "disableLocalAccounts", accounts)
        ranges = cluster.authorized_ranges
        unbounded = ranges if isinstance(ranges, Unknown) else not ranges
        public = "its API answers every address. Give apiServerAccessProfile.authorizedIPRanges, or make the cluster private."
        yield from _advice(cluster, all_of([_not(cluster.private), unbounded]), "apiServerAccessProfile", public)


def _advice(cluster: AksCluster, claim: Maybe[bool], path: str, text: str) -> Iterator[Verdict]:
    if isinstance(claim, Unknown):
        yield cannot_tell(cluster.urn, claim, subject=cluster.name, so="it cannot be told who can reach the cluster")
    elif claim:
        yield Verdict(status=Status.VIOLATED, urn=cluster.urn, path=path, message=f"{cluster.name}: {text}")


# --- GPU-AKS-42


def _node_group(case: Case) -> Iterator[Verdict]:
    """AKS deletes the group of the nodes with the cluster, whatever else is in it."""
    for cluster in case.inventory.azure.clusters:
        if cluster.strangers:
            text = (
                f"{cluster.name}: {', '.join(cluster.strangers)} in the resource group that AKS makes for the nodes: it goes with the cluster, data and "
                "all, and a locked group refuses it. Put it into a group of its own, and lock the nodes' one (nodeResourceGroupProfile."
                "restrictionLevel ReadOnly)."
            )
            yield Verdict(status=Status.VIOLATED, urn=cluster.urn, path="nodeResourceGroup", message=text)
        elif cluster.untold is not None:
            yield cannot_tell(cluster.urn, cluster.untold, subject=cluster.name, so="it cannot be told whether it goes with the cluster")


# --- GPU-AKS-43


def _budget(case: Case) -> Iterator[Verdict]:
    """Nodes, disks and load balancers stand in the group that AKS makes, beside the one that holds the cluster."""
    if next(_gpu_clusters(case), None) is None:
        return
    budgets = case.inventory.azure.budgets
    unknown = next((budget for budget in budgets if isinstance(budget.of_group, Unknown)), None)
    if unknown is not None and isinstance(unknown.of_group, Unknown):
        verdict = cannot_tell(unknown.urn, unknown.of_group, subject=unknown.name, so="it cannot be told whether it counts the nodes")
        yield replace(verdict, level=Level.ADVISORY)
    elif len(budgets) == 1 and budgets[0].of_group is True:
        text = (
            f"{budgets[0].name}: a budget over one resource group. Nodes stand in the group that AKS makes for them, so the cluster's own group costs "
            "next to nothing. Add a budget for the node resource group, or count the subscription with a filter on both."
        )
        yield Verdict(status=Status.VIOLATED, urn=budgets[0].urn, path="scope", message=text)


# --- GPU-AKS-44


def _guards(case: Case) -> Iterator[Verdict]:
    """The network security groups of subnets with GPU nodes."""
    subnets = used_subnets(gpu_agents(case))
    used = {subnet.guard for subnet in case.inventory.azure.subnets if subnets.holds(subnet) and known(subnet.guard)}
    for guard in case.inventory.azure.guards:
        if guard.urn not in used:
            continue
        closes, opened = guard.closes_nodes, guard.opens_to_all
        if isinstance(closes, Unknown) or isinstance(opened, Unknown):
            hidden = next(fact for fact in (closes, opened) if isinstance(fact, Unknown))
            yield cannot_tell(guard.urn, hidden, subject=guard.name, so="it cannot be told whether nodes reach each other")
            continue
        if closes:
            text = f"{guard.name}: a rule denies what nodes of the network send each other before another allows it: jobs over several nodes never "
            text += "find each other. Allow VirtualNetwork with all protocols at a smaller priority number."
            yield Verdict(status=Status.VIOLATED, urn=guard.urn, path="securityRules", message=text)
        if opened:
            text = f"{guard.name}: ports {', '.join(sorted(opened))} of GPU nodes are open to every address. Name the addresses that need them."
            yield Verdict(status=Status.VIOLATED, urn=guard.urn, path="securityRules", message=text)


# --- GPU-AKS-45


def _upgrades(case: Case) -> Iterator[Verdict]:
    """An upgrade drains nodes under running jobs, at a time that someone should have chosen."""
    windows = {window.cluster for window in case.inventory.azure.windows if known(window.cluster)}
    untold = any(isinstance(window.cluster, Unknown) for window in case.inventory.azure.windows)
    for cluster in _gpu_clusters(case):
        channel = cluster.upgrades
        if isinstance(channel, Unknown):
            yield cannot_tell(cluster.urn, channel, subject=cluster.name, so="it cannot be told when its nodes are drained")
        elif channel not in (None, "none") and cluster.urn not in windows and not untold:
            text = f"{cluster.name}: upgrades come by the channel {channel} at any hour and drain nodes under running jobs. "
            text += "Add a MaintenanceConfiguration (aksManagedAutoUpgradeSchedule) with a window, or set the channel none."
            yield Verdict(status=Status.VIOLATED, urn=cluster.urn, path="autoUpgradeProfile.upgradeChannel", message=text)


RULES = (
    Rule(
        id="GPU-AKS-40",
        title="Nodes behind a NAT gateway reach storage without it",
        failures=("J4",),
        scope=Scope.STACK,
        check=_storage_traffic,
        fix="serviceEndpoints: [{service: Microsoft.Storage}] on the subnet of the nodes",
    ),
    Rule(
        id="GPU-AKS-41",
        title="Clusters with GPUs are closed: no local accounts, an API for known addresses",
        failures=("H8",),
        scope=Scope.STACK,
        check=_access,
        fix="disableLocalAccounts true; authorizedIPRanges or enablePrivateCluster",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-42",
        title="The resource group of the nodes holds what AKS makes, and nothing else",
        failures=(),
        scope=Scope.STACK,
        check=_node_group,
        fix="disks, addresses and storage in a resource group of their own",
    ),
    Rule(
        id="GPU-AKS-43",
        title="A budget counts the nodes",
        failures=(),
        scope=Scope.STACK,
        check=_budget,
        fix="a Budget for the node resource group beside that of the cluster's",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-44",
        title="GPU nodes reach each other, and not everyone reaches them",
        failures=(),
        scope=Scope.STACK,
        check=_guards,
        fix="an inbound rule that allows VirtualNetwork before any that denies everything",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-45",
        title="Automatic upgrades of clusters with GPUs have a window",
        failures=(),
        scope=Scope.STACK,
        check=_upgrades,
        fix="a MaintenanceConfiguration named aksManagedAutoUpgradeSchedule",
        level=Level.ADVISORY,
    ),
)
