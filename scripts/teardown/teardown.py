"""One teardown from look to verification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scripts.errors import BadInput, Refused
from scripts.teardown import kinds as k
from scripts.teardown import preflight
from scripts.teardown.clouds.cloud import ClusterFacts
from scripts.teardown.journal import Journal
from scripts.teardown.looking import look
from scripts.teardown.model import Scope, Seen, Thing
from scripts.teardown.objects import body
from scripts.teardown.plan import Plan, plan
from scripts.teardown.preflight import Standing
from scripts.teardown.running import Pace, Runner
from scripts.teardown.step import Scene, Step
from scripts.teardown.steps import claims, data
from scripts.teardown.steps.order import steps
from scripts.teardown.verifying import Ending


@dataclass
class Teardown:
    """Plans, acts and verifies on one scene. `facts` is None when the cloud has proven that there is no cluster."""

    scene: Scene
    facts: ClusterFacts | None
    journal: Journal
    say: Callable[[str], None]
    protected_in_state: tuple[str, ...] = ()
    pace: Pace = field(default_factory=Pace)
    wait_line: Callable[[str], None] = lambda _: None

    @property
    def steps(self) -> tuple[Step, ...]:
        return steps(self.scene.choices, state_known=self.scene.engine is not None)

    def plan(self) -> Plan:
        """Look at everything once and say what would be done. Changes nothing."""
        self.journal.refuse_others(self.scene.target)
        seen = self._look()
        standing = Standing(
            exists=self.facts is not None,
            protected=self.facts is not None and self.facts.protected,
            reachable=self.scene.cluster is not None and not seen.silent,
            protected_in_state=self.protected_in_state,
        )
        judged = preflight.judge(seen, standing, self.scene.choices)
        self._refuse_unknown_data(seen)
        return plan(self.scene.target, self.steps, seen, judged, api=self.scene.cluster is not None)

    def act(self, planned: Plan) -> Ending:
        """Do it. Raises Refused when the preflight forbids it, Failed when a cloud stops it half-way; run again, it goes on."""
        if planned.preflight.blockers:
            raise Refused(
                f"The teardown of {planned.target.name} would stop half-way. Nothing was changed.\n"
                + "\n".join(f"  - {blocker}" for blocker in planned.preflight.blockers)
            )
        target = self.scene.target
        self.journal.start(target)
        scope = self._scope(self._look())
        self.journal.append("scope", scope=scope.as_json())
        runner = Runner(scene=self.scene, journal=self.journal, scope=scope, say=self.say, pace=self.pace, wait_line=self.wait_line)
        done = runner.run(self.steps)
        self.say("verifying: a second look at everything with the target's identity")
        residue, kept = self._left(scope)
        self.journal.append("verified", residue=[thing.as_json() for thing in residue], kept=[thing.as_json() for thing in kept])
        if not residue:
            self.journal.append("done")
        return Ending(target=target, done=done, residue=residue, kept=kept, journal=str(self.journal.path))

    def _look(self) -> Seen:
        kinds = {*preflight.NEEDS, *k.EVERYTHING, *_REMEMBERED, *(kind for step in self.steps for kind in step.needs)}
        first = look(self.scene, _REMEMBERED, Scope())
        return look(self.scene, kinds, self._scope(first))

    def _scope(self, seen: Seen) -> Scope:
        """What the journal remembers, completed by what is seen now."""
        known = self.journal.scope()
        if self.facts is not None:
            known = known.with_(self.facts.scope)
        policies = claims.policies(seen.of([claims.PERSISTENT]))
        return known.with_(Scope(policies=policies, uid=cluster_uid(seen), stack=self.scene.target.stack))

    def _left(self, scope: Scope) -> tuple[tuple[Thing, ...], tuple[Thing, ...]]:
        """Residue and what is kept. Things that are on their way out get the time of one more look."""
        end = self.pace.now() + _SETTLE_SECONDS * self.pace.longest
        while True:
            seen = look(self.scene, k.EVERYTHING, scope)
            residue = tuple(thing for thing in seen.things if not thing.kept)
            if not residue or self.pace.now() >= end:
                return residue, tuple(thing for thing in seen.things if thing.kept)
            self.wait_line(f"verifying: {len(residue)} still listed")
            self.pace.sleep(self.pace.look_seconds)

    def _refuse_unknown_data(self, seen: Seen) -> None:
        """A name that means nothing is a slip of the hand, and deleting data leaves no room for one."""
        for name in sorted(self.scene.choices.delete_data):
            if not data.named(seen, frozenset({name})):
                known = ", ".join(sorted(thing.name or thing.id for thing in seen.of(k.DATA) if thing.kept)) or "none"
                raise BadInput(f"--delete-data {name}: the target has no data of that name. It has: {known}. Nothing was changed.")


def cluster_uid(seen: Seen) -> str:
    """Uid of the namespace kube-system; "" where no API server told it."""
    return next((str(body(each)["metadata"].get("uid") or "") for each in seen.of([NAMESPACE]) if each.name == "kube-system"), "")


NAMESPACE = "Namespace"
_REMEMBERED = frozenset({claims.PERSISTENT, NAMESPACE})
"""Objects that tell what is remembered of the cluster."""
_SETTLE_SECONDS = 300
"""Lists by tag lag behind deletions for some minutes."""
