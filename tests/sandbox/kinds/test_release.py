"""A release leaves what Helm leaves: by it a killed run's release is found again."""

from __future__ import annotations

from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.kinds.release import MOST_REVISIONS, SECRET
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud


def order(cloud: Cloud, cluster: Record, before: Record | None = None, **inputs: Any) -> Order:
    given = {"name": "op", "chart": "op", "namespace": "kube-system", "repositoryOpts": {"repo": "https://charts.invalid"}, **inputs}
    place = Place.of(cluster.key).in_cluster(cluster.id)
    return Order(world=cloud.world, place=place, token=k8s.RELEASE, name="op", inputs=given, before=before)


def labels(cloud: Cloud) -> list[tuple[str, str]]:
    found = [s for s in (r for r in cloud.world.store if r.kind == SECRET) if s.state["metadata"]["labels"]["name"] == "op"]
    found.sort(key=lambda s: int(s.state["metadata"]["labels"]["version"]))
    return [(s.state["metadata"]["name"], s.state["metadata"]["labels"]["status"]) for s in found]


def test_a_release_has_a_storage_secret_without_its_values(cloud: Cloud):
    cluster = cloud.cluster()
    cloud.world.create(kinds.kind(k8s.RELEASE), order(cloud, cluster, values={"password": "canary"}))
    assert labels(cloud) == [("sh.helm.release.v1.op.v1", "deployed")]
    (secret,) = (r for r in cloud.world.store if r.kind == SECRET)
    assert secret.state["type"] == "helm.sh/release.v1"
    assert "canary" not in str(secret)


def test_updates_supersede_and_the_oldest_are_forgotten(cloud: Cloud):
    cluster = cloud.cluster()
    record = cloud.world.create(kinds.kind(k8s.RELEASE), order(cloud, cluster))
    for round_ in range(MOST_REVISIONS + 2):
        record = cloud.world.update(kinds.kind(k8s.RELEASE), order(cloud, cluster, record, values={"round": round_}))
    history = labels(cloud)
    assert len(history) == MOST_REVISIONS
    assert [status for _, status in history] == ["superseded"] * (MOST_REVISIONS - 1) + ["deployed"]
    assert history[-1][0] == f"sh.helm.release.v1.op.v{MOST_REVISIONS + 3}"


def test_a_deleted_release_leaves_nothing(cloud: Cloud):
    record = cloud.world.create(kinds.kind(k8s.RELEASE), order(cloud, cloud.cluster()))
    cloud.world.delete(kinds.kind(k8s.RELEASE), record)
    assert labels(cloud) == []
