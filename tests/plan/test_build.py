"""Plans of the shipped stacks, and of the same stacks with one thing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.finding import Status
from scripts.errors import BadInput, Exit
from scripts.plan.build import plan_stack, plan_stacks
from scripts.plan.model import Plan, StackPlan

from .checkout import ROOT, by_default, copy_of_stacks, edit

TRAINING = "aws-training-dev"
INFERENCE = "aws-inference-dev"


@pytest.fixture(scope="module")
def shipped() -> Plan:
    return plan_stacks(ROOT, [TRAINING, INFERENCE], by_default())


def planned(root: Path, stack: str) -> StackPlan:
    return plan_stack(root, stack, by_default())


def test_shipped_stacks_come_out_without_violated_and_without_unknown(shipped: Plan) -> None:
    assert [s.error for s in shipped.stacks] == [None, None]
    assert [f for s in shipped.stacks for f in s.findings if f.status in {Status.VIOLATED, Status.UNKNOWN, Status.UNPRICED}] == []
    assert shipped.exit is Exit.FINE


def test_a_pool_shows_its_interfaces_and_owners(shipped: Plan) -> None:
    (pool,) = shipped.stacks[0].pools
    assert pool.machines == ("p4d.24xlarge",)
    assert [(s.card, s.kind) for s in pool.slots] == [(0, "interface"), (0, "efa-only"), (1, "efa-only"), (2, "efa-only"), (3, "efa-only")]
    assert str(pool.ownership.driver) == "image"
    assert str(pool.ownership.device_plugin) == "gpu_operator"


def test_cost_grows_from_now_over_the_maximum_to_the_surge(shipped: Plan) -> None:
    for stack in shipped.stacks:
        assert stack.cost is not None
        assert 0 < stack.cost.now.hourly_usd < stack.cost.max.hourly_usd <= stack.cost.surge.hourly_usd


def test_without_names_every_stack_file_is_planned(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    for file in (root / "stacks").glob("Pulumi.*.yaml"):
        if TRAINING not in file.name:
            file.unlink()
    assert [s.name for s in plan_stacks(root, [], by_default()).stacks] == [TRAINING]


def test_an_error_in_one_stack_hides_no_other(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, TRAINING, "p4d.24xlarge\n", "p4d.24xlarg\n")
    plan = plan_stacks(root, [TRAINING, INFERENCE], by_default())
    broken, sound = plan.stacks
    assert broken.error is not None
    assert "p4d.24xlarge" in broken.error
    assert broken.findings == ()
    assert sound.error is None
    assert sound.cost is not None
    assert plan.exit is Exit.USAGE


def test_every_error_of_a_stack_file_is_told_at_once(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, TRAINING, "environment: dev", "environment: test\n    colour: red")
    edit(root, TRAINING, "max: 4}\n        capacity", "max: many}\n        capacity")
    error = planned(root, TRAINING).error
    assert error is not None
    assert all(word in error for word in (TRAINING, "environment", "colour", "nodes.max"))
    assert "Traceback" not in error


def test_a_file_that_is_no_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, TRAINING, "config:\n", "config: [\n")
    found = planned(root, TRAINING)
    assert found.exit is Exit.USAGE
    assert "line" in (found.error or "")


def test_what_a_family_cannot_build_is_refused_by_name(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    (root / "stacks" / "Pulumi.later.yaml").write_text(
        "config:\n  azure-native:location: eastus\n  gpukit:cluster: {cloud: azure, account: 00000000-0000-0000-0000-000000000000, "
        "workload: training, owner: ml, access: {api: private}, pools: [{name: a, machine: Standard_ND96isr_H100_v5}]}\n",
        encoding="utf-8",
    )
    found = planned(root, "later")
    assert found.exit is Exit.USAGE
    assert "access.admins" in (found.error or "")
    assert found.resources is None or found.cost is None


def test_the_path_of_a_stack_file_means_its_stack() -> None:
    (stack,) = plan_stacks(ROOT, [str(ROOT / "stacks" / "Pulumi.aws-training-dev.yaml")], by_default()).stacks
    assert (stack.name, stack.error) == ("aws-training-dev", None)


def test_the_path_of_a_file_elsewhere_means_no_stack_of_this_project(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.aws-training-dev.yaml").write_text("config: {}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no stack"):
        plan_stacks(ROOT, [str(tmp_path / "Pulumi.aws-training-dev.yaml")], by_default())


def test_an_unknown_name_ends_the_command_with_the_nearest_one() -> None:
    with pytest.raises(BadInput, match=f"Did you mean {TRAINING}"):
        plan_stacks(ROOT, [INFERENCE, "aws-trainig-dev"], by_default())


@pytest.mark.failure("J1")
def test_a_pool_above_its_budget_makes_the_answer_no(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, TRAINING, "hourly_usd: 120", "hourly_usd: 50")
    found = planned(root, TRAINING)
    assert [f.status for f in found.failing] == [Status.VIOLATED]
    assert found.exit is Exit.NO


def test_secrets_in_a_stack_file_are_refused_without_being_read(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, TRAINING, "owner: ml-platform", "owner: {secure: AAABcanary}")
    found = planned(root, TRAINING)
    assert found.exit is Exit.USAGE
    assert "canary" not in (found.error or "")


def test_two_plans_of_one_stack_are_the_same(shipped: Plan) -> None:
    assert plan_stack(ROOT, TRAINING, by_default()) == shipped.stacks[0]
