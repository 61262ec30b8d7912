"""Machines that a region or a market does not have."""

from __future__ import annotations

import pytest

from components import catalog
from policies import Status, evaluate
from tests.policies.raw import SETTINGS, Raw, said, training

ELSEWHERE = next(r for r in ("eu-south-1", "eu-west-3", "sa-east-1", "us-west-1") if r not in catalog.regions("aws", "p4d.24xlarge"))


def in_region(region: str) -> Raw:
    program = training()
    program.config["aws:region"] = region
    return program


@pytest.mark.failure("B5")
def test_a_machine_that_its_region_does_not_offer_is_refused() -> None:
    program = in_region(ELSEWHERE)
    (finding,) = said(evaluate(program.built(), SETTINGS), "GPU-ZONE-01")
    assert (finding.status, finding.urn) == (Status.VIOLATED, program.urn("gpu"))
    assert finding.message.startswith(f"gpu: p4d.24xlarge is not offered in {ELSEWHERE}, so no node ever starts")
    assert catalog.regions("aws", "p4d.24xlarge")[0] in finding.message


@pytest.mark.failure("B5")
@pytest.mark.parametrize("region", catalog.regions("aws", "p4d.24xlarge"))
def test_a_region_that_offers_it_passes(region: str) -> None:
    assert said(evaluate(in_region(region).built(), SETTINGS), "GPU-ZONE-01") == []


def test_a_machine_whose_regions_nobody_published_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "regions", lambda *_: ())
    assert said(evaluate(in_region(ELSEWHERE).built(), SETTINGS), "GPU-ZONE-01") == []


def test_a_region_that_is_not_known_fails_elsewhere() -> None:
    program = training()
    program.config.clear()
    findings = evaluate(program.built(), SETTINGS)
    assert said(findings, "GPU-ZONE-01") == []
    assert any(f.fails for f in said(findings, "GPU-COST-03"))


def test_a_machine_without_a_spot_market_is_refused_as_spot() -> None:
    program = training().set("p4d", "p6e-gb200.36xlarge", "instanceType")
    (finding,) = said(evaluate(program.built(), SETTINGS), "GPU-CAP-07")
    assert finding.path == "capacityType"
    assert "p6e-gb200.36xlarge is not sold as spot capacity" in finding.message
    assert said(evaluate(program.set("gpu", "ON_DEMAND", "capacityType").built(), SETTINGS), "GPU-CAP-07") == []
