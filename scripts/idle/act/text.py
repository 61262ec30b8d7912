"""A case in words: for terminals, messages and JSON. One source for what each says."""

from __future__ import annotations

from components import naming
from scripts.idle.act.deciding import Case
from scripts.idle.activity import Fact
from scripts.idle.intent import Do
from scripts.idle.verdict import PoolVerdict

MOST_FACTS = 4


def money(usd: float | None) -> str:
    return "unknown USD/h" if usd is None else f"{usd:,.2f} USD/h"


def title(case: Case) -> str:
    """`aws-training-dev is idle: 43.92 USD/h`."""
    at_stake = case.verdict.at_stake_usd_per_hour
    cost = f": {money(at_stake)}" if at_stake != 0 else ""
    return f"{case.key} is {case.verdict.status}{cost}"


def would(case: Case, *, dry: bool) -> str:
    """What follows, in one sentence; `dry`: nothing does, but it would."""
    step = case.intent
    due = f"{step.due:%Y-%m-%d %H:%M} UTC" if step.due else ""
    pools = ", ".join(step.pools)
    saves = "" if step.usd_per_hour is None else f", saving {money(step.usd_per_hour)}"
    match step.do:
        case Do.WARN:
            warns = "would warn" if dry else "warned"
            return f"{warns}: from {due} on {pools or 'the cluster'} may be ended{saves}, unless something uses it"
        case Do.WAIT:
            return f"warned {step.past.warned_at:%Y-%m-%d %H:%M} UTC: acts from {due} on{saves}, unless something uses it"
        case Do.SCALE:
            return f"{'would scale' if dry else 'scaling'} {pools} to zero{saves}"
        case Do.DESTROY:
            return f"{'would destroy' if dry else 'destroying'} the whole cluster{saves}"
        case Do.TELL:
            return f"needs a person: {step.reason}{_of_no_stack(case)}"
        case Do.NOTHING:
            return "nothing to do"


def _of_no_stack(case: Case) -> str:
    """What to do about a cluster that was found beside the stacks."""
    if not case.discovered:
        return ""
    of = case.cluster
    where = f"--cluster {of.name} --cloud {of.cloud} --region {of.region} --account {of.account}"
    return (
        f". Nothing is done about it: ask its owner; keep it by the tag {naming.tag_key(of.cloud or 'aws', 'idle')}"
        f"=keep; give it a stack file of its name to have it watched; or end it: gpukit teardown {where}"
    )


def pool_line(pool: PoolVerdict) -> str:
    nodes = "unknown size" if pool.nodes is None else f"{pool.nodes} node{'' if pool.nodes == 1 else 's'}"
    paid = ", paid for up front" if pool.prepaid else ""
    return f"{pool.pool}  {pool.status}  {nodes}, {money(pool.usd_per_hour)}{paid}  {pool.reason}"


def facts(pool: PoolVerdict) -> str:
    """The figures that decided."""
    more = f"; {len(pool.facts) - MOST_FACTS} more" if len(pool.facts) > MOST_FACTS else ""
    dropped = f"; {pool.dropped} impossible values dropped" if pool.dropped else ""
    return "; ".join(str(fact) for fact in pool.facts[:MOST_FACTS]) + more + dropped


def message(case: Case, *, simulated: bool, restored: bool) -> str:
    """The text of a notification."""
    step = case.intent
    lines = ["Simulated clouds: nothing of this is real."] if simulated else []
    where = ", ".join(part for part in (case.cluster.cloud, case.cluster.account, case.cluster.region) if part)
    lines += [f"Cluster {case.cluster.name} ({where}), owner {case.cluster.owner or 'unknown'}", case.verdict.reason + "."]
    lines += [pool_line(pool) for pool in case.verdict.pools]
    lines.append(would(case, dry=False) + ".")
    if step.do is Do.WARN:
        lines.append(
            f"To keep it: use it, or tag the cluster {naming.tag_key(case.cluster.cloud or 'aws', 'idle')}=keep; a later end of its lease: gpukit leases extend {case.key} --to DATE."
        )
    if restored:
        lines.append(f"To bring it back: gpukit resume {case.key}")
    return "\n".join(lines)


def fact_json(fact: Fact) -> dict[str, str]:
    return {"signal": str(fact.signal), "value": fact.value, "against": fact.against, "source": fact.source}


def case_json(case: Case) -> dict[str, object]:
    """One entry of `gpukit/idle/1`."""
    verdict, step, cluster = case.verdict, case.intent, case.cluster
    return {
        "stack": cluster.stack,
        "cluster": cluster.name,
        "cloud": cluster.cloud,
        "account": cluster.account,
        "region": cluster.region,
        "owner": cluster.owner,
        "discovered": case.discovered,
        "status": str(verdict.status),
        "reason": verdict.reason,
        "window_minutes": verdict.window_minutes,
        "usd_per_hour": verdict.usd_per_hour,
        "at_stake_usd_per_hour": verdict.at_stake_usd_per_hour,
        "pools": [
            {
                "pool": pool.pool,
                "status": str(pool.status),
                "reason": pool.reason,
                "nodes": pool.nodes,
                "usd_per_hour": pool.usd_per_hour,
                "prepaid": pool.prepaid,
                "resting": pool.resting,
                "parked": pool.parked,
                "dropped": pool.dropped,
                "facts": [fact_json(fact) for fact in pool.facts],
            }
            for pool in verdict.pools
        ],
        "sources": [{"name": s.name, "read_at": s.read_at.isoformat(), "error": s.error} for s in cluster.sources],
        "next": {
            "do": str(step.do),
            "reason": step.reason,
            "pools": list(step.pools),
            "usd_per_hour": step.usd_per_hour,
            "due": step.due.isoformat() if step.due else None,
        },
    }
