"""Specs as plain values: defaults, what follows from them, and the eventual file with every section."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, date, datetime
from typing import Any

import pytest

from components.inventory import Market
from components.refusals import SpecErrors
from components.spec import CapacityBlock, InferenceSpec, Spec, TrainingSpec
from components.spec.checks import refuse
from components.spec.reading import read
from tests.spec.documents import MAKERS, Document, aws_inference, aws_training, changed

EVENTUAL: Document = {
    "cloud": "aws",
    "account": "123456789012",
    "environment": "dev",
    "workload": "training",
    "owner": "ml-platform",
    "name": "",
    "lease": {"expires": "2027-03-01"},
    "kubernetes_version": "1.35",
    "network": {"zones": ["us-east-1b", "us-east-1d"], "cidr": "10.64.0.0/16", "nat": "single"},
    "access": {"api": "public", "api_cidrs": ["203.0.113.0/24"], "admins": ["arn:aws:iam::123456789012:role/platform"]},
    "system": {"machine": "m7i.large", "nodes": {"min": 2, "max": 4}},
    "pools": [
        {
            "name": "a100",
            "machine": "p4d.24xlarge",
            "zone": "us-east-1d",
            "nodes": {"min": 0, "max": 4},
            "capacity": {"mode": "spot"},
            "image": "auto",
            "fabric": "auto",
            "placement": "auto",
            "sharing": "none",
            "updates": "in_place",
            "disk_gib": 500,
        }
    ],
    "storage": {
        "buckets": [{"name": "checkpoints", "use": "checkpoint"}],
        "shared_filesystem": {"tib": 4.8, "mb_s_per_tib": 125, "mount": "/shared"},
    },
    "queue": {"teams": [{"name": "research", "gpus": 24}, {"name": "platform", "gpus": 8}]},
    "budget": {"hourly_usd": 120, "monthly_usd": 75000, "alert_emails": ["ml-platform@example.com"]},
    "pricing": {"commitments": [{"kind": "savings_plan", "pool": "a100", "discount_percent": 40}]},
    "idle": {"grace_minutes": 30, "strongest_action": "notify", "notify": ["env:GPUKIT_WEBHOOK", "ml-platform@example.com"]},
    "monitoring": {"metrics": "prometheus", "log_retention_days": 30},
    "model": {"name": "llama", "parameters_billions": 70},
    "tags": {"cost-center": "4711"},
}


def spec_of(document: Document, region: str = "us-east-1") -> Any:
    spec, errors = read(document, region=region)
    assert errors == ()
    return spec


def test_the_eventual_file_with_every_section_is_valid():
    spec = spec_of(EVENTUAL)
    assert isinstance(spec, TrainingSpec)
    assert [team.gpus for team in spec.queue.teams] == [24, 8]


def test_a_spec_written_out_reads_back_the_same():
    spec = spec_of(EVENTUAL)
    assert spec_of(json.loads(spec.model_dump_json())) == spec


@pytest.mark.parametrize("maker", MAKERS)
def test_a_spec_is_a_value(maker: str):
    document = MAKERS[maker]()
    spec, _ = read(document)
    assert isinstance(spec, Spec)
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec  # noqa: S301  # our own bytes
    assert len({spec, copy.deepcopy(spec)}) == 1


def test_defaults_are_safe_and_cheap():
    document = aws_training()
    document["pools"][0] = {"name": "a100", "machine": "p4d.24xlarge", "zone": "us-east-1d", "nodes": {"max": 4}}
    del document["network"]["nat"]
    spec = spec_of(document)
    assert spec.pools[0].nodes.min == 0
    assert spec.pools[0].market is Market.ON_DEMAND
    assert spec.idle.strongest_action == "scale_to_zero"
    assert (spec.pools[0].updates, spec.pools[0].sharing) == ("in_place", "none")
    assert (spec.protected, spec.nat) == (False, "single")


@pytest.mark.parametrize("environment", ["staging", "prod"])
def test_staging_and_prod_are_protected_and_have_a_way_out_in_each_zone(environment: str):
    document = changed(aws_training(), "environment", environment)
    del document["network"]["nat"]
    spec = spec_of(document)
    assert (spec.protected, spec.nat) == (True, "per_zone")


def test_a_pool_without_a_zone_lives_in_the_networks_first():
    spec = spec_of(aws_inference())
    assert isinstance(spec, InferenceSpec)
    assert spec.zone_of(spec.pools[0]) == "us-east-1b"


def test_a_pools_own_zone_counts_first():
    spec = spec_of(aws_training())
    assert spec.zone_of(spec.pools[0]) == "us-east-1d"


def test_an_existing_network_gives_zones_by_its_subnets():
    network = {"existing": {"network": "vpc-1", "node_subnets": {"us-east-1c": "subnet-1"}}}
    spec = spec_of(changed(aws_inference(), "network", network))
    assert spec.zone_of(spec.pools[0]) == "us-east-1c"


def test_zones_may_be_ids_which_name_no_region():
    document = changed(aws_training(), "network.zones", ["use1-az1", "use1-az4"])
    assert spec_of(changed(document, "pools.0.zone", "use1-az4")).pools[0].zone == "use1-az4"


def test_alternatives_are_the_pools_machines():
    pool = {"name": "g", "machines": ["g5.2xlarge", "g5.4xlarge"], "zone": "us-east-1d", "capacity": {"mode": "spot"}}
    assert spec_of(changed(aws_training(), "pools", [pool])).pools[0].machine_types == ("g5.2xlarge", "g5.4xlarge")


def test_a_lease_ends_with_its_last_day():
    lease = spec_of(aws_training()).lease
    assert not lease.expired(date(2027, 3, 1))
    assert lease.expired(date(2027, 3, 2))


def test_times_are_kept_in_one_zone():
    block = {"mode": "capacity_block", "id": "cr-0123456789abcdef0", "starts": "2027-01-11T12:30+01:00", "ends": "2027-01-18T11:30Z"}
    capacity = spec_of(changed(aws_training(), "pools.0.capacity", block)).pools[0].capacity
    assert isinstance(capacity, CapacityBlock)
    assert capacity.starts == datetime(2027, 1, 11, 11, 30, tzinfo=UTC)
    assert capacity.starts.tzinfo is UTC


def test_a_spec_made_in_python_can_be_refused_too():
    spec = spec_of(aws_training())
    refuse(spec, region="us-east-1")
    with pytest.raises(SpecErrors, match=r"^my program: .*(\n.*)*lies outside the stack's region us-west-2"):
        refuse(spec, region="us-west-2", source="my program")
