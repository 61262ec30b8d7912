"""Persistent claims and their volumes, by their reclaim policy, while the storage driver lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body, replicas
from scripts.teardown.step import Scene, Step

CLAIM, PERSISTENT = "PersistentVolumeClaim", "PersistentVolume"
_SCALED = ("StatefulSet", "Deployment", "ReplicaSet")
_DELETED = ("DaemonSet", "Pod")
"""What has no size: a DaemonSet, and a pod that nobody makes again. Jobs are suspended before, with what re-creates things."""
_ENDED = ("Succeeded", "Failed")


def policies(volumes: tuple[Thing, ...]) -> dict[str, str]:
    """Cloud volume id to reclaim policy, of every persistent volume."""
    found = ((handle(each), str((body(each).get("spec") or {}).get("persistentVolumeReclaimPolicy") or "Delete")) for each in volumes)
    return {id_: policy for id_, policy in found if id_}


def handle(volume: Thing) -> str:
    """The cloud's id of a persistent volume's disk; "" for volumes of another kind. GCE and Azure name a path, whose last word is the id."""
    spec = body(volume).get("spec") or {}
    csi: Mapping[str, Any] = spec.get("csi") or {}
    return str(csi.get("volumeHandle") or (spec.get("awsElasticBlockStore") or {}).get("volumeID") or "").rsplit("/", 1)[-1]


def _touches(seen: Seen) -> tuple[Thing, ...]:
    """Claims whose volume goes with them, those who mount them, and the volumes. What is retained is not touched: that is a finding."""
    retained = {_claim_of(each) for each in seen.of([PERSISTENT]) if _policy(each) == "Retain"}
    claims = tuple(each for each in seen.of([CLAIM]) if each.id not in retained)
    going = {each.id for each in claims}
    users = (
        *(each for each in seen.of(_SCALED) if replicas(each) and not _made_by_another(each)),
        *filter(_lives_alone, seen.of(_DELETED)),
    )
    owners = tuple(each for each in users if set(_mounted(each, seen)) & going)
    volumes = tuple(each for each in seen.of([PERSISTENT]) if _policy(each) == "Delete" and _claim_of(each))
    disks = tuple(each for each in seen.going([k.VOLUME]) if seen.scope.policies.get(each.id) == "Delete")
    return (*owners, *claims, *volumes, *disks)


def _made_by_another(owner: Thing) -> bool:
    """A Deployment makes its ReplicaSets, and scales them itself."""
    return owner.kind == "ReplicaSet" and bool(body(owner)["metadata"].get("ownerReferences"))


def _lives_alone(thing: Thing) -> bool:
    """Whether deleting it is enough: a pod that a controller owns comes back, and goes with its owner; one that has ended holds no claim."""
    if thing.kind != "Pod":
        return True
    ended = (body(thing).get("status") or {}).get("phase") in _ENDED
    return not ended and not body(thing)["metadata"].get("ownerReferences")


def _policy(volume: Thing) -> str:
    return str((body(volume).get("spec") or {}).get("persistentVolumeReclaimPolicy") or "Delete")


def _claim_of(volume: Thing) -> str:
    reference = (body(volume).get("spec") or {}).get("claimRef") or {}
    return f"{reference.get('namespace')}/{reference.get('name')}" if reference.get("name") else ""


def _mounted(owner: Thing, seen: Seen) -> Iterator[str]:
    """Claims of a StatefulSet's templates (`TEMPLATE-NAME-NUMBER`, Kubernetes documentation, StatefulSet), those that its pods name, and those
    that come with each pod (`POD-VOLUME`, Kubernetes documentation, Ephemeral Volumes).
    """
    spec: Mapping[str, Any] = body(owner).get("spec") or {}
    namespace = owner.id.rpartition("/")[0]
    pods = spec if owner.kind == "Pod" else (spec.get("template") or {}).get("spec") or {}
    for volume in pods.get("volumes") or ():
        if volume.get("persistentVolumeClaim"):
            yield f"{namespace}/{volume['persistentVolumeClaim'].get('claimName')}"
        elif volume.get("ephemeral"):
            start, end = f"{namespace}/{owner.name}-", f"-{volume.get('name')}"
            yield from (each.id for each in seen.of([CLAIM]) if each.id.startswith(start) and each.id.endswith(end))
    for template in spec.get("volumeClaimTemplates") or ():
        stem = f"{namespace}/{(template.get('metadata') or {}).get('name')}-{owner.name}-"
        yield from (each.id for each in seen.of([CLAIM]) if each.id.startswith(stem) and each.id.removeprefix(stem).isdigit())


def _act(scene: Scene, things: tuple[Thing, ...]) -> None:
    """K3: owners first, or a StatefulSet makes its claims again. The storage driver deletes volumes, as long as it lives."""
    if scene.cluster is None:
        return
    for owner in things:
        if owner.kind in _SCALED:
            scene.cluster.change(owner, {"spec": {"replicas": 0}})
        elif owner.kind in _DELETED:
            scene.cluster.delete(owner)
    for claim in things:
        if claim.kind == CLAIM:
            scene.cluster.delete(claim)


STEP = Step(
    id="claims",
    title="End what mounts claims (sets to zero, DaemonSets and lone pods deleted); delete claims whose volumes go with them, wait for the volumes",
    reason="K3: the storage driver dies with the cluster, and its volumes bill on; retained ones are kept and listed",
    needs=frozenset({*_SCALED, *_DELETED, CLAIM, PERSISTENT, k.VOLUME}),
    touches=_touches,
    act=_act,
    minutes=15,
    in_cluster=True,
)
