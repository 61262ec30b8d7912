"""Load balancers of Services and Ingresses, with their interfaces, target and security groups.

Sources: AWS Load Balancer Controller, "Annotations" and "Design" (tags `elbv2.k8s.aws/cluster`, finalizers, `loadBalancerClass`);
kubernetes/cloud-provider-aws, the in-tree controller of Services (classic load balancers, finalizer of the service controller).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scripts.sandbox import objects
from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.aws import interface
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.controllers.place import finalized, hold, inside, installed, leaving, owned, release, soon, subnets
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

CONTROLLER = "aws-load-balancer-controller"
_CLASS = "service.k8s.aws/nlb"
_SERVICE, _INGRESS = objects.token("v1", "Service"), objects.token("networking.k8s.io/v1", "Ingress")


@dataclass(frozen=True, kw_only=True)
class _Sort:
    """One sort of load balancer: the finalizer by which its controller holds the object, and whether that controller can be missing."""

    token: str
    finalizer: str
    type: str
    needs_controller: bool = True


_NETWORK = _Sort(token=t.LOAD_BALANCER, finalizer="service.k8s.aws/resources", type="network")
_APPLICATION = _Sort(token=t.LOAD_BALANCER, finalizer="ingress.k8s.aws/resources", type="application")
_CLASSIC = _Sort(token=t.CLASSIC_BALANCER, finalizer="service.kubernetes.io/load-balancer-cleanup", type="classic", needs_controller=False)


def work(world: Simulation, cluster: Record) -> Iterator[Due]:
    runs = installed(world, cluster, CONTROLLER)
    for record, sort in _served(world, cluster):
        if sort.needs_controller and not runs:
            continue
        if leaving(record):
            if finalized(record, sort.finalizer):
                yield soon(record, lambda r=record, s=sort: _end(world, cluster, r, s))
        elif not finalized(record, sort.finalizer):
            yield soon(record, lambda r=record, s=sort: _make(world, cluster, r, s))


def _served(world: Simulation, cluster: Record) -> Iterator[tuple[Record, _Sort]]:
    for record in world.store.of_kind(_SERVICE, inside(cluster)):
        spec: Mapping[str, Any] = record.state.get("spec") or {}
        if spec.get("type") == "LoadBalancer":
            yield record, _NETWORK if spec.get("loadBalancerClass") == _CLASS else _CLASSIC
    for record in world.store.of_kind(_INGRESS, inside(cluster)):
        if (record.state.get("spec") or {}).get("ingressClassName") == "alb":
            yield record, _APPLICATION


def _name(cluster: Record, record: Record) -> str:
    return f"k8s-{record.id.replace('/', '-')}-{str(record.state['metadata']['uid'])[:10]}"[:32].rstrip("-") + f"-{len(cluster.id)}"


def _make(world: Simulation, cluster: Record, record: Record, sort: _Sort) -> None:
    name = _name(cluster, record)
    region = cluster.key.split("/")[-1]
    arn = f"arn:aws:elasticloadbalancing:{region}:{world.account('aws')}"
    letter = "net" if sort.type == "network" else "app"
    id_ = name if sort.type == "classic" else f"{arn}:loadbalancer/{letter}/{name}/{world.new_id('', 16)}"
    tags = _tags(cluster, record, sort)
    group = _security_group(world, cluster, name, tags)
    state = {
        "arn": f"{arn}:loadbalancer/{name}" if sort.type == "classic" else id_, "name": name, "type": sort.type, "securityGroup": group.id,
        "vpcId": cluster.state["vpcConfig"]["vpcId"], "dnsName": f"{name}.elb.{region}.amazonaws.com", "owner": record.ref,
    }  # fmt: skip
    balancer = world.store.put(
        Record(kind=sort.token, key=cluster.key, id=id_, state=state, created=world.tick(), status="active", tags=tags)
    )
    for subnet in subnets(world, cluster):
        port = interface.Port(description=f"ELB {letter}/{name}", groups=(group.id,), managed_by="amazon-elb")
        interface.attach(world, balancer, subnet, port)
    if sort.type != "classic":
        target = f"{arn}:targetgroup/{name}/{world.new_id('', 16)}"
        inner = {"arn": target, "name": name, "vpcId": state["vpcId"], "owner": record.ref}
        world.store.put(
            Record(kind=t.TARGET_GROUP, key=cluster.key, id=target, state=inner, created=world.tick(), status="active", tags=tags)
        )
    hold(world, record, sort.finalizer, status={"loadBalancer": {"ingress": [{"hostname": state["dnsName"]}]}})


def _tags(cluster: Record, record: Record, sort: _Sort) -> dict[str, str]:
    if sort.type == "classic":
        return {**owned(cluster), "kubernetes.io/service-name": record.id}
    stack = "service.k8s.aws/stack" if sort.type == "network" else "ingress.k8s.aws/stack"
    return {"elbv2.k8s.aws/cluster": cluster.id, stack: record.id}


def _security_group(world: Simulation, cluster: Record, name: str, tags: Mapping[str, str]) -> Record:
    id_ = world.new_id("sg")
    state = {
        "arn": f"arn:aws:ec2:{cluster.key.split('/')[-1]}:{world.account('aws')}:security-group/{id_}", "vpcId": cluster.state["vpcConfig"]["vpcId"],
        "name": name, "description": "[k8s] Managed SecurityGroup for LoadBalancer", "ingress": [], "egress": [],
    }  # fmt: skip
    return world.store.put(
        Record(kind=t.SECURITY_GROUP, key=cluster.key, id=id_, state=state, created=world.tick(), status="available", tags=dict(tags))
    )


def _end(world: Simulation, cluster: Record, record: Record, sort: _Sort) -> None:
    for kind in (sort.token, t.TARGET_GROUP):
        for made in world.store.of_kind(kind, cluster.key):
            if made.state.get("owner") == record.ref:
                group = world.store.get(t.SECURITY_GROUP, cluster.key, str(made.state.get("securityGroup")))
                world.drop_tree(made)
                if group is not None:
                    world.store.drop(group)
    release(world, record, sort.finalizer)
