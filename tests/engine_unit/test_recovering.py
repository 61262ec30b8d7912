"""What is brought into a state before a run, by a session that answers from memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scripts.engine.dropped import Dropped, Entry
from scripts.engine.lookup import Exists
from scripts.engine.recovering import Recovery
from scripts.engine.session import Session
from scripts.engine.state import State
from scripts.engine.unread import Unread
from scripts.errors import Failed

STACK: dict[str, Any] = {"urn": "urn:pulumi:dev::gpukit::pulumi:pulumi:Stack::dev", "type": "pulumi:pulumi:Stack"}
CLUSTER: dict[str, Any] = {
    "urn": "urn:pulumi:dev::gpukit::aws:eks/cluster:Cluster::lab",
    "type": "aws:eks/cluster:Cluster",
    "id": "lab",
    "created": "monday",
}
ROLE: dict[str, Any] = {
    "urn": "urn:pulumi:dev::gpukit::aws:iam/role:Role::nodes",
    "type": "aws:iam/role:Role",
    "id": "nodes",
    "custom": True,
}
NAMESPACE: dict[str, Any] = {
    "urn": "urn:pulumi:dev::gpukit::kubernetes:core/v1:Namespace::jobs",
    "type": "kubernetes:core/v1:Namespace",
    "id": "jobs",
    "deletedWith": CLUSTER["urn"],
    "dependencies": [CLUSTER["urn"]],
}


@dataclass
class Remembered:
    """Stands for the engine's session. `gone` holds URNs that their cloud knows no more; reading `NAMESPACE` needs its cluster."""

    workspace: Any
    resources: list[Entry]
    pending: list[dict[str, Any]] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    stack: str = "dev"
    did: list[str] = field(default_factory=list)

    def state(self) -> State:
        return State({"deployment": {"resources": list(self.resources), "pending_operations": self.pending}})

    export = state

    def replace_state(self, state: State) -> None:
        self.did.append("replace")
        self.resources, self.pending = list(state.resources), []

    def read_again(self, urns: Sequence[str]) -> None:
        self.did.append(f"read {len(urns)}")
        self._read(set(urns))

    def read_all(self) -> None:
        self.did.append("read all")
        self._read({str(each["urn"]) for each in self.resources})

    def _read(self, urns: set[str]) -> None:
        if NAMESPACE["urn"] in urns and CLUSTER["urn"] in self.gone:
            raise Failed("the configured cluster is unreachable")
        self.resources = [each for each in self.resources if each["urn"] not in urns & self.gone]


@dataclass
class Cloud:
    settled: list[str] = field(default_factory=list)
    busy: bool = False

    def of(self, *_: object) -> Exists:
        return Exists(("nodes",))

    def settle(self, operation: Any, id_: str) -> None:
        if self.busy:
            raise Failed("the cloud does not answer")
        self.settled.append(f"{operation.kind} {id_}")


@dataclass
class Bench:
    session: Remembered
    cloud: Cloud = field(default_factory=Cloud)
    said: list[str] = field(default_factory=list)

    @property
    def recovery(self) -> Recovery:
        return Recovery(cast("Session", self.session), cast("Any", self.cloud), self.said.append)

    @property
    def held(self) -> list[str]:
        return [str(each["urn"]).rpartition("::")[2] for each in self.session.resources]

    def up(self) -> None:
        """What happens before an `up`."""
        if self.session.pending:
            self.recovery.settle(anew=True)
        self.recovery.read_all()
        self.recovery.restore()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    workspace = SimpleNamespace(checkout=SimpleNamespace(local=tmp_path), world="sandbox")
    return Bench(Remembered(workspace, [STACK, CLUSTER, ROLE, NAMESPACE]))


def unread(bench: Bench) -> Unread:
    return Unread.of(bench.session.workspace, "dev")


def test_a_state_that_nobody_doubts_is_not_read_again(bench: Bench) -> None:
    bench.up()
    assert bench.session.did == []


@pytest.mark.failure("H12")
def test_what_people_deleted_after_a_destroy_was_cut_off_is_made_again(bench: Bench) -> None:
    bench.recovery.before_destroy()
    bench.session.resources.remove(NAMESPACE)  # forgotten by the engine, which was then killed
    bench.session.gone = {ROLE["urn"]}
    bench.up()
    assert bench.held == ["dev", "lab", "jobs"], "a role that the state no longer holds is made by the run that follows"
    assert not unread(bench).marked
    assert Dropped.of(bench.session.workspace, "dev").entries() == ()


@pytest.mark.failure("H6")
def test_objects_of_a_cluster_that_was_deleted_by_hand_hold_up_no_run(bench: Bench) -> None:
    bench.session.gone = {CLUSTER["urn"]}
    bench.recovery.see_cluster()
    assert bench.held == ["dev", "nodes"]
    assert unread(bench).marked, "what went with the cluster is read again by the next `up`"
    assert "the cluster is gone" in bench.said[0]


@pytest.mark.failure("H6")
def test_objects_that_a_killed_destroy_forgot_stay_forgotten_when_their_cluster_was_deleted_by_hand(bench: Bench) -> None:
    bench.recovery.before_destroy()
    bench.session.resources.remove(NAMESPACE)
    bench.session.gone = {CLUSTER["urn"]}
    bench.up()
    assert bench.held == ["dev", "nodes"]


def test_a_cluster_that_lives_keeps_its_objects(bench: Bench) -> None:
    bench.recovery.see_cluster()
    assert bench.held == ["dev", "lab", "nodes", "jobs"]
    assert not unread(bench).marked


def test_a_stack_without_objects_or_cluster_is_not_asked_for_any(bench: Bench) -> None:
    bench.session.resources = [STACK, ROLE]
    bench.recovery.see_cluster()
    assert bench.session.did == []


@pytest.mark.failure("H12")
@pytest.mark.parametrize("kind", ["creating", "updating", "deleting"])
def test_a_recovery_that_is_cut_off_itself_is_done_by_the_next_run(bench: Bench, kind: str) -> None:
    """Without the mark the second run would find nothing pending and believe the state."""
    bench.session.pending = [{"type": kind, "resource": ROLE}]
    if kind == "creating":
        bench.session.resources.remove(ROLE)
    bench.cloud.busy = kind != "updating"
    bench.session.gone = {CLUSTER["urn"]}
    if bench.cloud.busy:
        with pytest.raises(Failed):
            bench.up()
    else:
        bench.recovery.settle(anew=True)
    bench.cloud.busy = False
    assert bench.session.pending or unread(bench).marked
    bench.up()
    assert sorted(bench.held) == ["dev", "nodes"]
    assert not unread(bench).marked


def test_what_is_on_its_way_out_is_awaited_before_anything_is_read(bench: Bench) -> None:
    bench.session.pending = [{"type": "deleting", "resource": ROLE}]
    bench.up()
    assert bench.cloud.settled == ["deleting nodes"]
    assert bench.session.did == ["replace", "read 1", "read all"]


def test_a_complete_destroy_leaves_no_doubt(bench: Bench) -> None:
    bench.recovery.before_destroy()
    assert unread(bench).marked
    bench.recovery.after_destroy()
    assert not unread(bench).marked


def test_a_mark_that_cannot_be_written_stops_before_anything_changes(bench: Bench) -> None:
    unread(bench).path.parent.write_text("a file in the directory's place")
    with pytest.raises(Failed, match=r"cannot be written.*Nothing was changed"):
        bench.recovery.before_destroy()
