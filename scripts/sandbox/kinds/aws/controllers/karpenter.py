"""Karpenter's machines: one for each NodeClaim, ended with it.

Claims are made by hand here; Karpenter itself makes them for pending pods. Source: Karpenter documentation, "NodeClaims", "Disruption"
(finalizer, drain under disruption budgets) and its reference of tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from components import catalog
from scripts.sandbox import api_server, objects
from scripts.sandbox.clouds import Due
from scripts.sandbox.doors.kube_select import selected
from scripts.sandbox.kinds.aws import interface, nodes, scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.controllers.place import finalized, hold, inside, installed, leaving, owned, release, soon, subnets
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_FINALIZER = "karpenter.sh/termination"
_CLAIM, _BUDGET = objects.token("karpenter.sh/v1", "NodeClaim"), objects.token("policy/v1", "PodDisruptionBudget")
_POD = objects.token("v1", "Pod")
_NODE_POOL = "karpenter.sh/nodepool"


def work(world: Simulation, cluster: Record) -> Iterator[Due]:
    runs = installed(world, cluster, "karpenter")
    for claim in world.store.of_kind(_CLAIM, inside(cluster)):
        machine = _instance(world, claim)
        if machine is not None and machine.status == "terminated":
            yield soon(claim, lambda c=claim, m=machine: _gone(world, c, m))
        elif not runs:
            continue
        elif leaving(claim):
            if finalized(claim, _FINALIZER) and not _held(world, claim, machine):
                yield soon(claim, lambda c=claim, m=machine: _end(world, c, m))
        elif not finalized(claim, _FINALIZER):
            yield soon(claim, lambda c=claim: _start(world, cluster, c))


def _instance(world: Simulation, claim: Record) -> Record | None:
    return world.store.by_ref(str((claim.state.get("status") or {}).get("simulatedInstance") or ""))


def _machine(claim: Record) -> str:
    requirements = (claim.state.get("spec") or {}).get("requirements") or ()
    return next((str(each["values"][0]) for each in requirements if each.get("key") == "node.kubernetes.io/instance-type"), "m7i.large")


def _start(world: Simulation, cluster: Record, claim: Record) -> None:
    machine = catalog.machine("aws", _machine(claim))
    subnet = subnets(world, cluster)[0]
    region, id_ = cluster.key.split("/")[-1], world.new_id("i")
    pool = str((claim.state["metadata"].get("labels") or {}).get(_NODE_POOL, "default"))
    tags = {**owned(cluster), "eks:eks-cluster-name": cluster.id, _NODE_POOL: pool, "karpenter.sh/nodeclaim": claim.id}
    state: dict[str, Any] = {
        "arn": f"arn:aws:ec2:{region}:{world.account('aws')}:instance/{id_}", "instanceType": machine.name, "instanceState": "running",
        "availabilityZone": subnet.state["availabilityZone"], "subnetId": subnet.id, "vpcId": subnet.state["vpcId"], "placementGroup": "",
        "instanceLifecycle": "", "capacityReservationId": "", "ami": f"ami-{'0' * 17}", "launchTime": world.clock.text(), "tagsAll": tags,
        "gpuBusy": 0.0,
    }  # fmt: skip
    made = world.store.put(Record(kind=t.INSTANCE, key=cluster.key, id=id_, state=state, created=world.tick(), status="running", tags=tags))
    group = str(cluster.state["vpcConfig"]["clusterSecurityGroupId"])
    port = interface.attach(world, made, subnet, interface.Port(groups=(group,), tags=tags))
    made = world.store.put(made.with_state(privateIp=port.state["privateIp"], vpcSecurityGroupIds=[group]))
    name = nodes.node_name(made)
    labels = {"kubernetes.io/hostname": name, "node.kubernetes.io/instance-type": machine.name, _NODE_POOL: pool}
    facts = api_server.NodeFacts(
        name=name, address=str(made.state["privateIp"]), provider_id=f"aws:///{made.state['availabilityZone']}/{id_}", labels=labels, taints=(),
        version=f"v{cluster.state['version']}.0-eks-simulated", os_image="custom",
    )  # fmt: skip
    api_server.join(world, inside(cluster), made, machine, facts)
    hold(world, claim, _FINALIZER, status={"providerID": facts.provider_id, "nodeName": name, "simulatedInstance": made.ref})


def _held(world: Simulation, claim: Record, machine: Record | None) -> bool:
    """K7: a pod on the node whose budget allows no disruption is never evicted, and the node waits for it."""
    node = (claim.state.get("status") or {}).get("nodeName")
    pods = [pod for pod in world.store.of_kind(_POD, claim.key) if (pod.state.get("spec") or {}).get("nodeName") == node]
    return machine is not None and any(_forbids(budget, pod) for budget in world.store.of_kind(_BUDGET, claim.key) for pod in pods)


def _forbids(budget: Record, pod: Record) -> bool:
    spec: Mapping[str, Any] = budget.state.get("spec") or {}
    same = budget.id.split("/")[0] == pod.id.split("/")[0]
    mine = same and selected(pod.state["metadata"].get("labels") or {}, spec.get("selector"))
    return mine and (str(spec.get("maxUnavailable", "")) in ("0", "0%") or str(spec.get("minAvailable", "")) == "100%")


def _end(world: Simulation, claim: Record, machine: Record | None) -> None:
    if machine is not None:
        scaling.terminate(world, machine)
        _leave(world, claim, machine)
    release(world, claim, _FINALIZER)


def _gone(world: Simulation, claim: Record, machine: Record) -> None:
    """Someone else ended the machine: its node goes, and the claim with it."""
    _leave(world, claim, machine)
    if leaving(claim) or finalized(claim, _FINALIZER):
        release(world, claim, _FINALIZER)
    present = world.store.by_ref(claim.ref)
    if present is not None:
        objects.remove(world, present)


def _leave(world: Simulation, claim: Record, machine: Record) -> None:
    api_server.leave(world, claim.key, nodes.node_name(machine))
