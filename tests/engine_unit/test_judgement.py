"""What an ended lease refuses against the stack's state, and the files that the pack is given."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from components.demand import QuotaSnapshot
from components.resource import ResourceSet
from policies import Limits
from scripts.engine.judgement import policy_config, refuse_growth
from scripts.engine.state import State
from scripts.errors import Failed, Refused
from scripts.plan.judgement import Yardsticks
from tests.policies.raw import training

ENDED = date(2025, 3, 1)
PLANNED = training().built()
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


def state_of(resources: ResourceSet) -> State:
    """The state after `resources` were made."""
    listed = [{"urn": r.urn, "type": r.type, "custom": True, "id": f"id-{r.name}", "inputs": dict(r.inputs)} for r in resources]
    return State({"deployment": {"resources": json.loads(json.dumps(listed, default=str))}})


def with_maximum(nodes: int) -> State:
    return state_of(training().set("gpu", nodes, "scalingConfig", "maxSize").built())


def test_more_nodes_than_the_state_has_are_refused_by_pool_and_number() -> None:
    with pytest.raises(Refused, match=r"The lease of dev ended on 2025-03-01.*\n  - gpu: \d to 4 nodes, before \d to 3\n.*lease\.expires"):
        refuse_growth("dev", ENDED, state=with_maximum(3), planned=PLANNED)


def test_the_same_nodes_or_fewer_go_on() -> None:
    refuse_growth("dev", ENDED, state=with_maximum(4), planned=PLANNED)
    refuse_growth("dev", ENDED, state=with_maximum(9), planned=PLANNED)


@pytest.mark.parametrize("state", [None, State({})])
def test_a_stack_that_does_not_exist_yet_would_be_all_growth(state: State | None) -> None:
    with pytest.raises(Refused, match=r"gpu: .* a new pool"):
        refuse_growth("dev", ENDED, state=state, planned=PLANNED)


def test_a_pool_that_waits_for_its_deletion_does_not_count_as_there() -> None:
    state = with_maximum(4)
    for resource in state.resources:
        resource["delete"] = resource["type"] == NODE_GROUP  # type: ignore[index]
    with pytest.raises(Refused, match="a new pool"):
        refuse_growth("dev", ENDED, state=state, planned=PLANNED)


def test_a_state_that_cannot_be_read_is_no_pass() -> None:
    with pytest.raises(Failed, match="cannot be compared"):
        refuse_growth("dev", ENDED, state=State({"deployment": {"resources": [{"urn": "x", "type": "y"}]}}), planned=PLANNED)


@pytest.fixture
def by(tmp_path: Path) -> Yardsticks:
    quota: dict[str, Any] = {"schema": "gpukit/quota/1", "taken": "2026-11-29", "account": "123456789012", "quotas": []}
    (tmp_path / "quota.json").write_text(json.dumps(quota), encoding="utf-8")
    return Yardsticks(
        now=datetime(2026, 11, 30, tzinfo=UTC),
        limits=Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 5}}}),
        snapshot=QuotaSnapshot.from_json(quota),
        files={"quota_snapshot": str(tmp_path / "quota.json"), "limits": "theirs.yaml"},
    )


def test_the_pack_is_handed_the_files_that_the_plan_was_judged_by(by: Yardsticks, tmp_path: Path) -> None:
    file = policy_config(by, "123456789012", tmp_path / "made" / "config.json")
    assert file is not None
    for given in json.loads(file.read_text(encoding="utf-8")).values():
        assert given["limits"]["ceilings"]["default"]["hourly_usd"] == 5
        assert given["limits_file"] == "theirs.yaml"
        assert given["quota"]["taken"] == "2026-11-29"
        assert "prices" not in given


def test_a_snapshot_of_another_account_is_not_handed_over(by: Yardsticks, tmp_path: Path) -> None:
    file = policy_config(by, "210987654321", tmp_path / "config.json")
    assert file is not None
    assert all("quota" not in given for given in json.loads(file.read_text(encoding="utf-8")).values())


def test_without_files_the_pack_keeps_its_own(by: Yardsticks, tmp_path: Path) -> None:
    assert policy_config(replace(by, files={}), "123456789012", tmp_path / "config.json") is None
    assert not (tmp_path / "config.json").exists()
