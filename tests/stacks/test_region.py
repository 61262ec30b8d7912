"""The region beside the cluster: one word that the catalogue knows, or one error that says what to write."""

from __future__ import annotations

import pytest

from components.catalog import all_regions
from components.inventory import CLOUDS, Cloud
from stacks.region import REGION_KEYS, region_problem, unread_keys
from stacks.settings import SpecErrors, of_config, parse
from tests.spec.documents import aws_training, changed


def told(cloud: Cloud, region: str | None, *keys: str) -> str:
    return str(region_problem(cloud, region, beside="gpukit:cluster", keys=keys) or "")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_region_of_the_catalogue_is_one(cloud: Cloud):
    assert not [region for region in all_regions(cloud) if told(cloud, region)]


@pytest.mark.parametrize(
    ("cloud", "region", "words"),
    [
        ("aws", "us-west-9", "aws:region = us-west-9: is no region of aws that the catalogue knows"),
        ("aws", "us-west-9", "did you mean us-west-2?"),
        ("aws", "US-EAST-1", "did you mean us-east-1?"),
        ("aws", " us-east-1 ", "did you mean us-east-1?"),
        ("aws", "us-east-1c", "did you mean us-east-1?"),
        ("gcp", "us-centrall1", "did you mean us-central1?"),
        ("gcp", "us-central1-a", "did you mean us-central1?"),
        ("azure", "East US", "azure-native:location = East US: is no region of azure"),
        ("azure", "East US", "did you mean eastus?"),
        ("azure", "atlantis", "allowed: australiacentral, "),
        ("aws", '["us-east-1","us-west-2"]', "aws:region: is a list: one region is expected, as text such as us-east-1"),
        ("aws", '{"a":"b"}', "aws:region: is a mapping"),
        ("aws", "true", 'aws:region = "true": is no region'),
        ("aws", "us\x1b[31m\nx", "aws:region = 'us\\x1b[31m\\nx': is no region"),
        ("aws", "", "aws:region: is missing"),
        ("aws", None, "aws:region: is missing"),
    ],
    ids=ascii,
)
def test_what_is_no_region_is_told_with_what_to_write(cloud: Cloud, region: str | None, words: str):
    text = told(cloud, region)
    assert words in text
    assert text.isprintable()


def test_a_misspelt_key_of_the_region_is_named():
    assert "; aws:regon is no key that is read" in told("aws", None, "aws:regon", "gpukit:cluster")
    assert "no key that is read" not in told("aws", None, "gcp:region", "gpukit:cluster")


def test_no_zone_is_measured_by_a_region_that_is_none():
    document = changed(aws_training(), "owner", 5)
    with pytest.raises(SpecErrors) as error:
        parse(document, stack="dev", region="us-west-9", file="f")
    assert [e.path for e in error.value.errors] == ["aws:region", "owner"]


def test_a_secret_region_is_told_once_and_not_by_its_value():
    with pytest.raises(SpecErrors) as error:
        of_config({REGION_KEYS["aws"]: "canary", "gpukit:cluster": '{"cloud": "aws"}'}, {REGION_KEYS["aws"]}, stack="dev", file="f")
    assert "canary" not in str(error.value)
    assert [e.path for e in error.value.errors].count(REGION_KEYS["aws"]) == 1


def test_settings_of_providers_that_nothing_reads_are_named():
    keys = ["aws:region", "aws:profile", "gcp:region", "gpukit:cluster", "pulumi:tags", "azure-native:location"]
    assert unread_keys("aws", keys) == ("aws:profile", "azure-native:location", "gcp:region")
