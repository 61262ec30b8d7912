"""Quotas of an AWS account through boto3: Service Quotas and CloudWatch on the loopback, EC2 in moto."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.demand import Ask
from components.inventory import Market
from scripts.errors import Failed, Refused
from scripts.quota.aws import AwsDoor
from scripts.quota.nodes_in_use import own_usage
from tests.costing.pools import pool
from tests.scripts_quota.accounts import P_SPOT, STANDARD
from tests.scripts_quota.aws_server import ACCOUNT, Account, clients

EAST, WEST = "us-east-1", "us-west-2"
ASK = Ask(cloud="aws", region=EAST, code=P_SPOT, unit="vCPU", value=384)


def account(**changes: Any) -> Account:
    good = Account(limits={P_SPOT: 192, STANDARD: 64}, usage={P_SPOT: 96, STANDARD: 8})
    return replace(good, **changes)


def read(told: Account, wanted: dict[str, tuple[str, ...]] | None = None, *, attempts: int = 2) -> Any:
    with clients(told, attempts=attempts) as made:
        return AwsDoor(ACCOUNT, made).read(wanted or {EAST: (P_SPOT, STANDARD)})


def test_limits_and_the_latest_usage_are_read() -> None:
    found = read(account())
    assert [(r.region, r.code, r.limit, r.usage, r.unit) for r in found.readings] == [
        (EAST, P_SPOT, 192, 96, "vCPU"),
        (EAST, STANDARD, 64, 8, "vCPU"),
    ]
    assert found.gaps == ()


def test_a_quota_that_was_never_raised_has_awss_default() -> None:
    found = read(account(limits={STANDARD: 64}, defaults={P_SPOT: 0}))
    assert {r.code: r.limit for r in found.readings} == {P_SPOT: 0, STANDARD: 64}


def test_usage_without_data_points_is_not_told_and_not_zero() -> None:
    found = read(account(usage={STANDARD: 8}))
    assert {r.code: r.usage for r in found.readings} == {P_SPOT: None, STANDARD: 8}


def test_throttling_is_waited_out() -> None:
    told = account(refusals={("GetServiceQuota", ""): ["TooManyRequestsException", ""]})
    assert len(read(told, {EAST: (STANDARD,)}).readings) == 1
    assert told.asked["GetServiceQuota"] == 2


def test_throttling_without_end_leaves_a_gap_that_says_so() -> None:
    found = read(account(refusals={("GetServiceQuota", ""): ["TooManyRequestsException"]}), {EAST: (STANDARD,)}, attempts=1)
    assert found.readings == ()
    assert "too many requests" in str(found.gaps[0])


def test_a_missing_permission_is_named() -> None:
    found = read(account(refusals={("GetServiceQuota", ""): ["AccessDeniedException"]}))
    assert [gap.reason for gap in found.gaps] == ["servicequotas:GetServiceQuota is not allowed (AccessDeniedException)"]


def test_limits_without_the_permission_for_usage_are_told_without_usage() -> None:
    found = read(account(refusals={("GetMetricData", ""): ["AccessDeniedException"]}))
    assert [r.usage for r in found.readings] == [None, None]
    assert [gap.reason for gap in found.gaps] == ["cloudwatch:GetMetricData is not allowed (AccessDeniedException)"]


@pytest.mark.parametrize("code", ["ExpiredTokenException", "UnrecognizedClientException"])
def test_expired_credentials_end_it_with_what_to_do(code: str) -> None:
    with pytest.raises(Failed, match=rf"expired or do not hold \({code}\)\. Sign in again \(for example `aws sso login`\)"):
        read(account(refusals={("GetServiceQuota", ""): [code]}))


def test_a_region_that_does_not_answer_takes_nothing_from_the_others() -> None:
    told = account(refusals={("GetServiceQuota", WEST): ["OptInRequired"]})
    found = read(told, {EAST: (STANDARD,), WEST: (STANDARD,)})
    assert [r.region for r in found.readings] == [EAST]
    assert [(gap.where, gap.fix) for gap in found.gaps] == [(WEST, "Enable the region in the account, or use another.")]


def test_another_account_is_never_recorded_as_this_one() -> None:
    with clients(account()) as made:
        AwsDoor(ACCOUNT, made).refuse_another_account(EAST)
        with pytest.raises(Refused, match="belong to AWS account 210987654321, the credentials to 123456789012"):
            AwsDoor("210987654321", made).refuse_another_account(EAST)


def launch(ec2: Any, machine: str, stack: str, **options: Any) -> str:
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "gpukit/stack", "Value": stack}]}]
    made = ec2.run_instances(ImageId="ami-12c6146b", InstanceType=machine, MinCount=1, MaxCount=1, TagSpecifications=tags, **options)
    return made["Instances"][0]["InstanceId"]


def test_running_instances_of_a_stack_are_its_own_usage_in_vcpus() -> None:
    with clients(account()) as made:
        ec2 = made("ec2", EAST)
        launch(ec2, "m7i.large", "dev")
        launch(ec2, "g5.2xlarge", "dev", InstanceMarketOptions={"MarketType": "spot"})
        launch(ec2, "m7i.large", "elsewhere")
        ec2.terminate_instances(InstanceIds=[launch(ec2, "m7i.large", "dev")])
        using = AwsDoor(ACCOUNT, made).in_use(["dev"], [EAST])
    assert using.gaps == ()
    assert own_usage(using.nodes) == {(EAST, STANDARD): {"dev": 2}, (EAST, "L-3819A6DF"): {"dev": 8}}


def test_zones_and_the_chance_of_spot_capacity_are_told() -> None:
    gpu = pool(machines=("p4d.24xlarge",), market=Market.SPOT)
    with clients(account()) as made:
        zones, score = AwsDoor(ACCOUNT, made).extras([gpu]).lines
    assert zones.startswith("gpu: p4d.24xlarge is offered in us-east-1")
    assert score == "gpu: spot placement score 7 of 10 for 4 nodes at once in us-east-1"


def test_on_demand_pools_have_no_placement_score() -> None:
    with clients(account()) as made:
        assert len(AwsDoor(ACCOUNT, made).extras([pool()]).lines) == 1


@pytest.mark.parametrize(("status", "is_open"), [("PENDING", True), ("CASE_OPENED", True), ("APPROVED", False), ("DENIED", False)])
def test_an_undecided_request_is_found(status: str, is_open: bool) -> None:
    held = {"Id": "r-1", "QuotaCode": P_SPOT, "Status": status, "DesiredValue": 384.0}
    with clients(account(requests=[held])) as made:
        found = AwsDoor(ACCOUNT, made).open_request(ASK)
    assert (found is not None) is is_open


def test_a_request_is_filed_with_the_code_and_value_that_were_shown() -> None:
    told = account()
    with clients(told) as made:
        sent = AwsDoor(ACCOUNT, made).send(ASK)
    assert (sent.status, sent.value) == ("PENDING", 384)
    assert told.requests == [{"Id": "r-0", "Status": "PENDING", "ServiceCode": "ec2", "QuotaCode": P_SPOT, "DesiredValue": 384.0}]


def test_where_open_requests_cannot_be_read_none_is_filed() -> None:
    refused = account(refusals={("ListRequestedServiceQuotaChangeHistoryByQuota", ""): ["AccessDeniedException"]})
    with clients(refused) as made, pytest.raises(Failed, match="so none was filed"):
        AwsDoor(ACCOUNT, made).open_request(ASK)


def test_a_refused_request_is_told_with_its_permission() -> None:
    refused = account(refusals={("RequestServiceQuotaIncrease", ""): ["AccessDeniedException"]})
    with clients(refused) as made, pytest.raises(Failed, match="servicequotas:RequestServiceQuotaIncrease is not allowed"):
        AwsDoor(ACCOUNT, made).send(ASK)
