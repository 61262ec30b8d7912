"""GPU-AKS: agent pools as AKS and the provider take them: their place, their words for spot, their sizes."""

from __future__ import annotations

from collections.abc import Iterator

from components.catalog import Machine
from components.inventory import GpuPool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.values import all_of, any_of

from .aks_agents import Agents, agents, given, gpu_agents, is_word, negated
from .rule import Case, Rule, Scope, Verdict, cannot_tell

MOST_DECIMALS = 5
"""Of a spot pool's maximum price."""


# --- GPU-AKS-01


def _inline(case: Case) -> Iterator[Verdict]:
    """H9, K10: Azure merges the list of pools in a cluster with what runs."""
    azure = [pool for pool in case.inventory.pools if pool.cloud == "azure"]
    inline = {(own.urn, own.name): own for own in case.inventory.azure.pools if own.inline}
    clusters = {cluster.urn for cluster in case.inventory.azure.clusters}
    for pool in azure:
        own = inline.get((pool.urn, pool.name))
        if not isinstance(pool, GpuPool) or (own is None and pool.urn not in clusters):
            continue
        if own is not None and Agents(own, pool).gpu:
            yield Agents(own, pool).violated("vmSize", _inline_text(pool))
        else:
            path = pool.paths.get("machines", "")
            yield cannot_tell(
                pool.urn, _missing(pool, path), subject=pool.name, so="it cannot be told whether GPUs stand inside the cluster's resource"
            )


def _missing(pool: GpuPool, path: str) -> Unknown:
    if isinstance(pool.machines, Unknown):
        return pool.machines
    unread = next((machine for machine in pool.machines if isinstance(machine, Unknown)), None)
    names = ", ".join(str(machine) for machine in pool.machines)
    return Unknown(path, f"{names}, which is in no catalogue") if unread is None else unread


def _inline_text(pool: GpuPool) -> str:
    names = ", ".join(str(machine) for machine in pool.machines) if known(pool.machines) else ""
    return (
        f"{names} inside the cluster's resource. Azure merges this list with what runs: taking the entry out leaves the pool running and billed, "
        "editing one sets all pools to Scaling, and a refresh may propose to replace the cluster. "
        "Make it an AgentPool of its own and keep only the system pool inside."
    )


# --- GPU-AKS-02, GPU-AKS-03, GPU-AKS-04: spot


def _spot_system(case: Case) -> Iterator[Verdict]:
    text = (
        "a spot pool of mode System, which AKS refuses: the cluster's own pods must not stand on nodes that are taken away. "
        "Set mode User, and keep a Regular pool of mode System."
    )
    first = "the first pool of its cluster is spot, which AKS refuses. Begin with a Regular pool of mode System and add spot pools of mode User."
    for found in agents(case):
        so = "it cannot be told whether AKS takes it"
        yield from found.judged(all_of([found.spot, is_word(found.own.mode, "System")]), "scaleSetPriority", text, so)
        if found.own.at.startswith(("agentPoolProfiles[0]", "defaultNodePool")) and found.own.mode is None:
            yield from found.judged(found.spot, "scaleSetPriority", first, so)


def _spot_surge(case: Case) -> Iterator[Verdict]:
    text = "a spot pool with upgradeSettings.maxSurge, which AKS refuses (spot pools can't set max surge). Take it out."
    for found in agents(case):
        claim = all_of([found.spot, given(found.own.max_surge)])
        yield from found.judged(claim, "upgradeSettings.maxSurge", text, "it cannot be told whether AKS takes it")


def _spot_words(case: Case) -> Iterator[Verdict]:
    text = "an eviction policy or a maximum price without scaleSetPriority Spot, which AKS refuses. Set the priority, or take them out."
    for found in agents(case):
        words = any_of([given(found.own.eviction_policy), given(found.own.spot_max_price)])
        claim = all_of([negated(found.spot), words])
        yield from found.judged(claim, "scaleSetPriority", text, "it cannot be told whether AKS takes it")
        yield from _price(found)


def _price(found: Agents) -> Iterator[Verdict]:
    price = found.own.spot_max_price
    if isinstance(price, Unknown) or price is None or price == -1:
        return
    if price <= 0 or round(price, MOST_DECIMALS) != price:
        text = f"a maximum price of {price:g}. AKS takes -1, for the on-demand price, or a number above 0 with at most {MOST_DECIMALS} decimals."
        yield found.violated("spotMaxPrice", text)


# --- GPU-AKS-05


def _two_writers(case: Case) -> Iterator[Verdict]:
    """H1: the autoscaler's number and the program's overwrite each other."""
    text = (
        "the autoscaler and the program both set the number of nodes: every update goes back to `count` and drains what the autoscaler "
        'started. Leave count out, or list "count" in ignore_changes.'
    )
    for found in agents(case):
        claim = False if found.own.count_ignored else all_of([found.own.autoscaled, given(found.own.count)])
        level = None if isinstance(found.pool, GpuPool) else Level.ADVISORY
        yield from found.judged(claim, "count", text, "it cannot be told whether two writers set the number of nodes", level=level)


# --- GPU-AKS-06, GPU-AKS-07: what stays behind


def _kept_nodes(case: Case) -> Iterator[Verdict]:
    off = "nodes that are scaled away are only switched off: their disks stay billed, and drivers break after some cycles. Set scaleDownMode Delete."
    evicted = "evicted nodes are only switched off: their disks stay billed and their cores stay in the compute quota. Set scaleSetEvictionPolicy Delete."
    for found in gpu_agents(case):
        so = "it cannot be told what becomes of nodes that go"
        yield from found.judged(is_word(found.own.scale_down, "Deallocate"), "scaleDownMode", off, so, level=Level.ADVISORY)
        yield from found.judged(
            is_word(found.own.eviction_policy, "Deallocate"), "scaleSetEvictionPolicy", evicted, so, level=Level.ADVISORY
        )


def _os_disk(case: Case) -> Iterator[Verdict]:
    for found in gpu_agents(case):
        small = [machine for machine in found.machines if not _proven(machine, found.own.os_disk_gib)]
        if not small:
            continue
        size = f"{found.own.os_disk_gib} GiB" if known(found.own.os_disk_gib) and found.own.os_disk_gib else "a size that AKS chooses"
        held = f"{small[0].nvme_gib:g} GiB" if small[0].nvme_gib else "none that is known"
        text = (
            f"an ephemeral OS disk of {size} on {small[0].name}, whose local disk ({held}) does not prove room for it. AKS may refuse it "
            "(VMCacheSizeTooSmall). Use osDiskType Managed, or a size that the local disk holds."
        )
        so = "it cannot be told where its OS disk stands"
        yield from found.judged(is_word(found.own.os_disk, "Ephemeral"), "osDiskType", text, so, level=Level.ADVISORY)


def _proven(machine: Machine, gib: Maybe[int | None]) -> bool:
    return known(gib) and gib is not None and machine.nvme_gib is not None and gib <= machine.nvme_gib


# --- GPU-AKS-08


def _public(case: Case) -> Iterator[Verdict]:
    text = "every node gets a public address, which is billed and can be reached from outside. Set enableNodePublicIP false."
    for found in gpu_agents(case):
        yield from found.judged(
            found.own.public_addresses,
            "enableNodePublicIP",
            text,
            "it cannot be told whether nodes get public addresses",
            level=Level.ADVISORY,
        )


# --- GPU-AKS-09


def _retired(case: Case) -> Iterator[Verdict]:
    """E7: the size is in old programs, and Azure starts it no more."""
    for found in gpu_agents(case):
        for machine in found.machines:
            if machine.status.startswith("retired"):
                text = f"{machine.name} is {machine.status}: no node starts. Take a size that `gpukit catalog machines` lists without this."
                yield found.violated("vmSize", text)


RULES = (
    Rule(
        id="GPU-AKS-01",
        title="GPU pools are agent pools of their own, not entries inside the cluster",
        failures=("H9", "K10"),
        scope=Scope.RESOURCE,
        check=_inline,
        fix="agentPoolProfiles with the system pool alone; every GPU pool a containerservice.AgentPool",
    ),
    Rule(
        id="GPU-AKS-02",
        title="Spot pools are user pools, and never the first of their cluster",
        failures=("E3",),
        scope=Scope.RESOURCE,
        check=_spot_system,
        fix="scaleSetPriority Spot with mode User",
    ),
    Rule(
        id="GPU-AKS-03",
        title="Spot pools set no surge",
        failures=("E4",),
        scope=Scope.RESOURCE,
        check=_spot_surge,
        fix="no upgradeSettings.maxSurge on spot pools",
    ),
    Rule(
        id="GPU-AKS-04",
        title="Eviction policy and maximum price belong to spot pools, and the price is one that AKS takes",
        failures=(),
        scope=Scope.RESOURCE,
        check=_spot_words,
        fix="scaleSetPriority Spot, scaleSetEvictionPolicy Delete, spotMaxPrice -1",
    ),
    Rule(
        id="GPU-AKS-05",
        title="The number of nodes has one writer",
        failures=("H1",),
        scope=Scope.RESOURCE,
        check=_two_writers,
        fix="enableAutoScaling true with minCount and maxCount, without count; or ignore_changes=['count']",
    ),
    Rule(
        id="GPU-AKS-06",
        title="GPU nodes that go are deleted",
        failures=("J6",),
        scope=Scope.RESOURCE,
        check=_kept_nodes,
        fix="scaleDownMode Delete, scaleSetEvictionPolicy Delete",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-07",
        title="An ephemeral OS disk fits on the machine",
        failures=("E7",),
        scope=Scope.RESOURCE,
        check=_os_disk,
        fix="osDiskType Managed",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-08",
        title="GPU nodes have no public addresses",
        failures=(),
        scope=Scope.RESOURCE,
        check=_public,
        fix="enableNodePublicIP false",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-09",
        title="Sizes are not retired",
        failures=("E7",),
        scope=Scope.RESOURCE,
        check=_retired,
        fix="Standard_NC24ads_A100_v4 for a Standard_NC6s_v3",
    ),
)
