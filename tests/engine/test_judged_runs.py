"""What judges a run beside its program: an ended lease against what there is, and files that a person gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.errors import Exit, Refused
from tests.engine.clouds import Clouds

pytestmark = [pytest.mark.engine]
STACK = "aws-inference-dev"


def sized(clouds: Clouds, maximum: int) -> None:
    def change(cluster: dict[str, Any]) -> None:
        cluster["lease"] = {"expires": "2025-03-01"}
        cluster["pools"][0]["nodes"]["max"] = maximum

    clouds.edit(STACK, change)


def snapshot(clouds: Clouds, limit: int) -> str:
    codes = ("L-1216C47A", "L-DB2E81BA", "L-3819A6DF", "L-417A185B", "L-7212CCBC")
    quotas = [{"cloud": "aws", "region": "us-east-1", "code": code, "limit": limit, "usage": 0} for code in codes]
    file = clouds.checkout.root / "quota.json"
    file.write_text(json.dumps({"schema": "gpukit/quota/1", "taken": "2026-11-30", "quotas": quotas}), encoding="utf-8")
    return str(file)


@pytest.mark.long
def test_after_its_lease_a_stack_shrinks_and_stays_and_never_grows(clouds: Clouds) -> None:
    up = clouds.act("up", STACK, quota_snapshot=snapshot(clouds, 10_000))
    assert up.exit is Exit.FINE, up.message
    assert [f for f in up.findings if "GPU-QUOTA-01" in f.message] == []
    before = json.loads(clouds.checkout.sandbox_state.joinpath(f".pulumi/stacks/gpukit/{STACK}.json").read_text())
    (maximum,) = {
        r["inputs"]["scalingConfig"]["maxSize"]
        for r in before["checkpoint"]["latest"]["resources"]
        if r["type"] == "aws:eks/nodeGroup:NodeGroup" and r["urn"].endswith("a10g")
    }
    sized(clouds, maximum + 1)
    for action in ("preview", "up"):
        with pytest.raises(
            Refused, match=rf"lease of {STACK} ended on 2025-03-01.*\n.*a10g: \d+ to {maximum + 1} nodes, before \d+ to {maximum}"
        ):
            clouds.act(action, STACK)
    sized(clouds, maximum)
    assert clouds.act("preview", STACK).exit is Exit.FINE
    sized(clouds, maximum - 1)
    assert clouds.act("up", STACK).exit is Exit.FINE


def test_limits_and_quotas_that_are_given_reach_the_offline_judgement_and_the_pack(clouds: Clouds) -> None:
    with pytest.raises(Refused, match="GPU-QUOTA-01 violated"):
        clouds.act("preview", STACK, quota_snapshot=snapshot(clouds, 1))
    limits = clouds.checkout.root / "theirs.yaml"
    limits.write_text("schema: gpukit/limits/1\nceilings: {default: {hourly_usd: 0.5}}\nlevels: {GPU-COST-01: advisory}\n")
    preview = clouds.act("preview", STACK, limits=str(limits))
    assert preview.exit is Exit.FINE, preview.message
    (said,) = [f.message for f in preview.findings if "GPU-COST-01" in f.message]
    assert f"{limits} allows 0.50" in said
