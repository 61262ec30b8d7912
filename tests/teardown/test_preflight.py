from __future__ import annotations

from typing import Any

import pytest

from scripts.teardown import kinds as k
from scripts.teardown.preflight import Preflight, Standing, judge, running
from scripts.teardown.step import Choices
from tests.teardown.things import obj, seen, thing


def standing(**changes: Any) -> Standing:
    given: dict[str, Any] = {"exists": True, "protected": False, "reachable": True, **changes}
    return Standing(**given)


def judged(*things: Any, choices: Choices | None = None, **changes: Any) -> Preflight:
    return judge(seen(*things), standing(**changes), choices or Choices())


def pod(phase: str = "Running", **resources: Any) -> Any:
    return obj("Pod", spec={"containers": [{"resources": resources}]}, status={"phase": phase})


def test_an_empty_cluster_has_nothing_against_it() -> None:
    assert judged() == Preflight(blockers=(), warnings=())


@pytest.mark.failure("H14")
@pytest.mark.failure("K11")
def test_protection_of_cloud_and_engine_blocks_and_is_named() -> None:
    found = judged(thing(k.BALANCER, "lb", detail={"protected": True}), protected=True, protected_in_state=("aws:s3/bucket:Bucket data",))
    assert len(found.blockers) == 3
    assert "aws:s3/bucket:Bucket data" in found.blockers[1]
    assert "lb" in found.blockers[2]


@pytest.mark.failure("H6")
def test_a_silent_api_server_blocks_unless_it_is_left_out_or_the_cluster_is_gone() -> None:
    assert "does not answer" in judged(reachable=False).blockers[0]
    assert not judged(reachable=False, choices=Choices(without_api=True)).blockers
    gone = judged(exists=False, reachable=False)
    assert not gone.blockers
    assert "no such cluster" in gone.warnings[0]


@pytest.mark.parametrize(
    "resources", [{"limits": {"nvidia.com/gpu": "1"}}, {"requests": {"nvidia.com/mig-1g.10gb": "1"}}, {"limits": {"google.com/tpu": 4}}]
)
def test_running_pods_with_accelerators_block_unless_forced(resources: dict[str, Any]) -> None:
    assert "--force-running" in judged(pod(**resources)).blockers[0]
    assert not judged(pod(**resources), choices=Choices(force_running=True)).blockers


def test_pods_that_have_ended_or_ask_for_no_accelerator_do_not_block() -> None:
    ended = pod("Succeeded", limits={"nvidia.com/gpu": "1"})
    assert running(seen(ended, pod(limits={"cpu": "4"}))) == ()


def test_a_pod_whose_phase_is_not_told_counts_as_running() -> None:
    assert running(seen(obj("Pod", spec={"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]})))


def test_a_finalizer_is_reported_only_while_its_controller_is_missing() -> None:
    claim = obj("NodeClaim.karpenter.sh", metadata={"finalizers": ["karpenter.sh/termination"]})
    assert "karpenter.sh/termination" in judged(claim).warnings[0]
    alive = obj("Deployment", "karpenter", "kube-system", spec={"replicas": 1})
    assert not judged(claim, alive).warnings
    asleep = obj("Deployment", "karpenter", "kube-system", spec={"replicas": 0})
    assert judged(claim, asleep).warnings


def test_finalizers_of_the_control_plane_are_served() -> None:
    assert not judged(obj("PersistentVolumeClaim", metadata={"finalizers": ["kubernetes.io/pvc-protection"]})).warnings


def test_budgets_and_retained_volumes_are_told_beforehand() -> None:
    found = judged(
        obj("PodDisruptionBudget", spec={"maxUnavailable": 0}), obj("PersistentVolume", spec={"persistentVolumeReclaimPolicy": "Retain"})
    )
    assert ["K7" in found.warnings[0], "Retain" in found.warnings[1]] == [True, True]
