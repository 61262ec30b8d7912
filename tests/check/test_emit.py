"""The limits as documents of the clouds' own: valid by the clouds' grammars, and saying the same as the rules."""

from __future__ import annotations

import json
from typing import Any

import botocore.session
import pytest
from google.cloud.cloudquotas_v1 import UpdateQuotaPreferenceRequest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from components.catalog.machine_types import machines
from policies.limits import Limits
from scripts import cli
from scripts.check.emit import aws_scp, azure_policy, gcp_quotas
from scripts.check.emit.commands import KINDS, schema
from scripts.check.emit.own_words import machine_cloud
from scripts.errors import BadInput

NAMES = [machine.name for machine in machines()]
MACHINES = ["p5.48xlarge", "m7i.large", "Standard_ND96isr_H100_v5", "a3-megagpu-8g"]
REGIONS = ["us-east-1", "eastus", "us-central1"]


def limits(machines: list[str] | None = None, regions: list[str] | None = None, **others: Any) -> Limits:
    return Limits.from_json({"allowed": {"machines": machines or [], "regions": regions or []}, **others})


def wrong(kind: str, document: object) -> list[str]:
    return [error.message for error in Draft202012Validator(schema(kind)).iter_errors(document)]


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(NAMES), unique=True, max_size=12),
    st.lists(st.sampled_from([*REGIONS, "eu-west-1", "westeurope"]), unique=True),
)
def test_every_document_is_valid_whatever_is_allowed(names: list[str], places: list[str]) -> None:
    given_limits = limits(names, places)
    assert wrong("aws-scp", aws_scp.scp(given_limits)) == []
    assert wrong("azure-policy", azure_policy.definition(given_limits)) == []
    if found := gcp_quotas.overrides(given_limits):
        assert wrong("gcp-quota-override", found) == []


def test_every_machine_of_the_catalogue_is_known_by_its_spelling() -> None:
    assert [m.name for m in machines() if machine_cloud(m.name) != m.cloud] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_refuse_a_misspelt_field(kind: str) -> None:
    Draft202012Validator.check_schema(schema(kind))
    documents: dict[str, Any] = {
        "aws-scp": {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Actions": ["ec2:RunInstances"], "Resource": "*"}]},
        "azure-policy": {"properties": {"displayName": "x", "policyType": "Custom", "mode": "All", "policyRule": {"if": {"feld": "type", "equals": "x"}, "then": {"effect": "deny"}}}},
        "gcp-quota-override": [{"quotaPreference": {"name": "x"}, "allowMissing": True}],
    }  # fmt: skip
    assert wrong(kind, documents[kind])


def statement(document: dict[str, Any], sid: str) -> dict[str, Any]:
    return next(each for each in document["Statement"] if each["Sid"] == sid)


def test_a_control_policy_denies_every_machine_but_the_allowed_ones() -> None:
    denied = statement(aws_scp.scp(limits(MACHINES)), "GpukitMachines")
    assert denied["Condition"] == {"StringNotEquals": {"ec2:InstanceType": ["m7i.large", "p5.48xlarge"]}}


def test_a_list_of_another_clouds_machines_denies_all_of_this_one() -> None:
    assert "Condition" not in statement(aws_scp.scp(limits(["a3-megagpu-8g"])), "GpukitMachines")
    first = azure_policy.definition(limits(["p5.48xlarge"]))["properties"]["policyRule"]["if"]["anyOf"][0]
    assert first["allOf"][1]["notIn"] == []


def test_a_cluster_needs_one_tag_of_each_group_unless_the_rule_is_disabled() -> None:
    null = statement(aws_scp.scp(limits()), "GpukitClusterTag1")["Condition"]["Null"]
    assert null["aws:RequestTag/gpukit/owner"] == "true"
    off = limits(regions=["us-east-1"], levels={"GPU-TAG-02": "disabled"})
    assert [each["Sid"] for each in aws_scp.scp(off)["Statement"]] == ["GpukitRegions"]
    fields = {
        c.get("field") for each in azure_policy.definition(limits())["properties"]["policyRule"]["if"]["anyOf"] for c in each["allOf"]
    }
    assert {"tags['gpukit-owner']", "tags['gpukit-expires']"} <= fields


def test_the_actions_of_a_control_policy_are_operations_of_the_services() -> None:
    session = botocore.session.get_session()
    for action in aws_scp.LAUNCHES:
        service, _, operation = action.partition(":")
        assert operation in session.get_service_model(service).operation_names, action


def test_a_policy_that_is_too_long_loses_its_white_space_and_then_is_refused() -> None:
    names = [m.name for m in machines("aws")]
    some = next(
        names[:count]
        for count in range(1, len(names))
        if len(json.dumps(aws_scp.scp(limits(names[:count])), indent=2)) > aws_scp.MOST_CHARACTERS
    )
    text = aws_scp.text(limits(some))
    assert "\n" not in text
    assert json.loads(text) == aws_scp.scp(limits(some))
    with pytest.raises(BadInput, match=r"5,120.*shorten"):
        aws_scp.text(limits([f"x{i}.48xlarge" for i in range(400)]))


def test_azure_looks_at_pools_of_their_own_and_at_those_inside_a_cluster() -> None:
    text = azure_policy.text(limits(MACHINES))
    assert "managedClusters/agentPools/vmSize" in text
    assert "managedClusters/agentPoolProfiles[*].vmSize" in text
    assert "p5.48xlarge" not in text


def test_googles_client_takes_every_quota_preference() -> None:
    for request in gcp_quotas.overrides(limits(MACHINES, REGIONS)):
        read = UpdateQuotaPreferenceRequest.from_json(json.dumps(request), ignore_unknown_fields=False)
        assert read.quota_preference.quota_config.preferred_value == 0
        assert "QUOTA_DECREASE_BELOW_USAGE" not in request["ignoreSafetyChecks"]


def wanted(found: list[dict[str, Any]], quota: str, **dimensions: str) -> bool:
    return any(each["quotaPreference"]["quotaId"] == quota and each["quotaPreference"]["dimensions"] == dimensions for each in found)


def test_gpus_that_are_not_allowed_get_no_quota_and_allowed_ones_none_elsewhere() -> None:
    family = "GPUS-PER-GPU-FAMILY-per-project-region"
    found = gcp_quotas.overrides(limits(MACHINES, REGIONS))
    assert wanted(found, family, gpu_family="NVIDIA_B200")
    assert not wanted(found, family, gpu_family="NVIDIA_H100_MEGA")
    assert wanted(found, family, gpu_family="NVIDIA_H100_MEGA", region="europe-west4")
    assert not wanted(found, family, gpu_family="NVIDIA_H100_MEGA", region="us-central1")


def test_each_preference_has_an_id_of_its_own() -> None:
    names = [each["quotaPreference"]["name"] for each in gcp_quotas.overrides(limits(MACHINES, REGIONS))]
    assert len(set(names)) == len(names)


def test_limits_that_refuse_nothing_cannot_be_emitted() -> None:
    nothing = limits(levels={"GPU-TAG-02": "disabled"})
    for form in (aws_scp, azure_policy, gcp_quotas):
        with pytest.raises(BadInput, match="name some under `allowed`"):
            form.text(nothing)


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--emit", "aws-spc"], "did you mean aws-scp"), (["--emit", "aws-scp", "aws-training-dev"], "judges nothing")],
)
def test_a_wrong_use_is_told(words: list[str], said: str) -> None:
    result = CliRunner().invoke(cli.app, ["check", *words])
    assert result.exit_code == 2
    assert said in result.output


def test_the_command_prints_the_document_alone_on_standard_output() -> None:
    result = CliRunner().invoke(cli.app, ["check", "--emit", "aws-scp"])
    assert result.exit_code == 0
    assert wrong("aws-scp", json.loads(result.stdout)) == []
    assert "service-linked" in result.stderr
