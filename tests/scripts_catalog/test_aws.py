from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.catalog.refresh import aws
from scripts.catalog.refresh.offer import Offer
from scripts.errors import Failed

from .conftest import NOW
from .doubles import Aws, product
from .server import Answer, Asked

pytestmark = pytest.mark.usefixtures("aws_credentials")

P4D, G5 = "p4d.24xlarge", "g5.xlarge"


def read(serve: Callable[[Any], str], respond: Callable[[Asked], Answer], machines: tuple[str, ...] = (P4D,), regions=()) -> aws.Read:
    return aws.offers(machines, regions, NOW, aws.clients(serve(respond)))


def on_demand(read: aws.Read) -> list[Offer]:
    return [offer for offer in read.offers if offer.market == "on_demand"]


def test_on_demand_comes_from_the_price_list_and_spot_from_the_history(serve) -> None:
    double = Aws([product(P4D, "us-east-1", 21.957642)], {(P4D, "us-east-1"): {"us-east-1a": 4.5, "us-east-1b": 9.25, "us-east-1c": 6.0}})

    assert read(serve, double).offers == [
        Offer(machine=P4D, region="us-east-1", market="on_demand", usd=21.957642, source="live-aws-price-list"),
        Offer(machine=P4D, region="us-east-1", market="spot", usd=4.5, usd_high=9.25, source="live-aws-spot"),
    ]


def test_one_zone_or_equal_zones_give_no_range(serve) -> None:
    double = Aws([product(P4D, "us-east-1", 21.96)], {(P4D, "us-east-1"): {"us-east-1a": 4.5, "us-east-1b": 4.5}})

    spot = read(serve, double).offers[1]

    assert (spot.usd, spot.usd_high) == (4.5, None)


def test_all_pages_of_the_price_list_are_read(serve) -> None:
    regions = [f"us-east-{at}" for at in range(1, 8)]
    double = Aws([product(P4D, region, 21.96) for region in regions])
    double.page = 3

    assert [offer.region for offer in on_demand(read(serve, double))] == regions


@pytest.mark.parametrize(
    "attributes",
    [
        {"operatingSystem": "Windows"},
        {"tenancy": "Dedicated"},
        {"preInstalledSw": "SQL Std"},
        {"capacitystatus": "UnusedCapacityReservation"},
        {"marketoption": "CapacityBlock"},
        {"locationType": "AWS Local Zone"},
    ],
)
def test_products_that_are_no_plain_linux_of_a_region_are_left_out(serve, attributes: dict[str, str]) -> None:
    double = Aws([product(P4D, "us-east-1", 0.0, **attributes), product(P4D, "us-east-1", 21.96)])

    assert [offer.usd for offer in on_demand(read(serve, double))] == [21.96]


def test_a_price_in_another_currency_is_left_out(serve) -> None:
    yuan = product(P4D, "cn-north-1", 250).replace('"USD"', '"CNY"')

    assert read(serve, Aws([yuan])).offers == []


def test_regions_narrow_both_questions(serve) -> None:
    both = ("us-east-1", "us-west-2")
    double = Aws([product(P4D, r, 21.96) for r in both], {(P4D, r): {f"{r}a": 4.5} for r in both})

    assert {offer.region for offer in read(serve, double, regions=("us-west-2",)).offers} == {"us-west-2"}


def test_a_region_that_the_account_has_not_enabled_is_named_and_gets_no_spot_price(serve) -> None:
    double = Aws([product(P4D, "us-east-1", 21.96), product(P4D, "me-south-1", 25.0)], {(P4D, "me-south-1"): {"me-south-1a": 5}})
    double.regions = ["us-east-1"]

    found = read(serve, double)

    assert {offer.market for offer in found.offers} == {"on_demand"}
    assert found.notes == ["no spot prices read in me-south-1: the account has not enabled the region"]


def test_spot_is_asked_for_many_types_at_once_but_not_too_many(serve) -> None:
    machines = tuple(f"g5.{at}xlarge" for at in range(150))
    double = Aws([product(machines[0], "us-east-1", 1.0)])

    read(serve, double, machines)

    asked = [sum(name.startswith("InstanceType.") for name in a.form) for a in double.asked if a.body.startswith("Action=DescribeSpot")]
    assert asked == [100, 50]


def test_a_throttled_question_is_asked_again(serve, slept: list[float]) -> None:
    double = Aws([product(P4D, "us-east-1", 21.96)])
    refusals = [Answer({"__type": "ThrottlingException", "message": "Rate exceeded"}, 400)] * 2

    found = read(serve, lambda asked: refusals.pop() if refusals and asked.target else double(asked))

    assert len(found.offers) == 1
    assert len(slept) == 2


def test_a_price_list_that_throttles_for_ever_is_left_in_bounded_tries(serve, slept: list[float]) -> None:
    with pytest.raises(Failed, match="limits how often it is asked, and went on doing so"):
        read(serve, lambda _: Answer({"__type": "ThrottlingException", "message": "Rate exceeded"}, 400))
    assert len(slept) == 7


def ec2_error(code: str) -> str:
    return f"<Response><Errors><Error><Code>{code}</Code><Message>no</Message></Error></Errors><RequestID>1</RequestID></Response>"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ExpiredTokenException", "read the price of p4d.24xlarge: the credentials have expired; log in again"),
        ("UnrecognizedClientException", r"the credentials are not accepted \(UnrecognizedClientException\)"),
        ("AccessDeniedException", "they lack the permission pricing:GetProducts"),
        ("InvalidParameterException", "InvalidParameterException: why"),
    ],
)
def test_what_the_price_list_refuses_is_said_with_the_way_out(serve, code: str, said: str) -> None:
    with pytest.raises(Failed, match=f"{said}.*Nothing was written"):
        read(serve, lambda _: Answer({"__type": code, "message": "why"}, 400))


@pytest.mark.parametrize(
    ("action", "code", "said"),
    [
        (
            "DescribeSpotPriceHistory",
            "UnauthorizedOperation",
            "read spot prices in us-east-1: they lack the permission ec2:DescribeSpotPriceHistory",
        ),
        ("DescribeRegions", "UnauthorizedOperation", "they lack the permission ec2:DescribeRegions"),
        ("DescribeSpotPriceHistory", "RequestExpired", "the credentials have expired"),
    ],
)
def test_a_missing_ec2_permission_is_named(serve, action: str, code: str, said: str) -> None:
    double = Aws([product(P4D, "us-east-1", 21.96)])

    with pytest.raises(Failed, match=said):
        read(serve, lambda asked: Answer(ec2_error(code), 403) if f"Action={action}&" in asked.body else double(asked))


def test_missing_credentials_are_said_before_anything_is_read(serve, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    double = Aws([])

    with pytest.raises(Failed, match="no credentials were found"):
        read(serve, double)
    assert double.asked == []
