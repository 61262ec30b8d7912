"""Before a run: what earlier runs left open, and what ended outside of gpukit, is brought into the state.

In this order: operations that were under way are settled; a cluster that is gone takes along what the state held in it; everything is read
again where there is doubt; what a destroy that was cut off has forgotten is put back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.engine import pending
from scripts.engine.dropped import Dropped, missing
from scripts.engine.events import resource_type
from scripts.engine.lookup import IN_CLUSTER, CloudLookup
from scripts.engine.pending import Adopt
from scripts.engine.references import without
from scripts.engine.session import Session
from scripts.engine.state import State
from scripts.engine.unread import Unread

CLUSTERS = frozenset({"aws:eks/cluster:Cluster", "gcp:container/cluster:Cluster", "azure-native:containerservice:ManagedCluster"})


@dataclass(frozen=True)
class Recovery:
    """Of one stack, whose lock the caller holds. Every method raises Refused, Failed or BadInput, and may then be called again by the next run."""

    session: Session
    lookup: CloudLookup
    say: Callable[[str], None]

    @property
    def unread(self) -> Unread:
        return Unread.of(self.session.workspace, self.session.stack)

    @property
    def dropped(self) -> Dropped:
        return Dropped.of(self.session.workspace, self.session.stack)

    def settle(self, *, anew: bool) -> None:
        """Settle what an interrupted engine left open, before the next one would make it twice (H12). `anew`: everything is read again later."""
        state = self.session.export()
        decisions = tuple(pending.decide(operation, lambda each: self.lookup.of(each, state)) for operation in state.pending)
        repaired = pending.repaired(state, decisions, stack=self.session.stack)
        for decision in decisions:
            did = f"found as {decision.id}, recorded" if isinstance(decision, Adopt) else f"cleared: {decision.why}"
            self.say(f"interrupted earlier: {decision.operation.type} {decision.operation.name}: {did}")
        if anew:
            self._await_leaving(state)
        # The mark outlives this process: with the pending operations goes the only trace of what may have changed.
        self.unread.mark()
        self.session.replace_state(repaired)
        adopted = [decision for decision in decisions if isinstance(decision, Adopt)]
        for decision in adopted:
            self.lookup.settle(decision.operation, decision.id)
        if adopted and not anew:
            self.session.read_again([decision.operation.urn for decision in adopted])

    def _await_leaving(self, state: State) -> None:
        """The engine repeats a delete only in another destroy. What is still on its way out is awaited: a look would show it as there."""
        present = {each["urn"] for each in state.resources}
        for operation in state.pending:
            if operation.kind == "deleting" and operation.in_cloud and operation.urn in present:
                self.lookup.settle(operation, str(operation.resource.get("id", "")))

    def see_cluster(self) -> None:
        """H6: what the state holds in a cluster that is gone is forgotten: its provider could only fail on it, at every run."""
        state = self.session.export()
        clusters = [str(each["urn"]) for each in state.resources if each.get("type") in CLUSTERS and not each.get("delete")]
        if not clusters or not any(_in_cluster(each) for each in state.resources):
            return
        self.session.read_again(clusters)
        state = self.session.export()
        if {str(each["urn"]) for each in state.resources} & set(clusters):
            return
        self.say("the cluster is gone from its cloud: what the state held in it is forgotten")
        self.unread.mark()
        self.session.replace_state(without(state, _in_cluster))

    def read_all(self) -> None:
        """Where the state is in doubt, read everything that it holds."""
        if not self.unread.marked:
            return
        self.say("an earlier run did not end well: everything that the state holds is read again")
        self.see_cluster()
        self.session.read_all()

    def restore(self) -> None:
        """Put back what a destroy that was cut off has forgotten of a cluster that still exists, and see what is left of it."""
        entries = self.dropped.entries()
        if entries:
            state = self.session.export()
            whole = state.with_resources(missing(entries, state))
            present = {each["urn"] for each in whole.resources}
            objects = [str(each["urn"]) for each in entries if each.get("deletedWith") and each["urn"] in present]
            if len(whole.resources) > len(state.resources):
                self.say("a destroy was cut off: its cluster exists, so what the state had forgotten in it is recorded again")
                self.session.replace_state(whole)
            if objects:
                self.session.read_again(objects)
            self.dropped.forget()
        self.unread.clear()

    def before_destroy(self) -> None:
        """What the engine will forget before it is gone stays known until the destroy is complete."""
        self.unread.mark()
        self.dropped.remember(self.session.state() or State({}))

    def after_destroy(self) -> None:
        """The destroy is complete."""
        self.dropped.forget()
        self.unread.clear()


def _in_cluster(entry: Mapping[str, Any]) -> bool:
    return resource_type(str(entry["urn"])).startswith(IN_CLUSTER)
