"""GPU-GKE: the cluster around the pools: protection, upgrades, auto-provisioning, system pods, ways out of a private network."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import CloudNat, GkeCluster, GkePool, GpuPool, Market, NodePool, QueuedUse, Subnetwork
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import all_of, any_of, mapped

from .gke_pools import cluster_of, gke_pools, gpu_pools, perhaps_plain, trains, unchecked, untold, violated
from .rule import Case, Place, Rule, Scope, Verdict, cannot_tell, judged

ENOUGH = ("NO_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES")
"""Scopes of a maintenance exclusion that keep GKE from draining nodes."""
_CLOSING = ("NO_SCHEDULE", "NO_EXECUTE")
"""Effects of taints that keep pods off, as GKE spells them."""
QUEUED_CLASS = "queued-provisioning.gke.io"


def _says(cluster: GkeCluster, path: str, text: str, level: Level | None = None, status: Status = Status.VIOLATED) -> Verdict:
    return Verdict(status=status, urn=cluster.urn, path=path, message=f"{cluster.name}: {text}", level=level)


# --- GPU-GKE-40


def _protection(case: Case) -> Iterator[Verdict]:
    """H14: the provider protects what says nothing."""
    so = "it cannot be told whether a destroy would end half-way"
    for plane in case.inventory.control_planes:
        if plane.cloud != "gcp" or plane.existing:
            continue
        text = "deletionProtection is not given, which means true: a destroy fails at the cluster, after its pools are gone. "
        text += "Write it out: true for what must stay, false for a stack that ends."
        absent = mapped(plane.deletion_protection, lambda said: said is None)
        yield from judged(absent, Place(plane.urn, plane.name, "deletionProtection"), text, so)


# --- GPU-GKE-41


def _upgrades(case: Case) -> Iterator[Verdict]:
    """D13: an upgrade drains nodes under the job."""
    for pool, gke in gke_pools(case):
        if not isinstance(pool, GpuPool) or not trains(pool, gke) or gke.auto_upgrade is False:
            continue
        cluster = cluster_of(case, pool)
        if cluster is None:
            text = "its nodes are upgraded by themselves, and its cluster is made elsewhere: make sure that a maintenance exclusion covers the runs."
            yield unchecked(pool, "management.autoUpgrade", text)
            continue
        covered = _covered(cluster)
        if isinstance(covered, Unknown):
            yield untold(pool, covered, "it cannot be told whether upgrades drain nodes under a job")
        elif not covered:
            text = f"nodes that work together are upgraded by themselves, and no maintenance exclusion of {cluster.name} keeps them: GKE drains them in "
            text += "mid-run. Add a maintenanceExclusion with scope NO_MINOR_OR_NODE_UPGRADES, or set management.autoUpgrade to false."
            yield violated(pool, "management.autoUpgrade", text)


def _covered(cluster: GkeCluster) -> Maybe[bool]:
    if isinstance(cluster.exclusions, Unknown):
        return cluster.exclusions
    return any_of([scope if isinstance(scope, Unknown) else scope in ENOUGH for scope in cluster.exclusions])


# --- GPU-GKE-42


def _spare(case: Case) -> Iterator[Verdict]:
    """B14: where capacity is counted, there is none for a node more."""
    for pool, gke in gke_pools(case):
        if gke.upgrade_strategy in (None, "SURGE") and gke.max_surge == 0 and gke.max_unavailable == 0:
            text = "upgrades may neither add a node nor take one away, which GKE refuses. Set maxUnavailable to 1."
            yield violated(pool, "upgradeSettings", text, Level.MANDATORY)
        elif isinstance(pool, GpuPool) and pool.market is Market.RESERVATION and not (known(pool.nodes.surge) and pool.nodes.surge == 0):
            yield from _surging(pool)


def _surging(pool: NodePool) -> Iterator[Verdict]:
    if isinstance(pool.nodes.surge, Unknown):
        yield untold(pool, pool.nodes.surge, "it cannot be told whether an upgrade needs a node beyond the reserved ones")
        return
    text = f"an upgrade first adds {pool.nodes.surge} node(s), and reserved capacity has none to spare: it hangs. Set maxSurge to 0 and maxUnavailable to 1."
    yield violated(pool, "upgradeSettings", text)


# --- GPU-GKE-43


def _provisioned(case: Case) -> Iterator[Verdict]:
    """D9: pools that GKE makes by itself get no driver."""
    for cluster in case.inventory.gke_clusters.values():
        kinds = cluster.provisioned
        if isinstance(kinds, Unknown):
            yield cannot_tell(
                cluster.urn, kinds, subject=cluster.name, so="it cannot be told whether GPU pools are made by auto-provisioning"
            )
            continue
        gpus = [kind for kind in kinds if known(kind) and kind.startswith("nvidia-")]
        if gpus:
            text = f"auto-provisioning may make pools of {', '.join(gpus)}, and such pools install no driver unless the pod asks for it. "
            text += "Make GPU pools in the program, or have every GPU pod select cloud.google.com/gke-gpu-driver-version."
            yield _says(cluster, "clusterAutoscaling.resourceLimits", text)


# --- GPU-GKE-44


def _queued_pools(case: Case) -> Iterator[Verdict]:
    """D14: the autoscaler deletes pools that it made while a request still waits for them."""
    uses = [use for use in case.inventory.of_google(QueuedUse) if use.provisioning_class in (None, QUEUED_CLASS)]
    if uses and not any(gke.queued is True for _, gke in gke_pools(case)):
        use = uses[0]
        text = f"{use.name}: jobs ask for queued provisioning, and no pool of this program has queuedProvisioning. A pool that GKE makes by itself is deleted "
        text += "when it is empty, and the request stays Accepted for ever. Make the pool in the program."
        yield Verdict(status=Status.VIOLATED, urn=use.urn, path="spec.provisioningClassName", message=text)


# --- GPU-GKE-45


def _system_pods(case: Case) -> Iterator[Verdict]:
    """F10: the cluster's own pods tolerate no GPU taint and must not sit on machines that vanish."""
    hosts: dict[str, list[Maybe[bool]]] = {}
    for pool, gke in gke_pools(case):
        cluster = cluster_of(case, pool)
        if cluster is not None:
            stays = mapped(cluster.removes_default_pool, lambda removed: not removed) if gke.inline else True
            hosts.setdefault(cluster.urn, []).append(all_of([_hosts(pool, gke), stays]))
    for cluster in case.inventory.gke_clusters.values():
        if cluster.autopilot is not False or cluster.urn not in hosts:
            continue
        claim = any_of(hosts[cluster.urn])
        if isinstance(claim, Unknown):
            yield cannot_tell(cluster.urn, claim, subject=cluster.name, so="it cannot be told where the cluster's own pods run")
        elif not claim:
            text = "no pool without GPUs, taints and spot keeps a node at all times, so the cluster's own pods and operators stay Pending or vanish with "
            yield _says(cluster, "", text + "spot nodes. Add a pool of CPU machines on demand with a minimum of at least 1.")


def _hosts(pool: NodePool, gke: GkePool) -> Maybe[bool]:
    """Whether system pods find a place on it."""
    if isinstance(pool, GpuPool):
        plain = perhaps_plain(pool, gke)
        return False if plain is None else plain
    keeping = pool.taints if isinstance(pool.taints, Unknown) else not any(taint.rpartition(":")[2] in _CLOSING for taint in pool.taints)
    least = pool.nodes.minimum if isinstance(pool.nodes.minimum, Unknown) else pool.nodes.minimum > 0
    bought = pool.market if isinstance(pool.market, Unknown) else pool.market is not Market.SPOT
    return all_of([keeping, least, bought, gke.flex_start if isinstance(gke.flex_start, Unknown) else not gke.flex_start])


# --- GPU-GKE-47


def _inline(case: Case) -> Iterator[Verdict]:
    """What AKS does to lists of pools (H9), GKE's provider does to the cluster (pulumi-gcp 10.2.0, `container.Cluster.nodePools`)."""
    for pool, gke in gpu_pools(case):
        if gke.inline:
            text = "GPUs inside the cluster's resource: a pool there cannot be changed, added or taken out without making the whole cluster anew. "
            yield violated(pool, "nodeConfig", f"{text}Make it a container.NodePool of its own.")


# --- GPU-GKE-46


def _private_access(case: Case) -> Iterator[Verdict]:
    """J4: without it every byte from Google's own storage and registries passes the NAT, and is paid."""
    made = {subnet.urn: subnet for subnet in case.inventory.of_google(Subnetwork)}
    nats = case.inventory.of_google(CloudNat)
    for cluster in case.inventory.gke_clusters.values():
        private = cluster.private_nodes
        if isinstance(private, Unknown):
            so = "it cannot be told whether its nodes reach Google's services without the NAT"
            yield cannot_tell(cluster.urn, private, subject=cluster.name, so=so)
        elif private:
            subnet = made.get(cluster.subnet) if isinstance(cluster.subnet, str) else None
            yield from _access(cluster, subnet, bool(nats))


def _access(cluster: GkeCluster, subnet: Subnetwork | None, nat: bool) -> Iterator[Verdict]:
    if subnet is None:
        text = "private nodes in a subnetwork that is made elsewhere: make sure that Private Google Access is on there."
        yield _says(cluster, "subnetwork", text, status=Status.UNCHECKED)
    elif isinstance(subnet.private_google_access, Unknown):
        so = f"it cannot be told whether nodes of {cluster.name} reach Google's services without the NAT"
        yield cannot_tell(subnet.urn, subnet.private_google_access, subject=subnet.name, so=so)
    elif not subnet.private_google_access:
        cost = (
            "all traffic with Cloud Storage and Artifact Registry passes the NAT and is billed by the byte"
            if nat
            else "nodes reach no registry and no bucket"
        )
        text = f"{subnet.name}: private nodes of {cluster.name} without Private Google Access: {cost}. Set privateIpGoogleAccess to true."
        yield Verdict(status=Status.VIOLATED, urn=subnet.urn, path="privateIpGoogleAccess", message=text)


RULES = (
    Rule(
        id="GPU-GKE-40",
        title="Deletion protection of a cluster is written out",
        failures=("H14",),
        scope=Scope.RESOURCE,
        check=_protection,
        fix="deletionProtection: false (dev), true (prod)",
    ),
    Rule(
        id="GPU-GKE-41",
        title="Upgrades do not drain nodes that work together",
        failures=("D13",),
        scope=Scope.STACK,
        check=_upgrades,
        fix="maintenanceExclusions: [{exclusionOptions: {scope: NO_MINOR_OR_NODE_UPGRADES}, …}]",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-GKE-42",
        title="Upgrades of reserved pools add no node",
        failures=("B14",),
        scope=Scope.RESOURCE,
        check=_spare,
        fix="upgradeSettings: {maxSurge: 0, maxUnavailable: 1}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-GKE-43",
        title="GPU pools are made by the program, not by auto-provisioning, which gives them no driver",
        failures=("D9",),
        scope=Scope.RESOURCE,
        check=_provisioned,
        fix="resourceLimits for cpu and memory alone, and GPU pools as NodePool resources",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-GKE-44",
        title="Queued provisioning has a pool made for it",
        failures=("D14",),
        scope=Scope.STACK,
        check=_queued_pools,
        fix="a NodePool with queuedProvisioning: {enabled: true}",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-GKE-45",
        title="System pods have nodes of their own: CPU, on demand, without taints",
        failures=("F10",),
        scope=Scope.STACK,
        check=_system_pods,
        fix="a pool of e2-standard-4 with totalMinNodeCount 2, neither spot nor tainted",
    ),
    Rule(
        id="GPU-GKE-46",
        title="Private nodes reach Google's services without the NAT",
        failures=("J4",),
        scope=Scope.STACK,
        check=_private_access,
        fix="privateIpGoogleAccess: true on the nodes' subnetwork",
    ),
    Rule(
        id="GPU-GKE-47",
        title="GPU pools are node pools of their own, not entries inside the cluster",
        failures=(),
        scope=Scope.RESOURCE,
        check=_inline,
        fix="container.NodePool with the cluster's name; inside the cluster removeDefaultNodePool alone",
        level=Level.ADVISORY,
    ),
)
