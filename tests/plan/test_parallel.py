"""Stacks of several clouds are planned side by side, and told in the order in which they were asked for."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from scripts.errors import BadInput, Exit
from scripts.plan import build, parallel
from scripts.plan.build import plan_stack
from scripts.plan.model import Plan
from scripts.plan.packing import packed, unpacked
from scripts.plan.plan_json import plan_json

from .checkout import ROOT, by_default, copy_of_stacks

AWS, GCP, BROKEN = "aws-inference-dev", "gcp-inference-dev", "broken"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped stacks, and a file that is none."""
    made = copy_of_stacks(tmp_path_factory.mktemp("checkout"))
    (made / "stacks" / f"Pulumi.{BROKEN}.yaml").write_text("config: [", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def plan(root: Path) -> Plan:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 2)
        return parallel.planned(root, [GCP, BROKEN, AWS], by_default())


def test_the_plans_come_in_the_order_of_the_names(plan: Plan) -> None:
    assert [stack.name for stack in plan.stacks] == [GCP, BROKEN, AWS]


def test_a_plan_of_another_process_is_the_plan_of_this_one(plan: Plan, root: Path) -> None:
    here = plan_stack(root, AWS, by_default())
    assert plan_json(replace(plan, stacks=(here,)))["stacks"] == plan_json(plan)["stacks"][2:]


def test_one_broken_file_leaves_the_others_planned(plan: Plan) -> None:
    assert [stack.error is None for stack in plan.stacks] == [True, False, True]
    assert plan.exit == Exit.USAGE


def test_a_cloud_that_is_no_word_is_that_stacks_own_error(root: Path, tmp_path: Path) -> None:
    made = copy_of_stacks(tmp_path)
    (made / "stacks" / "Pulumi.list.yaml").write_text("config: {gpukit:cluster: {cloud: [aws, gcp]}}\n", encoding="utf-8")
    assert parallel.by_cloud(made, [AWS, "list", GCP]) == {"aws": (AWS, "list"), "gcp": (GCP,)}


def test_a_fault_in_one_plan_is_that_stacks_alone_and_no_pass(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> None:
        raise OverflowError("date value out of range")

    monkeypatch.setattr(build, "recorded", faulty)
    plan = plan_stack(root, AWS, by_default())
    assert plan.exit == Exit.FAILED
    assert "unexpected OverflowError: date value out of range" in str(plan.error)


def test_stacks_of_one_cloud_stay_in_this_process(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "started", None)
    assert [stack.name for stack in parallel.planned(root, [AWS, BROKEN], by_default()).stacks] == [AWS, BROKEN]


def test_a_misspelt_name_ends_the_command_before_anything_starts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "started", None)
    with pytest.raises(BadInput, match=AWS):
        parallel.planned(root, [GCP, "aws-inference-dve"], by_default())


def test_the_shipped_stacks_are_told_apart_by_cloud() -> None:
    groups = parallel.by_cloud(ROOT, [AWS, GCP, "azure-inference-dev", "aws-training-dev"])
    assert groups == {"aws": (AWS, "aws-training-dev"), "gcp": (GCP,), "azure": ("azure-inference-dev",)}


def test_an_interrupt_leaves_no_process_behind(root: Path) -> None:
    seen: list[int] = []

    def interrupted() -> None:
        with parallel.started(root, {"aws": (AWS,), "gcp": (GCP,)}, by_default()) as children:
            seen.extend(child.process.pid for child in children)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(seen) == 2
    for pid in seen:
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)


def test_a_process_that_dies_is_an_error_of_its_own_stacks(root: Path) -> None:
    with parallel.started(root, {"gcp": (GCP,)}, by_default()) as [child]:
        os.killpg(child.process.pid, signal.SIGKILL)
        [plan] = child.answer()
    assert (plan.name, plan.exit) == (GCP, Exit.FAILED)
    assert plan.error is not None
    assert "signal 9" in plan.error


def test_read_only_views_survive_the_way_to_another_process() -> None:
    view = MappingProxyType({"a": MappingProxyType({"b": 1})})
    back = unpacked(packed(view))
    assert (back, type(back), type(back["a"])) == (view, MappingProxyType, MappingProxyType)
