"""GPU-AKS: names and numbers of nodes that AKS takes for an agent pool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components.unknown import Maybe, Unknown, known
from policies.readers.values import all_of

from .aks_agents import Agents, agents, given, is_word, negated
from .rule import Case, Rule, Scope, Verdict

_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
"""Of pools of Linux nodes (AKS naming rules, aka.ms/aks-naming-rules)."""
_SO = "it cannot be told whether AKS takes it"


# --- GPU-AKS-16


def _counts(case: Case) -> Iterator[Verdict]:
    for found in agents(case):
        yield from _bounds_alone(found)
        yield from found.judged(_empty_system(found), _least(found), EMPTY_SYSTEM, _SO)
        yield from _range(found)


EMPTY_SYSTEM = (
    "a pool of mode System that may have no node, which AKS refuses: the cluster's own pods stand there. "
    "Give it at least one node, better two, or mode User."
)


def _least(found: Agents) -> str:
    return "minCount" if found.own.autoscaled is True else "count"


def _empty_system(found: Agents) -> Maybe[bool]:
    fewest = found.pool.nodes.minimum
    none = fewest if isinstance(fewest, Unknown) else fewest < 1
    return all_of([is_word(found.own.mode, "System"), none])


def _bounds_alone(found: Agents) -> Iterator[Verdict]:
    text = "minCount or maxCount without enableAutoScaling, which AKS refuses. Switch it on, or take the bounds out and write count."
    for bound, prop in ((found.own.minimum, "minCount"), (found.own.maximum, "maxCount")):
        yield from found.judged(all_of([negated(found.own.autoscaled), given(bound)]), prop, text, _SO)


def _range(found: Agents) -> Iterator[Verdict]:
    low, high, count = found.own.minimum, found.own.maximum, found.own.count
    if found.own.autoscaled is not True:
        return
    if isinstance(low, Unknown):  # a maximum that is hidden is told by what it may cost
        yield from found.judged(low, "minCount", "", _SO)
    if not known(high) or high is None:
        return
    if high < 1:
        yield found.violated("maxCount", f"is {high}: AKS refuses a pool that may never have a node. Set maxCount to at least 1.")
        return
    if not known(low) or low is None:
        return
    if low > high:
        yield found.violated("maxCount", f"{low} to {high} nodes, which is no range: AKS refuses it. Set maxCount to at least minCount.")
    elif known(count) and count is not None and not low <= count <= high:
        text = f"begins with {count} nodes, outside of minCount {low} to maxCount {high}, which AKS refuses. Leave count out: the autoscaler writes it."
        yield found.violated("count", text)


# --- GPU-AKS-17


def _names(case: Case) -> Iterator[Verdict]:
    for found in agents(case):
        name = found.own.given_name
        if isinstance(name, Unknown):
            yield from found.judged(name, found.own.name_property, "", _SO)
            continue
        if name is None or _NAME.fullmatch(name):
            continue
        text = f"{name!r} is no name of a pool: AKS takes 1 to 12 of a-z and 0-9 that begin with a letter. Choose a shorter or plainer one."
        yield found.violated(found.own.name_property, text)


RULES = (
    Rule(
        id="GPU-AKS-16",
        title="Pools have as many nodes as AKS takes: a range, within it the start, and system pools never none",
        failures=(),
        scope=Scope.RESOURCE,
        check=_counts,
        fix="enableAutoScaling true, minCount 0 and maxCount 4 of mode User; count alone without the autoscaler",
    ),
    Rule(
        id="GPU-AKS-17",
        title="Pools have names that AKS takes",
        failures=(),
        scope=Scope.RESOURCE,
        check=_names,
        fix="agentPoolName a100, or none, so that one is made",
    ),
)
