"""What GKE's controllers leave of load balancers on GCP: ended where it is the cluster's, and left alone where it is not (K1, K6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.errors import Exit
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.gcp.paths import self_link
from scripts.sandbox.store import Record
from scripts.teardown import kinds as k
from scripts.teardown.clouds.gcp.cloud import GcpCloud
from scripts.teardown.clouds.gcp.controllers import named, word
from scripts.teardown.kube_cluster import KubeCluster, connect
from scripts.teardown.model import Scope, Thing
from tests.sandbox.gcp_cloud import REGION, ZONE, Gcp
from tests.teardown.gcp_lab import TARGET, served, teardown

OURS, THEIRS = "ksuid123", "kube-system-uid"


@pytest.fixture
def gcp(tmp_path: Path) -> Gcp:
    return Gcp(tmp_path)


@pytest.fixture
def environment(gcp: Gcp) -> Iterator[dict[str, str]]:
    with served(gcp) as found:
        yield found


def link(record: Record) -> str:
    return self_link(record.id)


def endpoints(gcp: Gcp, name: str, uid: str = "", network: str = "lab-net") -> Record:
    """A group of endpoints as the controller makes it."""
    told = {"cluster-uid": uid, "namespace": "default", "service-name": "web", "port": "80"} if uid else {}
    of = next(each for each in gcp.all(t.NETWORK) if each.state["name"] == network)
    return gcp.make(t.ENDPOINT_GROUP, name=name, zone=ZONE, network=of.id, description=json.dumps(told) if told else None)


def behind(gcp: Gcp, name: str, *groups: Record, **more: Any) -> Record:
    """A backend service on these groups."""
    return gcp.make(t.BACKEND_SERVICE, name=name, backends=[{"group": link(each)} for each in groups], **more)


def ingress(gcp: Gcp, uid: str, stem: str) -> Record:
    """Everything that an Ingress makes, from its endpoints to its global address. Returns the backend service."""
    of = word(uid)
    group = endpoints(gcp, f"k8s1-{stem}-default-web-80-5104b449", uid)
    check = gcp.make(t.HEALTH_CHECK, name=f"k8s1-{stem}-default-web-80-5104b449")
    backend = behind(gcp, f"k8s1-{stem}-default-web-80-5104b449", group, healthChecks=[link(check)])
    routes = gcp.make(t.URL_MAP, name=f"k8s2-um-{of}-default-web-cysix1wq", defaultService=link(backend))
    proxy = gcp.make(t.HTTP_PROXY, name=f"k8s2-tp-{of}-default-web-cysix1wq", urlMap=link(routes))
    gcp.make(t.GLOBAL_FORWARDING_RULE, name=f"k8s2-fr-{of}-default-web-cysix1wq", target=link(proxy))
    return backend


def found(environment: dict[str, str], uid: str = "") -> dict[str, Thing]:
    things = GcpCloud(TARGET, environment).find(k.BALANCERS, Scope(network="lab-net", uid=uid))
    return {thing.name: thing for thing in things}


def api_of(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> KubeCluster:
    monkeypatch.setattr("scripts.teardown.kube_cluster._token", lambda *_: "simulated")
    facts = GcpCloud(TARGET, environment).cluster()
    assert facts is not None
    api = connect(facts, {}, direct=True)
    assert api is not None
    return api


def test_the_word_for_a_cluster_is_the_one_that_ingress_gce_makes() -> None:
    """The pair is in that project's own tests (pkg/backends, pkg/l4lb: `ksuid123`, `k8s2-axyqjz2d-l4-shared-hc`)."""
    assert word("ksuid123") == "axyqjz2d"
    assert not word("")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("k8s2-axyqjz2d-l4-shared-hc", True),
        ("k8s2-tcp-axyqjz2d-default-web-956p2p7x", True),
        ("k8s3-axyqjz2d-956p2p7x-default-web-deny", True),
        ("k8s2-axyqjz2dx-default-web-956p2p7x", False),
        ("k8s2-s7nrwkif-axyqjz2d-web-956p2p7x", False),
        ("my-k8s2-axyqjz2d-default-web", False),
        ("k8s1-axyqjz2d-default-web-80-5104b449", False),
    ],
)
def test_a_name_is_the_clusters_when_the_word_stands_where_controllers_put_it(name: str, ours: bool) -> None:
    assert named(name, OURS) is ours
    assert not named(name, "")


@pytest.mark.failure("K6")
def test_the_balancers_of_a_cluster_end_and_those_of_one_that_looks_alike_stay(
    gcp: Gcp, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = api_of(environment, monkeypatch)
    uid = next(str(each.detail["object"]["metadata"]["uid"]) for each in api.find({"Namespace"}) if each.name == "kube-system")
    ingress(gcp, uid, "0123abcd")
    ingress(gcp, THEIRS, "4567abcd")
    gcp.make(t.FORWARDING_RULE, name=f"k8s2-tcp-{word(uid)}-default-db-956p2p7x", region=REGION)
    before = {record.id for record in parts(gcp) if word(uid) not in record.id and "0123abcd" not in record.id}

    made = teardown(environment, tmp_path, cluster=api, minutes={"balancers": 2})
    ending = made.act(made.plan())

    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    assert {record.id for record in parts(gcp)} == before
    assert len(before) == 6


@pytest.mark.failure("K6")
def test_what_was_learned_of_the_cluster_is_still_known_when_the_cluster_is_gone(
    gcp: Gcp, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = api_of(environment, monkeypatch)
    first = teardown(environment, tmp_path, cluster=api)
    uid = next(str(each.detail["object"]["metadata"]["uid"]) for each in api.find({"Namespace"}) if each.name == "kube-system")
    first.journal.start(TARGET)
    first.journal.append("scope", scope=Scope(uid=uid, network="lab-net").as_json())
    ingress(gcp, uid, "0123abcd")
    ingress(gcp, THEIRS, "4567abcd")

    again = teardown(environment, tmp_path)
    assert again.act(again.plan()).exit is Exit.FINE
    assert len(parts(gcp)) == 6
    assert not [record.id for record in parts(gcp) if word(uid) in record.id]


def parts(gcp: Gcp) -> list[Record]:
    tokens = (t.FORWARDING_RULE, t.GLOBAL_FORWARDING_RULE, t.HTTP_PROXY, t.URL_MAP, t.BACKEND_SERVICE, t.ENDPOINT_GROUP, t.HEALTH_CHECK)
    return [record for token in tokens for record in gcp.all(token)]


def test_users_come_before_what_they_use_so_that_one_pass_can_end_them(gcp: Gcp, environment: dict[str, str]) -> None:
    ingress(gcp, OURS, "0123abcd")
    cloud = GcpCloud(TARGET, environment)
    for thing in cloud.find(k.BALANCERS, Scope(uid=OURS)):
        cloud.delete(thing)
    assert not parts(gcp)


def test_what_serves_two_clusters_is_left_and_said(gcp: Gcp, environment: dict[str, str]) -> None:
    ours, theirs = ingress(gcp, OURS, "0123abcd"), ingress(gcp, THEIRS, "4567abcd")
    gcp.make(t.URL_MAP, name="k8s-um-both", defaultService=link(ours), pathMatchers=[{"defaultService": link(theirs)}])
    things = found(environment, uid=OURS)
    assert "whose it is cannot be told" in things["k8s-um-both"].kept
    assert not any("4567abcd" in name or word(THEIRS) in name for name in things)


def test_a_persons_own_balancer_on_the_clusters_endpoints_is_left_and_said(gcp: Gcp, environment: dict[str, str]) -> None:
    group = endpoints(gcp, "k8s1-0123abcd-default-web-80-5104b449", OURS)
    behind(gcp, "storefront", group)
    things = found(environment, uid=OURS)
    assert not things[group.state["name"]].kept
    assert things["storefront"].kept


def test_a_health_check_that_another_cluster_uses_too_stays(gcp: Gcp, environment: dict[str, str]) -> None:
    shared = gcp.make(t.HEALTH_CHECK, name="k8s-be-30080--0123456789abcdef")
    for uid, stem in ((OURS, "0123abcd"), (THEIRS, "4567abcd")):
        behind(gcp, f"k8s1-{stem}-default-web-80-5104b449", endpoints(gcp, f"k8s1-{stem}-default-x-80-1", uid), healthChecks=[link(shared)])
    assert shared.state["name"] not in found(environment, uid=OURS)


def test_a_balancer_of_the_first_kind_goes_by_the_machines_in_its_pool(gcp: Gcp, environment: dict[str, str]) -> None:
    """Its name is the Service's uid and its description the Service's name, which any cluster may have."""
    (mine, also) = gcp.running()[:2]
    told = json.dumps({"kubernetes.io/service-name": "default/web"})
    for name, machines in (("a" + "1" * 31, [mine, also]), ("a" + "2" * 31, [mine, None]), ("a" + "3" * 31, [None])):
        links = [link(each) if each else self_link(f"projects/simulated-project/zones/{ZONE}/instances/gke-lab-2-x") for each in machines]
        pool = gcp.make(t.TARGET_POOL, name=name, region=REGION, instances=links)
        gcp.make(t.FORWARDING_RULE, name=name, region=REGION, target=link(pool), description=told)
    things = GcpCloud(TARGET, environment).find(k.BALANCERS, Scope(network="lab-net"))
    assert [(thing.kind, thing.name) for thing in things if not thing.kept] == [(k.BALANCER, "a" + "1" * 31), (k.TARGETS, "a" + "1" * 31)]
    assert [thing.name for thing in things if thing.kept] == ["a" + "2" * 31]


def test_without_the_clusters_uid_nothing_in_a_shared_network_is_touched(gcp: Gcp, environment: dict[str, str]) -> None:
    ingress(gcp, OURS, "0123abcd")
    assert all(thing.kept for thing in found(environment).values())
    assert "k8s1-0123abcd-default-web-80-5104b449" in found(environment)


def test_without_the_uid_a_network_made_for_the_cluster_alone_tells(gcp: Gcp, environment: dict[str, str]) -> None:
    gcp.network(name="lab-vpc-0a1b2c3")
    endpoints(gcp, "k8s1-0123abcd-default-web-80-5104b449", OURS, network="lab-vpc-0a1b2c3")
    endpoints(gcp, "my-own-group", network="lab-vpc-0a1b2c3")
    things = GcpCloud(TARGET, environment).find(k.BALANCERS, Scope(network="lab-vpc-0a1b2c3"))
    assert [(thing.name, thing.kept) for thing in things] == [("k8s1-0123abcd-default-web-80-5104b449", "")]
    assert GcpCloud(TARGET, environment).find(k.BALANCERS, Scope(network="lab-vpc-0a1b2c3", uid=THEIRS)) == ()


def test_a_firewall_rule_and_an_address_of_a_controller_go_by_the_clusters_uid(gcp: Gcp, environment: dict[str, str]) -> None:
    own = next(each for each in gcp.all(t.NETWORK) if each.state["name"] == "lab-net")
    for uid in (OURS, THEIRS):
        name = f"k8s2-{word(uid)}-default-web-956p2p7x"
        gcp.make(t.FIREWALL, name=name, network=own.id, direction="INGRESS", allows=[{"protocol": "tcp"}], sourceRanges=["10.0.0.0/8"])
        gcp.make(t.ADDRESS, name=name, region=REGION, addressType="EXTERNAL")
    things = GcpCloud(TARGET, environment).find({k.FIREWALL, k.ADDRESS}, Scope(network="lab-net", uid=OURS))
    assert {thing.kind for thing in things if word(OURS) in thing.name} == {k.FIREWALL, k.ADDRESS}
    assert not any(word(THEIRS) in thing.name for thing in things)
