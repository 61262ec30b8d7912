"""What each step touches, from one look: no cloud, no cluster."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Target, Thing
from scripts.teardown.step import Choices, Scene, Step
from scripts.teardown.steps import (
    balancers,
    budgets,
    claims,
    cluster,
    data,
    engine,
    finalizers,
    karpenter,
    operators,
    pools,
    recreators,
    rest,
    workloads,
)
from scripts.teardown.steps.order import steps
from tests.teardown.things import obj, pool, seen, thing

LEAVING: dict[str, Any] = {"metadata": {"deletionTimestamp": "2026-11-30T12:00:00Z", "finalizers": ["a/b"]}}


def ids(touched: tuple[Thing, ...]) -> list[str]:
    return [each.id for each in touched]


@pytest.mark.parametrize("detail", [{"minimum": 1}, {"desired": 1}, {"running": 1}])
def test_a_gpu_pool_that_has_wants_or_must_have_machines_goes_to_zero(detail: dict[str, int]) -> None:
    assert pools.STEP.touches(seen(pool(**detail))) == (pool(**detail),)


def test_an_empty_gpu_pool_and_a_cpu_pool_are_left_to_later_steps() -> None:
    assert pools.STEP.touches(seen(pool(), pool(gpu=False, running=3))) == ()


def test_a_pool_of_which_nothing_is_known_counts_as_running() -> None:
    assert pools.STEP.touches(seen(thing(k.POOL)))


def test_gitops_and_autoscalers_are_stopped_and_other_deployments_are_not() -> None:
    flux = obj("Deployment", "kustomize-controller", "flux-system", spec={"replicas": 1})
    argo = obj("StatefulSet", "cd-application-controller", metadata={"labels": {"app.kubernetes.io/name": "argocd-application-controller"}})
    asleep = obj("Deployment", "cluster-autoscaler", spec={"replicas": 0})
    other = obj("Deployment", "web", spec={"replicas": 3})
    assert recreators.STEP.touches(seen(flux, argo, asleep, other)) == (flux, argo)


def test_karpenter_is_kept_alive_and_kept_from_growing() -> None:
    karpenter_itself = obj("Deployment", "karpenter", spec={"replicas": 2})
    growing, capped = obj(recreators.NODE_POOL, "a"), obj(recreators.NODE_POOL, "b", spec={"limits": {"cpu": "0"}})
    assert recreators.STEP.touches(seen(karpenter_itself, growing, capped)) == (growing,)


def test_scheduled_jobs_are_suspended_once() -> None:
    assert (
        recreators.STEP.touches(seen(obj("CronJob", spec={"suspend": False}), obj("CronJob", "two", spec={"suspend": True})))[0].name
        == "one"
    )


@pytest.mark.failure("G11")
def test_queues_wait_until_the_last_workload_is_gone() -> None:
    job, queue = obj("Workload.kueue.x-k8s.io"), obj("ClusterQueue.kueue.x-k8s.io", "queue")
    assert workloads.STEP.touches(seen(queue, job)) == (job,)
    assert workloads.STEP.touches(seen(queue)) == (queue,)


def test_only_services_of_type_load_balancer_own_one() -> None:
    inner, outer = obj("Service", "inner", spec={"type": "ClusterIP"}), obj("Service", "outer", spec={"type": "LoadBalancer"})
    assert balancers.owners(seen(inner, outer)) == (outer,)


@pytest.mark.failure("K1")
def test_the_step_waits_for_the_clouds_load_balancers_after_the_objects_are_gone() -> None:
    assert balancers.BY_OWNER.touches(seen(thing(k.BALANCER)))
    assert not balancers.BY_OWNER.touches(seen(obj("Service", spec={})))


def volume(name: str, claim: str, policy: str, handle: str) -> object:
    spec = {"persistentVolumeReclaimPolicy": policy, "claimRef": {"namespace": "default", "name": claim}, "csi": {"volumeHandle": handle}}
    return obj("PersistentVolume", name, "", spec=spec)


def with_claims(policy: str) -> Seen:
    spec = {"replicas": 1, "volumeClaimTemplates": [{"metadata": {"name": "data"}}]}
    return seen(
        obj("StatefulSet", "store", spec=spec),
        obj("StatefulSet", "store-2", spec=spec),
        obj("PersistentVolumeClaim", "data-store-0"),
        volume("pv", "data-store-0", policy, "vol-1"),  # type: ignore[arg-type]
        thing(k.VOLUME, "vol-1"),
        policies={"vol-1": policy},
    )


@pytest.mark.failure("K3")
def test_owners_claims_and_volumes_go_together_and_a_namesake_does_not() -> None:
    assert ids(claims.STEP.touches(with_claims("Delete"))) == ["default/store", "default/data-store-0", "/pv", "vol-1"]


def test_nothing_of_a_retained_claim_is_touched() -> None:
    assert claims.STEP.touches(with_claims("Retain")) == ()


@pytest.mark.parametrize(
    ("spec", "id_"),
    [
        ({"csi": {"volumeHandle": "vol-1"}}, "vol-1"),
        ({"csi": {"volumeHandle": "projects/p/zones/z/disks/pvc-1"}}, "pvc-1"),
        ({"awsElasticBlockStore": {"volumeID": "aws://us-east-1a/vol-2"}}, "vol-2"),
        ({"nfs": {}}, ""),
    ],
)
def test_the_clouds_id_of_a_volume_is_read_from_its_driver(spec: dict[str, object], id_: str) -> None:
    assert claims.handle(obj("PersistentVolume", spec=spec)) == id_


@pytest.mark.parametrize(
    ("spec", "status", "blocks"),
    [
        ({"maxUnavailable": 0}, {}, True),
        ({"maxUnavailable": "0%"}, {}, True),
        ({"minAvailable": "100%"}, {}, True),
        ({"minAvailable": 1}, {"disruptionsAllowed": 0, "expectedPods": 1}, True),
        ({"minAvailable": 1}, {"disruptionsAllowed": 0, "expectedPods": 0}, False),
        ({"maxUnavailable": 1}, {"disruptionsAllowed": 1, "expectedPods": 2}, False),
    ],
)
@pytest.mark.failure("K7")
def test_budgets_that_allow_nothing_are_found_by_rule_and_by_count(spec: dict[str, object], status: dict[str, int], blocks: bool) -> None:
    assert bool(budgets.blocking(seen(obj("PodDisruptionBudget", spec=spec, status=status)))) is blocks


@pytest.mark.failure("K4")
def test_machines_of_no_pool_are_waited_for_and_then_ended() -> None:
    theirs = thing(k.INSTANCE, "i-1", detail={"karpenter": True})
    pooled = thing(k.INSTANCE, "i-2", detail={"pool": "gpu"})
    strange = thing(k.INSTANCE, "i-3", detail={})
    assert ids(karpenter.STEP.touches(seen(theirs, pooled, strange))) == ["i-1"]
    assert ids(karpenter.LEFT.touches(seen(theirs, pooled, strange))) == ["i-1", "i-3"]


@pytest.mark.failure("K9")
def test_device_claims_go_before_the_operators_resources() -> None:
    claim, policy = obj("ResourceClaim"), obj("ClusterPolicy.nvidia.com", "policy")
    assert operators.STEP.touches(seen(policy, claim)) == (claim,)
    assert operators.STEP.touches(seen(policy)) == (policy,)


def test_finalizers_are_taken_off_only_what_is_being_deleted() -> None:
    assert ids(finalizers.STEP.touches(seen(obj("Service", **LEAVING), obj("Service", "two")))) == ["default/one"]


@pytest.mark.failure("K10")
@pytest.mark.failure("H9")
def test_pools_that_the_state_does_not_know_are_deleted_before_the_engine_starts() -> None:
    known, strange = thing(k.POOL, "lab:gpu"), thing(k.POOL, "lab:inline")
    assert cluster.POOLS.touches(seen(known, strange, recorded=frozenset({"lab:gpu"}))) == (strange,)
    order = [step.id for step in steps(Choices(), state_known=True)]
    assert order.index("pools") < order.index("destroy")


@pytest.mark.failure("K5")
def test_an_interface_in_use_is_left_to_what_uses_it() -> None:
    free, used = thing(k.INTERFACE, "eni-1", detail={"attached": False}), thing(k.INTERFACE, "eni-2", detail={"attached": True})
    assert rest.INTERFACES.touches(seen(free, used)) == (free,)


def test_a_network_comes_apart_from_the_inside() -> None:
    parts = [thing(kind) for kind in (k.NETWORK, k.SUBNET, k.FIREWALL, k.NAT, k.ENDPOINT)]
    assert [each.kind for each in rest.NETWORK.touches(seen(*parts))] == [k.ENDPOINT, k.NAT, k.FIREWALL, k.SUBNET, k.NETWORK]


def test_no_step_touches_what_is_kept_unless_it_is_named() -> None:
    kept = [thing(kind, kept="on purpose") for kind in k.EVERYTHING]
    for step in steps(Choices(delete_data=frozenset({"other"})), state_known=True):
        assert step.touches(seen(*kept)) == (), step.id
    assert data.step(Choices(delete_data=frozenset({"one"}))).touches(seen(*kept))


def test_the_order_is_the_one_in_which_a_failure_is_cheap() -> None:
    assert [step.id for step in steps(Choices(), state_known=True)] == [
        *("gpu-pools", "re-creators", "workloads", "balancers", "claims", "budgets", "karpenter", "operators"),
        *(
            "balancers-left",
            "machines-left",
            "pools",
            "destroy",
            "interfaces",
            "destroy-again",
            "cluster",
            "interfaces",
            "network",
            "sweep",
        ),
    ]
    assert engine.DESTROY not in steps(Choices(), state_known=False)


def test_every_step_bounds_its_wait_and_gives_its_reason() -> None:
    for step in steps(Choices(strip_finalizers=True, cancel_reservations=True, delete_data=frozenset({"a"})), state_known=True):
        assert 0 < step.minutes <= 60
        assert step.reason
        assert step.needs


def test_jobs_that_go_on_are_suspended_and_those_that_ended_or_belong_to_another_are_not() -> None:
    ended = obj("Job", "ended", status={"conditions": [{"type": "Complete", "status": "True"}]})
    queued = obj("Job", "queued", metadata={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
    of_set = obj("Job", "of-set", metadata={"ownerReferences": [{"kind": "JobSet"}]})
    scheduled = obj("Job", "scheduled", metadata={"ownerReferences": [{"kind": "CronJob"}]})
    lone, asleep = obj("Job", "lone"), obj("Job", "asleep", spec={"suspend": True})
    assert recreators.STEP.touches(seen(ended, queued, of_set, scheduled, lone, asleep)) == (scheduled, lone)


@pytest.mark.failure("G11")
def test_a_queue_admits_nothing_more_and_a_job_in_it_goes_before_its_workload_is_made_again() -> None:
    queue, drained = obj("ClusterQueue.kueue.x-k8s.io", "a"), obj("ClusterQueue.kueue.x-k8s.io", "b", spec={"stopPolicy": "HoldAndDrain"})
    assert recreators.STEP.touches(seen(queue, drained)) == (queue,)
    job = obj("Job", metadata={"labels": {"kueue.x-k8s.io/queue-name": "research"}})
    assert workloads.STEP.touches(seen(obj("Workload.kueue.x-k8s.io"), job, obj("Job", "lone")))[0] == job


class _Asked:
    """A cluster that remembers what it was asked."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def find(self, _: object) -> tuple[Thing, ...]:
        return ()

    def delete(self, thing: Thing) -> None:
        self.said.append(f"delete {thing.kind} {thing.name}")

    def change(self, thing: Thing, body: object) -> None:
        self.said.append(f"change {thing.kind} {thing.name} {body}")


def asked(step: Step, touched: tuple[Thing, ...]) -> list[str]:
    cluster_ = _Asked()
    target = Target(cloud="aws", account="1", region="r", cluster="lab", world="sandbox")
    step.act(Scene(target=target, cloud=None, cluster=cluster_, engine=None), touched)  # type: ignore[arg-type]
    return cluster_.said


def mounting(kind: str, name: str, claim: str, **body: Any) -> Thing:
    volumes = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}
    return obj(kind, name, spec=volumes if kind == "Pod" else {"template": {"spec": volumes}}, **body)


@pytest.mark.failure("K3")
def test_whatever_mounts_a_claim_that_goes_is_ended_and_nothing_else_is() -> None:
    claim, kept = obj("PersistentVolumeClaim", "scratch"), obj("PersistentVolumeClaim", "vault")
    retained = obj(
        "PersistentVolume",
        "pv",
        "",
        spec={"persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "default", "name": "vault"}},
    )
    going = (
        mounting("Deployment", "web", "scratch"), mounting("DaemonSet", "cache", "scratch"), mounting("Pod", "debug", "scratch"),
    )  # fmt: skip
    staying = (
        mounting("DaemonSet", "agent", "vault"),
        mounting("Pod", "web-1", "scratch", metadata={"ownerReferences": [{"kind": "ReplicaSet"}]}),
        mounting("Pod", "done", "scratch", status={"phase": "Succeeded"}),
        mounting("ReplicaSet", "web-abc", "scratch", metadata={"ownerReferences": [{"kind": "Deployment"}]}),
    )
    touched = claims.STEP.touches(seen(claim, kept, retained, *going, *staying))
    assert touched == (*going, claim)
    assert asked(claims.STEP, touched) == [
        *("change Deployment web {'spec': {'replicas': 0}}", "delete DaemonSet cache", "delete Pod debug"),
        "delete PersistentVolumeClaim scratch",
    ]


def test_a_claim_that_comes_with_each_pod_goes_with_the_set_that_makes_them() -> None:
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}}]
    web = obj("Deployment", "web", spec={"template": {"spec": {"volumes": volumes}}})
    claim, other = obj("PersistentVolumeClaim", "web-5d-x7-scratch"), obj("PersistentVolumeClaim", "web-5d-x7-data")
    assert claims.STEP.touches(seen(web, claim))[0] == web
    assert web not in claims.STEP.touches(seen(web, other))


def test_each_re_creator_is_stopped_in_its_own_way() -> None:
    queue = obj("ClusterQueue.kueue.x-k8s.io", "gpus")
    assert asked(recreators.STEP, (obj("Job", "a"), obj("CronJob", "b"), queue, obj("Deployment", "helm-controller"))) == [
        "change Job a {'spec': {'suspend': True}}",
        "change CronJob b {'spec': {'suspend': True}}",
        "change ClusterQueue.kueue.x-k8s.io gpus {'spec': {'stopPolicy': 'HoldAndDrain'}}",
        "change Deployment helm-controller {'spec': {'replicas': 0}}",
    ]
