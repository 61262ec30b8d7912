"""The plan for machines: its keys are a contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.resource import Options, Resource, ResourceSet, Secret
from components.unknown import Unknown
from scripts.plan.build import plan_stacks
from scripts.plan.model import Plan, StackPlan
from scripts.plan.plan_json import plain, plan_json, resources_json

from .checkout import NOW, ROOT, by_default


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(json.dumps(plan_json(plan_stacks(ROOT, ["aws-training-dev"], by_default())), allow_nan=False))


def test_the_keys_of_the_contract_are_there(document: dict[str, Any]) -> None:
    assert document["schema"] == "gpukit/plan/1"
    (stack,) = document["stacks"]
    assert {"name", "resources", "ownership", "cost", "quota", "findings"} <= set(stack)
    for level in ("now", "max", "surge"):
        assert set(stack["cost"][level]) == {"hourly_usd", "monthly_usd", "partial"}
    for finding in stack["findings"]:
        assert set(finding) == {"rule", "status", "level", "urn", "path", "message", "failures"}


def test_every_price_has_its_source_and_date(document: dict[str, Any]) -> None:
    lines = document["stacks"][0]["cost"]["lines"]
    assert lines
    assert all(line["source"] for line in lines)
    assert all("as_of" in line and "stale" in line for line in lines)


def test_quota_demand_is_told_by_code(document: dict[str, Any]) -> None:
    quota = {q["code"]: q for q in document["stacks"][0]["quota"]}
    assert quota["L-7212CCBC"]["need"] == 4 * 96
    assert quota["L-7212CCBC"]["unit"] == "vCPU"
    assert quota["L-7212CCBC"]["limit"] is None


def test_fabric_and_owners_are_told_by_pool(document: dict[str, Any]) -> None:
    (stack,) = document["stacks"]
    assert stack["fabric"][0]["interfaces"][:2] == [
        {"card": 0, "device": 0, "kind": "interface"},
        {"card": 0, "device": 1, "kind": "efa-only"},
    ]
    assert stack["ownership"][0]["pool"] == "a100"
    assert stack["ownership"][0]["driver"] == "image"


def test_resources_keep_their_inputs_with_unknowns_told() -> None:
    template = Resource(
        urn="u",
        type="t",
        name="n",
        inputs={"id": Unknown("id"), "word": Secret("canary-4711"), "list": [1, {"x": None}]},
        options=Options(protect=True),
    )
    (found,) = resources_json(ResourceSet(project="p", stack="s", resources=(template,)))
    assert found["inputs"] == {
        "id": {"unknown": "id", "reason": "known only after the update"},
        "word": "[secret]",
        "list": [1, {"x": None}],
    }
    assert found["options"] == {"protect": True}


def test_nothing_secret_is_shown_at_any_depth() -> None:
    assert "canary" not in json.dumps(plain({"a": [Secret({"b": "canary"})], "c": Secret(Secret("canary"))}))


def test_a_stack_with_an_error_has_every_key_too(document: dict[str, Any]) -> None:
    broken = plan_json(Plan(stacks=(StackPlan(name="x", project="p", error="no"),), as_of=NOW))["stacks"][0]
    assert set(broken) == set(document["stacks"][0])
    assert broken["error"] == "no"
    assert broken["cost"] is None
