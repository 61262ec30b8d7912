from __future__ import annotations

import subprocess
import sys

import pytest

from scripts.sandbox import clouds
from tests.sandbox.cloud import Cloud


@pytest.mark.parametrize(
    ("path", "key", "rest"),
    [
        ("/eks/us-east-1/lab/api/v1", "k8s/aws/123456789012/us-east-1/lab", ["api", "v1"]),
        ("/gke/simulated-project/us-central1-a/lab/version", "k8s/gcp/simulated-project/us-central1-a/lab", ["version"]),
        ("/aks/00000000-0000-0000-0000-000000000000/lab-rg/lab", "k8s/azure/00000000-0000-0000-0000-000000000000/lab-rg/lab", []),
    ],
)
def test_each_clouds_clusters_have_addresses_of_their_own(cloud: Cloud, path: str, key: str, rest: list[str]):
    found = clouds.addressed(cloud.world, path)
    assert found is not None
    assert (found[0].key, found[1]) == (key, rest)


@pytest.mark.parametrize("path", ["/", "/eks", "/eks/us-east-1", "/gke/p/l", "/aws/us-east-1/lab", "/eks//lab"])
def test_what_names_no_cluster_is_no_address(cloud: Cloud, path: str):
    assert clouds.addressed(cloud.world, path) is None


def test_a_cluster_answers_when_it_is_there_and_not_cut_off(cloud: Cloud):
    cluster = cloud.cluster()
    place = cloud.world.place("us-east-1").in_cluster("lab")
    assert clouds.cluster_of(cloud.world, place) == cluster
    assert clouds.cluster_of(cloud.world, cloud.world.place("us-east-1").in_cluster("other")) is None
    cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    assert clouds.cluster_of(cloud.world, place) is None


def test_only_clouds_in_use_are_asked_what_is_due(cloud: Cloud):
    assert clouds.used(cloud.world) == ()
    cloud.vpc()
    assert [each.name for each in clouds.used(cloud.world)] == ["aws"]


def test_every_cloud_answers_under_its_own_name_and_door():
    assert {cloud.door: cloud.name for cloud in clouds.every()} == clouds.DOORS


def test_a_server_loads_no_clouds_sdk_before_one_is_used():
    loaded = "import sys, scripts.sandbox.server, scripts.sandbox.provider.serving, scripts.sandbox.doors.kubernetes\n"
    loaded += "from scripts.sandbox.provider.packages import NAMES, package\n[package(n) for n in NAMES]\n"
    loaded += "print([m for m in ('pulumi_aws', 'pulumi_gcp', 'pulumi_azure_native', 'botocore', 'google.cloud') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.strip() == "[]"
