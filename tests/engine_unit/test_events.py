from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scripts.engine.events import SECRET, PolicyFinding, Report, masked, resource_name, resource_type

NODE_GROUP = "urn:pulumi:dev::gpukit::gpukit:aws:NodePool$aws:eks/nodeGroup:NodeGroup::a100"
STACK = "urn:pulumi:dev::gpukit::pulumi:pulumi:Stack::gpukit-dev"
PROVIDER = "urn:pulumi:dev::gpukit::pulumi:providers:aws::aws::04da6b54"
CIPHERTEXT = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:canary"}


def line(name: str, body: dict[str, Any]) -> str:
    return json.dumps({"sequence": 1, "timestamp": 1, name: body}) + "\n"


def outputs(urn: str, operation: str = "create", values: dict[str, Any] | None = None) -> str:
    provider = "" if urn == STACK else PROVIDER
    return line("resOutputsEvent", {"metadata": {"op": operation, "urn": urn, "provider": provider, "new": {"outputs": values or {}}}})


def policy(level: str = "mandatory") -> str:
    body = {"resourceUrn": NODE_GROUP, "message": "About.\nGPU-COST-01: too much\n", "policyName": "p", "enforcementLevel": level}
    return line("policyEvent", body)


def report(*lines: str) -> Report:
    made = Report()
    for each in lines:
        made.add(each)
    return made


def test_changes_time_and_end_come_from_the_summary() -> None:
    found = report(line("summaryEvent", {"resourceChanges": {"create": 6, "same": 2}, "durationSeconds": 4}))
    assert (found.done, found.seconds, found.ended) == ({"create": 6, "same": 2}, 4, True)


def test_of_a_run_that_was_cut_off_the_steps_that_ended_are_counted() -> None:
    found = report(outputs(NODE_GROUP), line("resourcePreEvent", {"metadata": {"op": "create", "urn": NODE_GROUP, "provider": PROVIDER}}))
    assert not found.ended
    assert found.done == {"create": 1}


def test_policy_findings_are_kept_once_with_level_and_resource() -> None:
    found = report(policy(), policy(), policy("advisory"))
    assert found.findings[0] == PolicyFinding("p", "mandatory", NODE_GROUP, "About.\nGPU-COST-01: too much")
    assert len(found.findings) == 2
    assert found.mandatory == (found.findings[0],)


def test_the_description_that_all_rules_of_our_pack_share_is_dropped() -> None:
    body = {"message": "GPU guardrails\nGPU-COST-01: too much\n", "policyName": "gpukit-stack-mandatory", "policyPackName": "gpukit"}
    assert report(line("policyEvent", body)).findings[0].message == "GPU-COST-01: too much"


def test_errors_and_warnings_are_kept_and_debug_lines_are_not() -> None:
    found = report(
        *(line("diagnosticEvent", {"message": f"{level} text\n", "severity": level}) for level in ("debug", "info", "warning", "error"))
    )
    assert found.errors == ["error text"]
    assert found.warnings == ["warning text"]


def test_outputs_come_from_the_stack_with_secrets_masked() -> None:
    found = report(outputs(STACK, values={"answer": 42, "kubeconfig": CIPHERTEXT, "nested": [{"token": CIPHERTEXT}]}))
    assert found.outputs == {"answer": 42, "kubeconfig": SECRET, "nested": [{"token": SECRET}]}


def test_a_step_is_begun_and_ended() -> None:
    found = Report()
    begun = found.add(line("resourcePreEvent", {"metadata": {"op": "create", "urn": NODE_GROUP, "provider": PROVIDER}}))
    ended = found.add(outputs(NODE_GROUP))
    failed = found.add(line("resOpFailedEvent", {"metadata": {"op": "create", "urn": NODE_GROUP}}))
    assert begun is not None
    assert ended is not None
    assert failed is not None
    assert [(each.ended, each.failed) for each in (begun, ended, failed)] == [(False, False), (True, False), (True, True)]
    assert begun.changes


def test_what_exists_in_the_state_only_and_what_stays_the_same_are_no_changes() -> None:
    assert not any(step.changes for step in report(outputs(STACK), outputs(NODE_GROUP, "same")).steps)


@given(st.text())
def test_no_line_breaks_the_reading(text: str) -> None:
    report(text, outputs(NODE_GROUP))


def test_a_line_cut_off_by_a_killed_engine_is_passed_over() -> None:
    assert report(policy()[:40]).findings == []


@given(
    st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
)
def test_a_secret_is_masked_wherever_it_hides(around: object) -> None:
    assert "canary" not in json.dumps(masked({"a": [around, CIPHERTEXT, {"b": CIPHERTEXT}]}))


def test_type_and_name_of_a_resource_stand_in_its_urn() -> None:
    assert resource_type(NODE_GROUP) == "aws:eks/nodeGroup:NodeGroup"
    assert resource_name(NODE_GROUP + "::with::colons") == "a100::with::colons"
    assert resource_type("no urn") == ""


def test_what_a_preview_would_create_anew_is_told_once_with_its_inputs() -> None:
    def step(operation: str, *, planning: bool = True) -> str:
        metadata = {"op": operation, "urn": NODE_GROUP, "provider": PROVIDER, "new": {"inputs": {"a": 1}}}
        return line("resourcePreEvent", {"metadata": metadata, "planning": planning})

    (intended,) = report(step("create"), outputs(NODE_GROUP), step("same"), step("create-replacement")).intended
    assert (intended.urn, intended.inputs) == (NODE_GROUP, {"a": 1})
    assert report(step("create", planning=False)).intended == ()
