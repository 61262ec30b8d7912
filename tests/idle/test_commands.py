"""`gpukit idle` as a person meets it: exit codes, what is refused, JSON that machines read."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts.engine.checkout import Checkout, here
from scripts.errors import BadInput, Exit, Refused
from scripts.idle import commands, record, worlds
from scripts.idle.act.scale import Done
from scripts.idle.collect.targets import target
from scripts.idle.signals import SCHEMA, Record
from scripts.sandbox.kinds.aws import tokens as t
from scripts.teardown import preparing
from scripts.teardown.step import Choices
from scripts.teardown.teardown import Teardown
from tests.teardown.lab import Lab as TeardownLab
from tests.teardown.lab import identity
from tests.teardown.objects import pod as pod_that_runs

from .traces import NOW, TRAIN, cluster, pod


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "record.json"
    working = cluster(TRAIN, name="busy", stack="busy", pods=[pod()])
    record.save(path, Record(schema=SCHEMA, recorded_at=NOW, clusters=(cluster(), working)))
    return str(path)


def test_a_record_is_judged_without_any_cloud(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.idle(from_=recorded, json_=True) == Exit.FINE
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "gpukit/idle/1"
    assert [each["status"] for each in answer["clusters"]] == ["idle", "active"]
    assert answer["clusters"][0]["at_stake_usd_per_hour"] == pytest.approx(21.96)
    assert answer["clusters"][0]["pools"][0]["facts"][0].keys() == {"signal", "value", "against", "source"}


def test_the_text_says_why_and_what_it_costs(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    commands.idle(from_=recorded, stacks=["aws-training-dev"])
    out = " ".join(capsys.readouterr().out.split())
    assert "aws-training-dev is idle: 21.96 USD/h" in out
    assert "engine active at most 0" in out
    assert "busy" not in out


def test_a_record_is_judged_by_what_its_stack_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    allowed = {"grace_minutes": 90, "strongest_action": "scale_to_zero"}
    record.save(path, record.of(NOW, (cluster(name="old", stack="old"), cluster(name="new", stack="new", allowed=allowed))))
    commands.idle(from_=str(path), json_=True)
    old, new = (each["next"] for each in json.loads(capsys.readouterr().out)["clusters"])
    assert (old["do"], new["do"], new["pools"]) == ("tell", "warn", ["a100"])
    assert "what its stack allows is not in the file" in old["reason"]


def test_a_cluster_without_gpu_nodes_has_nothing_to_save(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    pools = [{"name": "a100", "machine": "p4d.24xlarge", "market": "on_demand", "gpus_per_node": 8, "current": 0}]
    record.save(path, record.of(NOW, (cluster(pools=pools, nodes=[], series=[]),)))
    commands.idle(from_=str(path), json_=True)
    (found,) = json.loads(capsys.readouterr().out)["clusters"]
    commands.idle(from_=str(path))
    assert "1 cluster at" in capsys.readouterr().out
    assert (found["status"], found["reason"]) == ("idle", "no GPU node runs: there is nothing to save")


@pytest.mark.parametrize("wrong", [{"act": True}, {"tell": True}, {"record_to": "x"}])
def test_a_file_is_never_acted_upon(recorded: str, wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="touches nothing"):
        commands.idle(from_=recorded, **wrong)  # type: ignore[arg-type]


def test_a_stack_that_the_file_does_not_hold_is_refused(recorded: str) -> None:
    with pytest.raises(BadInput, match="holds nothing about other"):
        commands.idle(from_=recorded, stacks=["other"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"act": True}, "--all"),
        ({"every": True, "stacks": ["aws-training-dev"]}, "leave one of them out"),
        ({"window_minutes": 10}, "at least 30"),
        ({"most_clusters": 0}, "at least 1"),
        ({"most_share": 2.0}, "share"),
    ],
)
def test_orders_that_make_no_sense_are_refused_before_anything_is_asked(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        commands.idle(**given)  # type: ignore[arg-type]


def test_acting_takes_a_list_of_accounts() -> None:
    found = [target(here(), "aws-training-dev")]
    with pytest.raises(Refused, match=r"no account.*aws-training-dev.*--account"):
        commands._refuse_unlisted(found, [], sandbox=False)
    with pytest.raises(Refused, match="accounts 999"):
        commands._refuse_unlisted(found, ["999"], sandbox=False)
    commands._refuse_unlisted(found, [found[0].account], sandbox=False)
    commands._refuse_unlisted(found, [], sandbox=True)


class _Ready:
    """A prepared teardown of the lab, as its own tests make it."""

    def __init__(self, lab: TeardownLab) -> None:
        self._lab = lab
        self.locked = 0

    @contextmanager
    def lock(self) -> Generator[None]:
        self.locked += 1
        yield

    def teardown(self, choices: Choices) -> Teardown:
        assert self.locked == 1, "nothing is planned before the lock is held"
        assert choices == Choices(), "an unattended run forces nothing"
        return self._lab.teardown()


@pytest.fixture
def ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TeardownLab]:
    lab = TeardownLab(tmp_path)
    monkeypatch.setattr(preparing, "prepared", lambda *_: _Ready(lab))
    yield lab
    lab.close()


def destroyed(lab: TeardownLab) -> Done:
    return worlds.destroy(Checkout(lab.home), "sandbox", "lab")


def test_destroying_an_idle_cluster_is_a_whole_teardown_that_keeps_data_with_its_price(
    ending: TeardownLab, capsys: pytest.CaptureFixture[str]
) -> None:
    ending.cluster()
    ending.cloud.make(t.BUCKET, bucket="lab-checkpoints", tags=identity("lab"))
    done = destroyed(ending)
    assert (done.acted, done.left, done.error) == (True, 0, None)
    assert done.text == "destroyed; kept on purpose: 1, at a price that is not known"
    assert "lab-checkpoints" in capsys.readouterr().err
    assert {record.kind for record in ending.cloud.world.store if record.status != "terminated"} == {t.BUCKET}
    assert [entry["event"] for entry in ending.teardown().journal.entries()][-1] == "done"


def test_destroying_is_refused_where_a_teardown_would_be_and_changes_nothing(ending: TeardownLab) -> None:
    ending.cluster()
    ending.put(pod_that_runs("training-0", gpus=1))
    done = destroyed(ending)
    assert not done.acted
    assert done.error is not None
    assert "1 pod with GPUs is running (default/training-0)" in done.error
    assert len(ending.cloud.running()) == 2
    assert not ending.teardown().journal.path.exists()


def test_what_a_destroy_could_not_end_is_counted_and_the_answer_is_no(ending: TeardownLab) -> None:
    cluster = ending.cluster()
    ending.boto("ec2").create_network_interface(SubnetId=cluster.state["vpcConfig"]["subnetIds"][0], Description="database")
    done = destroyed(ending)
    assert (done.acted, done.left) == (False, 2)
    assert "`gpukit teardown lab`" in done.text
