from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.engine.events import PolicyFinding, Report, Step
from scripts.engine.outcome import Outcome, judge, lags_behind, outcome
from scripts.engine.process import Ended
from scripts.engine.summary import summary
from scripts.errors import Exit

FINDING = PolicyFinding("gpukit-stack-mandatory", "mandatory", "urn:pulumi:dev::p::t::a100", "About.\nGPU-COST-01 (violated): too much")
PROTECTED = 'resource "urn:pulumi:dev::p::t::x" cannot be deleted\nbecause it is protected. To unprotect the resource, …'


def test_an_engine_that_ends_well_is_fine() -> None:
    assert judge(Ended(0, ""), Report(), stack="dev") == (Exit.FINE, "")


def test_a_mandatory_finding_is_a_no() -> None:
    code, message = judge(Ended(1, ""), Report(findings=[FINDING], errors=["preview failed"]), stack="dev")
    assert code is Exit.NO
    assert message.startswith("Stopped by 1 mandatory finding.")


def test_an_advisory_finding_does_not_excuse_a_failure() -> None:
    advisory = PolicyFinding("p", "advisory", "", "careful")
    assert judge(Ended(1, ""), Report(findings=[advisory], errors=["no capacity"]), stack="dev")[0] is Exit.FAILED


def test_an_interrupt_explains_everything_that_follows_it() -> None:
    step = Step("create", "urn:pulumi:dev::p::aws:eks/cluster:Cluster::c", ended=True)
    code, message = judge(Ended(1, "", interrupted=True), Report(errors=["update canceled"], steps=[step]), stack="dev")
    assert code is Exit.INTERRUPTED
    assert "1 resource done" in message


def test_an_engine_that_was_killed_is_a_failure_that_says_how_to_go_on() -> None:
    code, message = judge(Ended(-9, ""), Report(), stack="dev")
    assert code is Exit.FAILED
    assert "signal 9" in message
    assert "again" in message


@pytest.mark.parametrize(
    ("ended", "report", "code"),
    [
        (Ended(1, "error: the stack is currently locked by 1 lock(s)."), Report(), Exit.NO),
        (Ended(1, ""), Report(errors=[PROTECTED, "preview failed"]), Exit.NO),
        (Ended(1, "error: failed to load checkpoint: place 1: unexpected end of JSON input"), Report(), Exit.USAGE),
        (Ended(1, "Error:   snapshot integrity failure; refusing to use it: child …\n\ngoroutine 1 [running]:"), Report(), Exit.USAGE),
        (Ended(1, "error: getting stack configuration: incorrect passphrase"), Report(), Exit.USAGE),
        (Ended(6, "error: no stack named 'dev' found"), Report(), Exit.USAGE),
        (Ended(1, ""), Report(errors=["creating EKS Cluster: ServiceUnavailable"]), Exit.FAILED),
        (Ended(255, ""), Report(), Exit.FAILED),
    ],
    ids=["locked", "protected", "corrupt state", "broken state", "passphrase", "no stack", "cloud", "engine"],
)
def test_the_engines_one_exit_code_is_told_apart_by_its_words(ended: Ended, report: Report, code: Exit) -> None:
    assert judge(ended, report, stack="dev")[0] is code


def test_the_paragraph_keeps_the_errors_and_drops_their_echo_and_stack_traces() -> None:
    text = "error: first\n\ngoroutine 1 [running]:\nruntime/debug.Stack()\n"
    assert judge(Ended(1, text), Report(), stack="dev")[1] == "Stack dev: the engine stopped.\nerror: first"
    assert judge(Ended(1, text), Report(errors=["real cause", "update failed"]), stack="dev")[1].endswith("stopped.\nreal cause")


def test_the_failed_resource_is_named() -> None:
    step = Step("create", "urn:pulumi:dev::p::gpukit:aws:NodePool$aws:eks/nodeGroup:NodeGroup::a100", ended=True, failed=True)
    assert "at aws:eks/nodeGroup:NodeGroup a100" in judge(Ended(1, ""), Report(errors=["x"], steps=[step]), stack="dev")[1]


def test_many_errors_are_counted_after_the_first_five() -> None:
    message = judge(Ended(1, ""), Report(errors=[f"e{i}" for i in range(8)]), stack="dev")[1]
    assert "e4" in message
    assert "e5" not in message
    assert message.endswith("… and 3 more")


def test_json_has_a_schema_and_stable_keys() -> None:
    report = Report(changes={"create": 2}, findings=[FINDING], outputs={"cluster": "c"}, seconds=3, ended=True)
    content = outcome(Ended(1, ""), report, action="up", stack="dev", world="sandbox").as_json()
    assert content["schema"] == "gpukit/run/1"
    assert content["exit"] == 1
    assert content["findings"][0]["level"] == "mandatory"
    assert content["changes"] == {"create": 2}


def test_a_preview_says_what_would_be_done_and_shows_no_outputs() -> None:
    report = Report(changes={"create": 2}, outputs={"cluster": "c"}, ended=True)
    text = summary(outcome(Ended(0, ""), report, action="up", stack="dev", world="sandbox", preview=True))
    assert text == "[sandbox] preview of up dev: 2 to create"


def test_a_preview_lists_what_exists_and_would_change_the_worst_first() -> None:
    def step(operation: str, name: str, *properties: str, real: bool = True) -> Step:
        urn = f"urn:pulumi:dev::p::gpukit:aws:NodePool$aws:eks/nodeGroup:NodeGroup::{name}"
        return Step(operation, urn, ended=False, real=real, properties=properties)

    steps = [
        step("update", "b", "tags.x"), step("create", "new"), step("delete", "gone"), step("same", "still"),
        step("replace", "a", "subnetIds[0]"), step("update", "component", real=False),
    ]  # fmt: skip
    report = Report(changes={"replace": 1, "delete": 1, "update": 1}, steps=steps, ended=True)
    judged = outcome(Ended(0, ""), report, action="up", stack="dev", world="sandbox", preview=True)
    assert summary(judged).splitlines()[1:] == [
        "  replace aws:eks/nodeGroup:NodeGroup a (forced by subnetIds[0]): its nodes go with it",
        "  delete  aws:eks/nodeGroup:NodeGroup gone: its nodes go with it",
        "  update  aws:eks/nodeGroup:NodeGroup b (tags.x): its nodes stay",
    ]
    assert judged.as_json()["to_change"][0]["properties"] == ["subnetIds[0]"]


def test_a_long_list_of_changes_is_cut_unless_all_is_asked_for() -> None:
    steps = [Step("delete", f"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::v{i}", ended=False) for i in range(60)]
    judged = outcome(Ended(0, ""), Report(steps=steps), action="destroy", stack="dev", world="sandbox", preview=True)
    assert "20 more (GPUKIT_VERBOSE=1 shows all)" in summary(judged, every=False)
    assert "v59" in summary(judged, every=True)


def test_the_engines_count_is_told_apart_into_resources_and_components() -> None:
    urns = [
        "urn:pulumi:dev::p::pulumi:providers:aws::aws",
        "urn:pulumi:dev::p::gpukit:aws:Network::n",
        "urn:pulumi:dev::p::pulumi:pulumi:Stack::s",
    ]
    steps = [Step("create", urn, ended=True, real=False) for urn in (*urns, *urns)]
    report = Report(changes={"create": 4}, steps=steps, ended=True)
    text = summary(outcome(Ended(0, ""), report, action="up", stack="dev", world="sandbox"))
    assert text == "[sandbox] up dev: 4 created (2 resources, 2 components)"


def test_after_the_work_an_advisory_that_the_plan_has_told_is_named_only() -> None:
    message = "GPU-QUOTA-01 (unchecked): quota: no snapshot was given, so nothing says " + "whether there is room " * 10
    advisory = PolicyFinding("gpukit-stack-advisory", "advisory", "urn:pulumi:dev::p::t::dev", message)
    report = Report(findings=[advisory], ended=True)
    done = summary(outcome(Ended(0, ""), report, action="up", stack="dev", world="sandbox"), every=False)
    assert done.splitlines()[1:] == ["  1 advisory finding: GPU-QUOTA-01 (`gpukit plan dev` tells what)"]
    before = summary(outcome(Ended(0, ""), report, action="up", stack="dev", world="sandbox", preview=True), every=False)
    assert before.count("GPU-QUOTA-01") == 1
    assert "gpukit-stack-advisory" not in before
    assert max(map(len, before.splitlines())) <= 100


def test_what_was_not_done_is_said_once() -> None:
    left = Outcome(action="up", stack="dev", world="sandbox", exit=Exit.NO, message="Not confirmed: nothing was changed.")
    assert summary(left) == "[sandbox] up dev: Not confirmed: nothing was changed."


def test_the_summary_names_world_changes_findings_outputs_and_what_to_do() -> None:
    report = Report(
        changes={"create": 2, "same": 1}, findings=[FINDING], outputs={"kubeconfig": "[secret]", "pools": ["a"]}, seconds=3, ended=True
    )
    text = summary(outcome(Ended(1, ""), report, action="up", stack="dev", world="sandbox"))
    assert text.splitlines()[0] == "[sandbox] up dev: 2 created, 1 unchanged in 3 s"
    assert "mandatory gpukit-stack-mandatory at a100: About." in text
    assert "  kubeconfig: [secret]" in text
    assert text.endswith("Correct what they name and try again.")


@pytest.mark.parametrize(
    ("message", "behind"),
    [
        ("simulated aws: InvalidParameterException: roleArn, arn:aws:iam::1:role/r, does not exist", True),
        ("operation error EKS: CreateNodegroup, ResourceNotFoundException: No cluster found for name: lab.", True),
        ("googleapi: Error 404: The resource 'projects/p/global/networks/n' was not found, notFound", True),
        ("configured Kubernetes cluster is unreachable", True),
        ("InsufficientInstanceCapacity: no p5.48xlarge in us-east-1a", False),
    ],
)
def test_a_refusal_for_want_of_what_the_state_holds_is_told_apart(message: str, behind: bool) -> None:
    ended = Outcome(action="up", stack="dev", world="sandbox", exit=Exit.FAILED, message=message)
    assert lags_behind(ended) is behind
    assert not lags_behind(replace(ended, exit=Exit.NO))
