"""Warn, wait, act, bring back: on a simulated cluster, through the clouds' own clients, with runs that are cut off at every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scripts.errors import Exit, Failed
from scripts.idle.act import run, scale
from scripts.idle.act.run import Orders, Report
from scripts.idle.act.state import Remembered
from scripts.idle.intent import Do, Policy, Reach, Strongest
from tests.killed import Killed

from .lab import STACK, Lab


def once(lab: Lab, *, act: bool = True, reach: Reach | None = None, **changes: Any) -> Report:
    """One run of `gpukit idle --act` over the lab."""
    looked = [lab.look(**changes)]
    asking = lab.asking
    report = run.judge(looked, lab.store.read().stacks, asking, reach or Reach(), ())
    return run.carry_out(report, looked, Orders(reach=reach or Reach(), act=act, tell=True), lab.acting, asking)


def due(lab: Lab) -> Lab:
    """A cluster at rest that was warned more than a grace ago."""
    lab.rested(2)
    once(lab)
    lab.advance("65m")
    return lab


def step(report: Report) -> Do:
    return report.cases[0].intent.do


def test_a_cluster_is_warned_waited_for_and_scaled_to_zero_with_its_maximum_kept(lab: Lab) -> None:
    lab.rested(2)
    assert step(once(lab)) is Do.WARN
    lab.advance("30m")
    assert step(once(lab)) is Do.WAIT
    assert lab.machines == 2
    lab.advance("40m")
    report = once(lab)
    assert step(report) is Do.SCALE
    assert report.exit is Exit.FINE
    assert lab.machines == 0
    assert lab.sizes == {"minSize": 0, "desiredSize": 0, "maxSize": 4}


def test_resume_brings_the_sizes_back_and_is_not_stopped_by_its_own_record(lab: Lab) -> None:
    once(due(lab))
    assert scale.resume(lab.target(), lab.acting).acted
    assert lab.sizes == {"minSize": 0, "desiredSize": 2, "maxSize": 4}
    assert not scale.resume(lab.target(), lab.acting).acted
    assert lab.machines == 2


def test_after_a_resume_the_next_grace_begins_anew(lab: Lab) -> None:
    once(due(lab))
    scale.resume(lab.target(), lab.acting)
    lab.advance("3h")
    assert step(once(lab)) is Do.WARN


def test_a_missed_run_catches_up(lab: Lab) -> None:
    lab.rested(2)
    once(lab)
    lab.advance("3d")
    assert step(once(lab)) is Do.SCALE


def test_a_dry_run_that_tells_warns_and_never_ends_anything(lab: Lab) -> None:
    lab.rested(2)
    assert step(once(lab, act=False)) is Do.WARN
    lab.advance("2h")
    assert step(once(lab, act=False)) is Do.SCALE
    assert lab.machines == 2


def test_a_stack_that_allows_nothing_is_only_spoken_about(lab: Lab) -> None:
    lab.rested(2)
    for _ in range(2):
        assert step(once(lab, policy=Policy(strongest=Strongest.NOTIFY))) is Do.TELL
        lab.advance("2h")
    assert lab.machines == 2


def test_queues_are_held_before_anything_is_resized_and_released_by_resume(lab: Lab) -> None:
    lab.queue()
    due(lab)
    lab.calls.clear()
    once(lab)
    held = next(at for at, call in enumerate(lab.calls) if call[0] == "PATCH" and "clusterqueues" in call[1])
    resized = next(at for at, call in enumerate(lab.calls) if "update-config" in call[1])
    assert held < resized
    assert lab.policy_of() == "Hold"
    scale.resume(lab.target(), lab.acting)
    assert lab.policy_of() == "None"


def test_queues_stay_open_while_another_pool_of_the_cluster_works(lab: Lab) -> None:
    lab.queue()
    other = {"gpukit/stack": STACK, "gpukit/pool": "h100"}
    lab.cloud.group(lab.cluster, desired=1, tags=other, instanceTypes=["g5.xlarge"], amiType="AL2023_x86_64_NVIDIA")
    due(lab)
    looked = lab.look()
    done = scale.to_zero(looked, ["a100"], lab.acting, lab.verdict)
    assert done.acted
    assert lab.policy_of() is None


def test_a_job_that_begins_while_queues_are_held_stops_the_action(lab: Lab) -> None:
    lab.queue()
    due(lab)
    looked = lab.look()
    lab.nodes(2, pods=1)
    done = scale.to_zero(looked, ["a100"], lab.acting, lab.verdict)
    assert not done.acted
    assert lab.machines == 2
    assert lab.policy_of() == "None"
    assert not lab.store.of_stack(STACK).scaled


CUT = ("hold", "resize", "_left")
"""Where a run may be killed: before queues are held, before pools are resized, before the second look."""


@pytest.mark.parametrize("where", CUT)
def test_a_run_killed_at_any_step_is_finished_by_the_next_and_forgets_no_size(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    lab.queue()
    due(lab)

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as broken:
        broken.setattr(scale.queues if where == "hold" else scale, where, kill)
        with pytest.raises(Killed):
            once(lab)
    once(lab)
    assert lab.machines == 0
    assert lab.policy_of() == "Hold"
    scale.resume(lab.target(), lab.acting)
    assert lab.sizes == {"minSize": 0, "desiredSize": 2, "maxSize": 4}
    assert lab.policy_of() == "None"


def test_a_second_scaling_does_not_record_the_zero_that_the_first_made(lab: Lab) -> None:
    lab.rested(2)
    with lab.cloud.world.store.transaction():
        record = lab.cloud.now(lab.group)
        sizes = {"minSize": 1, "desiredSize": 2, "maxSize": 4}
        lab.cloud.world.store.put(replace(record, state={**record.state, "scalingConfig": sizes}))
    scale.to_zero(lab.look(), ["a100"], lab.acting, lab.verdict)
    lab.nodes(1)  # an autoscaler, for a job that came later
    lab.advance("3h")
    scale.to_zero(lab.look(), ["a100"], lab.acting, lab.verdict)
    scale.resume(lab.target(), lab.acting)
    assert lab.sizes == {"minSize": 1, "desiredSize": 2, "maxSize": 4}


def test_sizes_that_somebody_set_since_stay(lab: Lab) -> None:
    once(due(lab))
    with lab.cloud.world.store.transaction():
        record = lab.cloud.now(lab.group)
        lab.cloud.world.store.put(replace(record, state={**record.state, "scalingConfig": {"minSize": 3, "desiredSize": 3, "maxSize": 3}}))
    done = scale.resume(lab.target(), lab.acting)
    assert "stays as it is" in done.text
    assert lab.sizes["desiredSize"] == 3


def test_machines_that_do_not_end_make_the_answer_no(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    due(lab)
    monkeypatch.setattr(scale, "resize", lambda *_: None)
    report = once(lab)
    assert report.done[STACK].left == 2
    assert report.exit is Exit.NO


def test_a_cloud_that_refuses_is_a_failure_and_leaves_the_record(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    due(lab)

    def refuse(*_: object) -> None:
        raise Failed("no")

    monkeypatch.setattr(scale, "resize", refuse)
    report = once(lab)
    assert report.exit is Exit.FAILED
    assert lab.store.of_stack(STACK).pools["a100"].desired == 2


def test_an_expired_lease_over_a_running_job_ends_nothing(lab: Lab) -> None:
    lab.nodes(2, pods=2)
    lab.advance("3h")
    expired = {"expires": lab.asking.now.date().replace(year=2025)}
    for _ in range(2):
        assert step(once(lab, **expired)) is Do.TELL
        lab.advance("2d")
    assert lab.machines == 2


def fleet(lab: Lab, count: int) -> list[Any]:
    """The same cluster under many names, each warned long ago."""
    looked = lab.look()
    made = [replace(looked, target=replace(looked.target, stack=f"s{at}")) for at in range(count)]
    warned = lab.store.of_stack(STACK).model_copy(update={"warned_at": lab.asking.now.replace(year=2025)})
    for each in made:
        lab.store.write(each.target.stack, warned)
    return made


@pytest.mark.parametrize(
    "reach", [Reach(clusters=50, share=1.0, usd_per_hour=1e9), Reach(clusters=99, share=1.0, usd_per_hour=100.0), Reach(clusters=99)]
)
def test_beyond_a_limit_nothing_at_all_is_touched_and_the_answer_is_no(lab: Lab, reach: Reach) -> None:
    lab.rested(2)
    made = fleet(lab, 51)
    before = lab.store.path.read_bytes()
    lab.calls.clear()
    report = run.judge(made, lab.store.read().stacks, lab.asking, reach, ())
    report = run.carry_out(report, made, Orders(reach=reach, act=True, tell=True), lab.acting, lab.asking)
    assert sum(1 for case in report.cases if case.intent.do is Do.SCALE) == 51
    assert report.exit is Exit.NO
    assert lab.calls == []
    assert lab.store.path.read_bytes() == before
    assert lab.machines == 2


def test_destroying_is_done_only_where_the_stack_opts_in_and_everything_rests(lab: Lab) -> None:
    lab.rested(2)
    looked = lab.look(policy=Policy(strongest=Strongest.DESTROY))
    looked = replace(looked, cluster=looked.cluster.model_copy(update={"other_usd_per_hour": 1.0}))
    asked: list[str] = []

    def destroy(stack: str) -> scale.Done:
        asked.append(stack)
        return scale.Done(stack=stack, acted=True, text="destroyed")

    def go() -> Report:
        report = run.judge([looked], lab.store.read().stacks, lab.asking, Reach(), ())
        return run.carry_out(report, [looked], Orders(reach=Reach(), act=True, destroy=destroy), lab.acting, lab.asking)

    go()
    assert asked == []
    state = lab.store.of_stack(STACK)
    lab.store.write(STACK, state.model_copy(update={"warned_at": lab.asking.now.replace(year=2025)}))
    go()
    assert asked == [STACK]


@pytest.mark.failure("H12")
def test_a_destroy_that_was_cut_off_goes_on_though_its_cluster_is_gone_and_only_there(lab: Lab) -> None:
    asked: list[str] = []

    def destroy(stack: str) -> scale.Done:
        asked.append(stack)
        return scale.Done(stack=stack, acted=len(asked) > 1, text="", left=2 - len(asked))

    def go(**orders: Any) -> Report:
        looked = [lab.look(cluster="gone", policy=Policy(strongest=strongest)) for strongest in orders.pop("allowed")]
        report = run.judge(looked, lab.store.read().stacks, lab.asking, Reach(), ())
        return run.carry_out(report, looked, Orders(reach=Reach(), destroy=destroy, **orders), lab.acting, lab.asking)

    go(act=True, allowed=[Strongest.DESTROY])
    assert asked == [], "nothing had begun"
    lab.store.write(STACK, Remembered(begun="destroy"))
    go(act=False, tell=True, allowed=[Strongest.DESTROY])
    go(act=True, allowed=[Strongest.SCALE_TO_ZERO])
    assert asked == []
    assert go(act=True, allowed=[Strongest.DESTROY]).exit is Exit.NO
    assert lab.store.of_stack(STACK).begun == "destroy"
    assert go(act=True, allowed=[Strongest.DESTROY]).exit is Exit.FINE
    go(act=True, allowed=[Strongest.DESTROY])
    assert asked == [STACK, STACK]


def test_credentials_of_another_account_stop_the_action(lab: Lab) -> None:
    from scripts.errors import Refused

    due(lab)

    def refuse(_: object) -> None:
        raise Refused("other account")

    looked, asking = [lab.look()], lab.asking
    report = run.judge(looked, lab.store.read().stacks, asking, Reach(), ())
    report = run.carry_out(report, looked, Orders(reach=Reach(), act=True, before_acting=refuse), lab.acting, asking)
    assert report.exit is Exit.FAILED
    assert lab.machines == 2


def test_the_same_trouble_is_told_once_a_day(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    sent: Callable[..., list[str]] = lambda _targets, title, _text: (told.append(title), [])[1]  # noqa: E731
    monkeypatch.setattr("scripts.idle.act.notify.tell", sent)
    lab.rested(2)
    for hours in ("1h", "1h", "23h", "1h"):
        once(lab, policy=Policy(strongest=Strongest.NOTIFY), notify=("env:HOOK",))
        lab.advance(hours)
    assert len(told) == 2


def test_a_warning_that_reached_nobody_begins_no_grace(lab: Lab) -> None:
    lab.rested(2)
    report = once(lab, notify=("env:GPUKIT_TEST_UNSET",))
    assert report.exit is Exit.FAILED
    assert lab.store.of_stack(STACK).warned_at is None
