"""Quotas of an Azure subscription through Azure's own clients, against a server on the loopback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from components.demand import Ask
from scripts.errors import Failed
from scripts.quota.azure import AzureDoor
from scripts.quota.nodes_in_use import own_usage
from tests.costing.pools import pool
from tests.scripts_quota.azure_server import SUBSCRIPTION, Subscription, clients

HERE, ND, CORES, LOW = "eastus", "standardNDSH100v5Family", "cores", "lowPriorityCores"
MACHINE = "Standard_ND96isr_H100_v5"
SCOPE = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/locations/{HERE}"
WANTED = Ask(cloud="azure", region=HERE, code=ND, unit="vCPU", value=384)


def subscription(**changes: Any) -> Subscription:
    good = Subscription(usages={HERE: {ND: (192, 96), CORES: (400, 104), LOW: (100, 0)}})
    return replace(good, **changes)


def read(told: Subscription, wanted: Mapping[str, tuple[str, ...]] | None = None) -> Any:
    with clients(told) as made:
        return AzureDoor(SUBSCRIPTION, made).read(wanted or {HERE: (ND, CORES)})


def test_limits_and_usage_of_a_location_are_read() -> None:
    found = read(subscription())
    assert [(r.region, r.code, r.limit, r.usage, r.unit) for r in found.readings] == [
        (HERE, ND, 192, 96, "vCPU"),
        (HERE, CORES, 400, 104, "vCPU"),
    ]
    assert found.gaps == ()


def test_names_are_compared_without_case_and_spaces() -> None:
    (reading,) = read(subscription(usages={HERE: {"STANDARD NDSH100v5 family": (192, 0)}}), {HERE: (ND,)}).readings
    assert reading.code == ND


def test_a_name_that_the_listing_lacks_is_a_gap_and_not_zero() -> None:
    found = read(subscription(usages={HERE: {CORES: (400, 0)}}))
    assert [r.code for r in found.readings] == [CORES]
    assert f"Azure's listing has no {ND}" in str(found.gaps[0])


def test_throttling_is_waited_out() -> None:
    assert len(read(subscription(refusals={"/usages": [(429, "TooManyRequests"), (200, "")]})).readings) == 2


def test_throttling_without_end_leaves_a_gap_that_says_so() -> None:
    found = read(subscription(refusals={"/usages": [(429, "TooManyRequests")]}))
    assert found.readings == ()
    assert "too many requests" in str(found.gaps[0])


def test_a_missing_permission_is_named() -> None:
    found = read(subscription(refusals={"/usages": [(403, "AuthorizationFailed")]}))
    assert [gap.reason for gap in found.gaps] == ["Microsoft.Compute/locations/usages/read is not allowed (AuthorizationFailed)"]


def test_expired_credentials_end_it_with_what_to_do() -> None:
    with pytest.raises(Failed, match=r"expired or do not hold\. Sign in with `az login`"):
        read(subscription(refusals={"/usages": [(401, "ExpiredAuthenticationToken")]}))


def test_a_location_that_does_not_answer_takes_nothing_from_the_others() -> None:
    told = subscription(refusals={"/locations/nowhere": [(404, "LocationNotAvailableForResourceType")]})
    found = read(told, {HERE: (CORES,), "nowhere": (CORES,)})
    assert [r.region for r in found.readings] == [HERE]
    assert [gap.where for gap in found.gaps] == ["nowhere"]


def scale_set(stack: str | None, capacity: int, **profile: Any) -> dict[str, Any]:
    tags = {} if stack is None else {"gpukit-stack": stack}
    return {
        "location": HERE,
        "tags": tags,
        "sku": {"name": MACHINE, "capacity": capacity},
        "properties": {"virtualMachineProfile": profile},
    }


def test_scale_sets_of_a_stack_are_its_own_usage_in_cores() -> None:
    told = subscription(
        scale_sets=[scale_set("dev", 2), scale_set("dev", 1, priority="Spot"), scale_set("elsewhere", 5), scale_set(None, 5)]
    )
    with clients(told) as made:
        using = AzureDoor(SUBSCRIPTION, made).in_use(["dev"], [HERE])
    assert own_usage(using.nodes) == {(HERE, ND): {"dev": 192}, (HERE, CORES): {"dev": 192}, (HERE, LOW): {"dev": 96}}


def sku(**changes: Any) -> dict[str, Any]:
    return {"name": MACHINE, "resourceType": "virtualMachines", "locationInfo": [{"location": HERE, "zones": ["3", "1"]}], **changes}


@pytest.mark.parametrize(
    ("skus", "told"),
    [
        ([sku()], "is offered in zones 1, 3 of eastus"),
        ([sku(locationInfo=[{"location": HERE}])], "is offered in eastus without zones"),
        ([], "is not offered in eastus"),
        (
            [sku(restrictions=[{"type": "Location", "reasonCode": "NotAvailableForSubscription"}])],
            "but restricted for this subscription (NotAvailableForSubscription)",
        ),
    ],
)
def test_where_a_size_is_offered_is_told(skus: list[dict[str, Any]], told: str) -> None:
    gpu = pool(cloud="azure", region=HERE, machines=(MACHINE,))
    with clients(subscription(skus=skus)) as made:
        (line,) = AzureDoor(SUBSCRIPTION, made).extras([gpu]).lines
    assert told in line


def held(state: str, name: str = ND) -> dict[str, Any]:
    return {"id": "x", "name": "request-7", "properties": {"provisioningState": state, "value": [{"name": {"value": name}}]}}


@pytest.mark.parametrize(
    ("request_", "is_open"),
    [(held("InProgress"), True), (held("Accepted"), True), (held("Succeeded"), False), (held("InProgress", CORES), False)],
)
def test_an_undecided_request_is_found(request_: dict[str, Any], is_open: bool) -> None:
    with clients(subscription(requests=[request_])) as made:
        assert (AzureDoor(SUBSCRIPTION, made).open_request(WANTED) is not None) is is_open


@pytest.mark.parametrize(("code", "kind"), [(ND, "dedicated"), (LOW, "lowPriority")])
def test_a_request_is_filed_in_the_scope_with_the_value_that_was_shown(code: str, kind: str) -> None:
    told = subscription()
    with clients(told) as made:
        AzureDoor(SUBSCRIPTION, made).send(replace(WANTED, code=code))
    limit = {"limitObjectType": "LimitValue", "value": 384}
    assert told.sent == [
        (
            f"{SCOPE}/providers/Microsoft.Quota/quotas/{code}",
            {"properties": {"limit": limit, "name": {"value": code}, "resourceType": kind}},
        )
    ]


def test_an_unregistered_provider_is_told_with_the_line_that_registers_it() -> None:
    refused = subscription(refusals={"/quotaRequests": [(409, "MissingSubscriptionRegistration")]})
    with clients(refused) as made, pytest.raises(Failed, match=r"az provider register --namespace Microsoft\.Quota"):
        AzureDoor(SUBSCRIPTION, made).open_request(WANTED)


def test_a_refused_request_is_told_with_its_permission() -> None:
    refused = subscription(refusals={"/Microsoft.Quota/quotas/": [(403, "AuthorizationFailed")]})
    with clients(refused) as made, pytest.raises(Failed, match=r"Microsoft\.Quota/quotas/write is not allowed"):
        AzureDoor(SUBSCRIPTION, made).send(WANTED)
