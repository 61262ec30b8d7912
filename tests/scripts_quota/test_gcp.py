"""Quotas of a Google Cloud project through Google's own clients, against servers on the loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth import exceptions as auth

from components.demand import Ask
from components.json_file import LARGEST
from components.unknown import Unknown
from scripts.errors import BadInput, Failed
from scripts.quota.gcp import GoogleDoor
from scripts.quota.gcp.session import ask
from scripts.quota.gcp.usage import filter_of
from scripts.quota.nodes_in_use import own_usage
from tests.costing.pools import pool
from tests.scripts_quota.google_server import PROJECT, Project, clients

HERE, L4, ALL = "us-central1", "NVIDIA_L4_GPUS", "GPUS_ALL_REGIONS"
H100 = "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100"
FAMILY = "GPUS-PER-GPU-FAMILY-per-project-region"
METRIC = "compute.googleapis.com/gpus_per_gpu_family"
USED = filter_of(HERE, METRIC, {"gpu_family": "NVIDIA_H100"})


def entry(value: int, **dimensions: str) -> dict[str, Any]:
    return {"dimensions": dimensions, "details": {"value": value}}


def info(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"quota_id": FAMILY, "metric": METRIC, "dimensions_infos": list(entries)}


def project(**changes: Any) -> Project:
    good = Project(
        regions={HERE: {L4: (16, 4), "CPUS": (200, 12)}},
        everywhere={ALL: (32, 4)},
        infos={FAMILY: info(entry(8, region=HERE, gpu_family="NVIDIA_H100"))},
        series={USED: 3},
    )
    return replace(good, **changes)


def read(told: Project, wanted: Mapping[str, tuple[str, ...]]) -> Any:
    with clients(told) as made:
        return GoogleDoor(PROJECT, made).read(wanted)


def test_what_compute_engine_lists_is_read_with_its_usage() -> None:
    found = read(project(), {HERE: (L4, "CPUS"), "global": (ALL,)})
    assert [(r.region, r.code, r.limit, r.usage) for r in found.readings] == [
        (HERE, L4, 16, 4),
        (HERE, "CPUS", 200, 12),
        ("global", ALL, 32, 4),
    ]
    assert found.gaps == ()


def test_a_gpu_family_is_asked_of_cloud_quotas_and_its_usage_of_monitoring() -> None:
    (reading,) = read(project(), {HERE: (H100,)}).readings
    assert (reading.limit, reading.usage, reading.unit) == (8, 3, "GPU")


def test_the_usage_of_a_family_is_asked_for_by_its_label_and_region() -> None:
    told = project()
    read(told, {HERE: (H100,)})
    (asked,) = told.filters
    assert asked.split(" AND ") == [
        'metric.type="compute.googleapis.com/quota/gpus_per_gpu_family/usage"',
        'metric.labels.gpu_family="NVIDIA_H100"',
        'resource.labels.location="us-central1"',
    ]


def test_a_metric_that_the_listing_lacks_is_asked_of_cloud_quotas_by_its_id() -> None:
    """regions.get knows nothing of H200 spot."""
    code, metric = "PREEMPTIBLE_NVIDIA_H200_GPUS", "compute.googleapis.com/preemptible_nvidia_h200_gpus"
    quota_id = "PREEMPTIBLE-NVIDIA-H200-GPUS-per-project-region"
    told = project(
        infos={quota_id: {"quota_id": quota_id, "metric": metric, "dimensions_infos": [entry(64, region=HERE)]}},
        series={filter_of(HERE, metric, {}): 16},
    )
    (reading,) = read(told, {HERE: (code,)}).readings
    assert (reading.limit, reading.usage) == (64, 16)


@pytest.mark.parametrize(
    ("entries", "limit"),
    [
        ([entry(1), entry(2, gpu_family="NVIDIA_H100"), entry(3, region=HERE, gpu_family="NVIDIA_H100")], 3),
        ([entry(1), entry(2, gpu_family="NVIDIA_H100"), entry(3, region="us-east5", gpu_family="NVIDIA_H100")], 2),
        ([entry(2, gpu_family="NVIDIA_H100"), entry(4, region=HERE)], 4),
        ([entry(0)], 0),
        ([entry(-1, gpu_family="NVIDIA_H100")], LARGEST),
    ],
)
def test_the_most_specific_entry_is_the_limit(entries: list[dict[str, Any]], limit: float) -> None:
    (reading,) = read(project(infos={FAMILY: info(*entries)}), {HERE: (H100,)}).readings
    assert reading.limit == limit


def test_an_entry_of_another_region_is_no_limit_here() -> None:
    elsewhere = {**entry(8), "applicable_locations": ["us-east5"]}
    found = read(project(infos={FAMILY: info(elsewhere)}), {HERE: (H100,)})
    assert found.readings == ()
    assert "no limit for it there" in str(found.gaps[0])


def test_usage_without_a_series_is_not_told_and_not_zero() -> None:
    found = read(project(series={}), {HERE: (H100,)})
    assert [r.usage for r in found.readings] == [None]
    assert "Cloud Monitoring has no series for it" in str(found.gaps[0])


def test_a_quota_that_the_project_never_had_is_a_gap() -> None:
    found = read(project(infos={}), {HERE: (H100,)})
    assert found.readings == ()
    assert "does not know it in this project" in str(found.gaps[0])


def test_throttling_is_waited_out() -> None:
    told = project(refusals={"/regions/": [(429, "slow down"), (200, "")]})
    assert len(read(told, {HERE: (L4,)}).readings) == 1


def test_throttling_without_end_leaves_a_gap_that_says_so() -> None:
    found = read(project(refusals={"/regions/": [(429, "slow down")]}, infos={}), {HERE: (L4,)})
    assert "too many requests" in str(found.gaps[0])


def test_a_missing_permission_is_named() -> None:
    found = read(project(refusals={"/quotaInfos/": [(403, "denied")]}), {HERE: (L4, H100)})
    assert [r.code for r in found.readings] == [L4]
    assert [gap.reason for gap in found.gaps] == ["cloudquotas.quotas.get is not allowed"]


def test_usage_that_may_not_be_read_leaves_the_limit() -> None:
    found = read(project(refusals={"monitoring": [(403, "")]}), {HERE: (H100,)})
    assert [(r.limit, r.usage) for r in found.readings] == [(8, None)]
    assert [gap.reason for gap in found.gaps] == ["monitoring.timeSeries.list is not allowed"]


def test_an_api_that_is_not_enabled_is_told_with_the_line_that_enables_it() -> None:
    text = "Cloud Quotas API has not been used in project 1 before or it is disabled."
    found = read(project(refusals={"/quotaInfos/": [(403, text)]}), {HERE: (H100,)})
    assert "gcloud services enable cloudquotas.googleapis.com" in found.gaps[0].fix


@pytest.mark.parametrize("error", [auth.RefreshError("reauth"), exceptions.Unauthenticated("no")])
def test_expired_credentials_end_it_with_what_to_do(error: Exception) -> None:
    def expired() -> None:
        raise error

    with pytest.raises(Failed, match="gcloud auth application-default login"):
        ask(HERE, "compute.regions.get", expired)


def test_an_expired_token_ends_it_too() -> None:
    with pytest.raises(Failed, match="expired"):
        read(project(refusals={"/regions/": [(401, "invalid credentials")]}), {HERE: (L4,)})


def test_a_region_that_does_not_answer_takes_nothing_from_the_others() -> None:
    told = project(regions={HERE: {L4: (16, 4)}, "us-east5": {}}, refusals={"/regions/us-east5": [(403, "denied")]}, infos={})
    found = read(told, {HERE: (L4,), "us-east5": (L4,)})
    assert [r.region for r in found.readings] == [HERE]
    assert "us-east5" in str(found.gaps[0])


def test_running_instances_of_a_stack_are_its_own_usage() -> None:
    told = project(
        instances=[
            {"zone": "us-central1-a", "machine": "g2-standard-48", "stack": "dev"},
            {"zone": "us-central1-b", "machine": "g2-standard-48", "stack": "dev", "model": "SPOT"},
            {"zone": "us-central1-c", "machine": "g2-standard-48", "stack": "dev", "status": "TERMINATED"},
            {"zone": "us-east5-a", "machine": "g2-standard-48", "stack": "dev"},
        ]
    )
    with clients(told) as made:
        using = GoogleDoor(PROJECT, made).in_use(["dev"], [HERE])
    assert own_usage(using.nodes) == {
        (HERE, L4): {"dev": 4},
        (HERE, "PREEMPTIBLE_NVIDIA_L4_GPUS"): {"dev": 4},
        ("global", ALL): {"dev": 8},
    }


def test_zones_that_offer_a_machine_are_told() -> None:
    gpu = pool(cloud="gcp", region=HERE, machines=("g2-standard-48", Unknown("machineType")))
    with clients(project()) as made:
        assert GoogleDoor(PROJECT, made).extras([gpu]).lines == (
            "gpu: g2-standard-48 is offered in us-central1-a, us-central1-b of us-central1",
        )


WANTED = Ask(
    cloud="gcp",
    region=HERE,
    code=H100,
    unit="GPU",
    value=32,
    dimensions={"gpu_family": "NVIDIA_H100", "region": HERE},
    contact="ml@example.com",
)


@pytest.fixture
def door() -> Iterator[tuple[Project, GoogleDoor]]:
    told = project()
    with clients(told) as made:
        yield told, GoogleDoor(PROJECT, made)


def test_a_request_is_a_preference_with_the_dimensions_that_were_shown(door: tuple[Project, GoogleDoor]) -> None:
    told, way = door
    assert way.open_request(WANTED) is None
    assert way.send(WANTED).status == "undecided"
    (held,) = told.preferences
    assert (held["quota_id"], held["dimensions"], held["contact_email"]) == (FAMILY, dict(WANTED.dimensions), "ml@example.com")
    assert int(held["quota_config"]["preferred_value"]) == 32


def test_an_undecided_preference_is_found_and_one_of_another_region_is_not(door: tuple[Project, GoogleDoor]) -> None:
    _, way = door
    way.send(WANTED)
    found = way.open_request(WANTED)
    assert found is not None
    assert found.value == 32
    assert way.open_request(replace(WANTED, dimensions={**WANTED.dimensions, "region": "us-east5"})) is None


def test_a_decided_preference_is_raised_and_no_second_one_made(door: tuple[Project, GoogleDoor]) -> None:
    told, way = door
    way.send(WANTED)
    told.preferences[0]["reconciling"] = False
    way.send(replace(WANTED, value=64))
    (held,) = told.preferences
    assert int(held["quota_config"]["preferred_value"]) == 64


def test_a_request_without_a_contact_is_refused_before_it_is_sent(door: tuple[Project, GoogleDoor]) -> None:
    told, way = door
    with pytest.raises(BadInput, match="--contact EMAIL"):
        way.send(replace(WANTED, contact=None))
    assert told.preferences == []


def test_where_preferences_cannot_be_read_none_is_filed() -> None:
    with clients(project(refusals={"/quotaPreferences": [(403, "denied")]})) as made, pytest.raises(Failed, match="so none was filed"):
        GoogleDoor(PROJECT, made).send(WANTED)
