"""GPU clusters of which no stack file speaks: found, judged, told, and never touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.errors import Failed
from scripts.idle.act import text
from scripts.idle.act.run import Orders, carry_out, judge
from scripts.idle.collect import discovery, together
from scripts.idle.collect.discovery import Discovered, discover
from scripts.idle.intent import Do, Reach, Strongest
from scripts.idle.verdict import Status

from .lab import Lab
from .test_cloud_metrics import Metered, metered

__all__ = ["metered"]


def beside(lab: Lab, **changes: object) -> Discovered:
    """What is found beside a stack whose cluster is not the lab."""
    return discover([lab.target(stack="known", cluster="known", **changes)], lab.asking)


def test_each_cloud_lists_a_gpu_cluster_without_a_stack_file(metered: Metered) -> None:
    now = metered.world.clock.now()
    asking = together.Asking(access=metered.access, metering=lambda _: None, rules=together.Rules(), now=now)
    others = discover([replace(metered.target, cluster="known")], asking)
    (found,) = others.looked
    assert others.errors == ()
    assert (found.target.cluster, found.target.account, found.target.discovered) == ("lab", metered.target.account, True)
    assert found.cluster.stack is None
    assert [pool.current for pool in found.cluster.pools or ()] == [2]


def test_a_cluster_with_a_stack_file_is_not_found_again(lab: Lab) -> None:
    lab.nodes(1)
    assert discover([lab.target()], lab.asking).looked == ()


def test_a_cluster_without_gpu_pools_is_none_of_these(lab: Lab) -> None:
    lab.cloud.delete(lab.group)
    assert beside(lab).looked == ()


def test_an_account_is_searched_once_however_many_stacks_name_it(lab: Lab) -> None:
    lab.nodes(1)
    known = [lab.target(stack=f"s{n}", cluster=f"c{n}") for n in range(3)]
    assert len(discover(known, lab.asking).looked) == 1


def test_what_was_found_is_told_whatever_it_rests_and_whatever_may_be_acted_upon(lab: Lab) -> None:
    lab.rested()
    looked = beside(lab).looked
    report = judge(looked, {}, lab.asking, Reach(), [])
    (case,) = report.cases
    assert case.intent.do is Do.TELL
    said = text.would(case, dry=True)
    assert "it has no stack file" in said
    assert "gpukit teardown --cluster lab --cloud aws --region us-east-1 --account 123456789012" in said
    assert "gpukit/idle=keep" in said
    done = carry_out(report, looked, Orders(reach=Reach(), tell=True, act=True), lab.acting, lab.asking)
    assert done.done == {}
    assert lab.machines == 2


def test_found_clusters_leave_the_share_that_may_be_acted_upon_as_it_is(lab: Lab) -> None:
    lab.rested()
    one = lab.look()
    mine = [replace(one, target=replace(one.target, stack=f"s{n}")) for n in range(4)]
    (found,) = beside(lab).looked
    others = [replace(found, target=replace(found.target, stack=f"x{n}")) for n in range(40)]
    past = {f"s{n}": lab.store.of_stack("none").model_copy(update={"warned_at": lab.asking.now.replace(year=2020)}) for n in range(4)}
    report = judge([*mine, *others], past, lab.asking, Reach(usd_per_hour=1e6), [])
    assert report.stopped is not None
    assert "4 of 4" in report.stopped


def test_a_lease_that_its_tag_mirrors_is_told(lab: Lab) -> None:
    lab.rested()
    with lab.cloud.world.store.transaction():
        record = lab.cloud.now(lab.cluster)
        lab.cloud.world.store.put(replace(record, tags={**record.tags, "gpukit/expires": "2026-01-31", "gpukit/owner": "ml"}))
    looked = beside(lab).looked
    (case,) = judge(looked, {}, lab.asking, Reach(), []).cases
    assert case.verdict.status is Status.EXPIRED
    assert case.cluster.owner == "ml"
    assert case.intent.do is Do.TELL


def test_a_found_cluster_whose_api_refuses_is_unknown_and_ends_no_run(lab: Lab) -> None:
    lab.rested()
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    report = judge(beside(lab).looked, {}, lab.asking, Reach(), [])
    assert [case.verdict.status for case in report.cases] == [Status.UNKNOWN]
    assert report.errors == []


def test_an_account_that_cannot_be_searched_is_said(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> list[str]:
        raise Failed("AWS refused to list clusters: AccessDenied")

    monkeypatch.setattr(discovery, "_eks", refuse)
    others = beside(lab)
    assert others.looked == ()
    assert "123456789012 were not searched" in others.errors[0]


def test_a_cluster_without_a_stack_file_allows_nothing(lab: Lab) -> None:
    lab.nodes(1)
    (found,) = beside(lab).looked
    assert found.target.policy.strongest is Strongest.NOTIFY
    assert found.target.notify == ()
