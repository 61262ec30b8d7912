"""What a stack file says about its cluster reaches the idle tools, on each cloud."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.engine.checkout import Checkout, here
from scripts.errors import BadInput, Exit
from scripts.idle.act.run import Report
from scripts.idle.collect.targets import target, targets
from scripts.idle.intent import Strongest
from scripts.plan.terminal import complain


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout whose stack files are copies of the shipped ones, each with an `idle` section of its own."""
    (tmp_path / "stacks").mkdir()
    section = '    idle: {grace_minutes: 90, strongest_action: destroy, notify: ["env:HOOK"]}\n'
    for path in here().stacks.glob("Pulumi.*-dev.yaml"):
        text = path.read_text().replace("    environment: dev\n", f"    environment: dev\n{section}", 1)
        (tmp_path / "stacks" / path.name).write_text(text)
    return Checkout(tmp_path)


@pytest.mark.parametrize("stack", ["aws-training-dev", "gcp-training-dev", "azure-inference-dev"])
def test_the_idle_section_of_a_stack_file_is_obeyed(checkout: Checkout, stack: str) -> None:
    found = target(checkout, stack)
    assert (found.policy.grace_minutes, found.policy.strongest) == (90, Strongest.DESTROY)
    assert found.notify == ("env:HOOK",)


def test_without_a_section_pools_may_go_to_zero_and_nothing_may_be_destroyed() -> None:
    assert target(here(), "aws-training-dev").policy.strongest is Strongest.SCALE_TO_ZERO


def test_a_broken_file_hides_no_other(checkout: Checkout) -> None:
    checkout.stack_file("aws-training-dev").write_text("config: [")
    found, unread = targets(checkout, ["aws-training-dev", "gcp-training-dev"])
    assert [each.stack for each in found] == ["gcp-training-dev"]
    assert [each.stack for each in unread] == ["aws-training-dev"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("config: {aws:region: us-east-1}\n", "gpukit:cluster: is missing: describe the cluster there"),
        ("config: {gpukit:cluster: {cloud: aws}, gpukit:zzz: 1, aws:region: us-east-1}\n", "gpukit:zzz: unknown key"),
    ],
)
def test_a_stack_file_is_refused_in_the_words_of_its_plan(checkout: Checkout, text: str, said: str) -> None:
    checkout.stack_file("aws-training-dev").write_text(text)
    with pytest.raises(BadInput, match=said):
        target(checkout, "aws-training-dev")


def test_wrong_stack_files_alone_are_bad_input_and_a_silent_cloud_is_a_failure() -> None:
    assert Report(cases=(), errors=["a: wrong"], unread=["a: wrong"]).exit is Exit.USAGE
    assert Report(cases=(), errors=["a: wrong", "aws did not answer"], unread=["a: wrong"]).exit is Exit.FAILED


def test_several_errors_of_a_file_are_a_list_and_foreign_line_breaks_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    complain("stacks/Pulumi.a.yaml: 2 errors to correct.\n  - one\n  - two\ngpukit: forged")
    assert capsys.readouterr().err.splitlines() == [
        "gpukit: stacks/Pulumi.a.yaml: 2 errors to correct.", "  - one", "  - two gpukit: forged"
    ]  # fmt: skip
