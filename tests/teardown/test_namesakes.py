"""A wrong region, when the state is lost: what an account has once must not go for a cluster that lives elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from scripts.engine.checkout import Checkout
from scripts.engine.show import Show
from scripts.errors import Refused
from scripts.sandbox.kinds.aws import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.cloud import AwsCloud
from scripts.teardown.clouds.azure import AzureCloud
from scripts.teardown.clouds.gcp.cloud import GcpCloud
from scripts.teardown.journal import Journal
from scripts.teardown.model import Scope, Target
from scripts.teardown.preparing import Prepared
from scripts.teardown.step import Choices
from tests.sandbox.azure import Azure
from tests.sandbox.cloud import REGION
from tests.sandbox.gcp_cloud import Gcp
from tests.teardown import gcp_lab, test_azure
from tests.teardown.lab import Lab, identity

ELSEWHERE = "us-west-2"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    made.cluster()
    yield made
    made.close()


def prepared(lab: Lab, target: Target) -> Prepared:
    (lab.home / "checkout" / "stacks").mkdir(parents=True, exist_ok=True)
    return Prepared(target, lab.environment, Checkout(lab.home / "checkout"), Show("", StringIO()))


@pytest.mark.failure("K6")
def test_a_region_without_the_cluster_is_refused_while_another_one_has_it(lab: Lab) -> None:
    wrong = replace(lab.target(), region=ELSEWHERE)
    roles = AwsCloud(wrong, lab.environment).find((k.ROLE,), Scope())
    assert roles != (), "a role's tags tell the cluster's name alone: nothing else would keep it"
    with pytest.raises(Refused, match=rf"no cluster lab in {ELSEWHERE}, and one in {REGION}.*Give --region {REGION}.*Nothing was changed"):
        prepared(lab, wrong).teardown(Choices(without_api=True))
    assert AwsCloud(wrong, lab.environment).find((k.ROLE,), Scope()) == roles


@pytest.mark.failure("K6")
def test_a_cluster_that_its_stack_does_not_tell_apart_is_refused_while_its_name_lives_elsewhere(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AwsCloud, "namesakes", lambda _: (ELSEWHERE,))
    found = AwsCloud(lab.target(), lab.environment).cluster()
    assert found is not None
    assert prepared(lab, lab.target()).teardown(Choices(without_api=True)).facts == found, "its stack tells it apart"
    nameless = replace(found, scope=replace(found.scope, stack=""))
    monkeypatch.setattr(AwsCloud, "cluster", lambda _: nameless)
    with pytest.raises(Refused, match=rf"lab in {REGION} without a tag of its stack, and one in {ELSEWHERE} too.*Nothing was changed"):
        prepared(lab, lab.target()).teardown(Choices(without_api=True))


@pytest.mark.failure("K6")
def test_where_no_cluster_of_the_name_is_left_its_region_is_ended(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.cloud.make(t.ROLE, tags=identity("lab"), name="lab-nodes", assumeRolePolicy='{"Version": "2012-10-17", "Statement": []}')
    try:
        ready = prepared(lab, lab.target()).teardown(Choices(without_api=True))
        assert ready.facts is None
        assert [thing.name for thing in ready.scene.cloud.find((k.ROLE,), Scope())] == ["lab-nodes"]
    finally:
        lab.close()


def test_a_run_that_was_cut_off_goes_on_though_the_name_lives_elsewhere_by_now(lab: Lab) -> None:
    begun = replace(lab.target(), region=ELSEWHERE)
    ready = prepared(lab, begun)
    Journal.of(ready.here.local, begun).start(begun)
    assert ready.teardown(Choices(without_api=True)).facts is None


def test_a_region_that_there_is_not_is_refused_with_those_that_there_are(lab: Lab) -> None:
    with pytest.raises(Refused, match=r"--region us-west-9 is none of the account's regions.*us-east-1.*Nothing was changed"):
        prepared(lab, replace(lab.target(), region="us-west-9")).teardown(Choices(without_api=True))


def test_google_clusters_of_the_name_in_other_places_are_known(tmp_path: Path) -> None:
    with gcp_lab.served(Gcp(tmp_path)) as environment:
        assert GcpCloud(gcp_lab.TARGET, environment).namesakes() == ()
        (place,) = GcpCloud(replace(gcp_lab.TARGET, region="europe-west4"), environment).namesakes()
        assert place.startswith(gcp_lab.TARGET.region)


def test_azure_clusters_of_the_name_in_other_places_are_known(tmp_path: Path) -> None:
    azure = Azure(tmp_path)
    azure.cluster(tags=test_azure.TAGS)
    with contextmanager(test_azure.serving)(azure) as environment:
        assert AzureCloud(test_azure.TARGET, environment).namesakes() == ()
        assert AzureCloud(replace(test_azure.TARGET, region="westeurope"), environment).namesakes() == (test_azure.TARGET.region,)
