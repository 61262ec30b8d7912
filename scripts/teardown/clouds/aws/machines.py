"""Node groups, instances, volumes and interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from components import catalog
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.model import Thing

_ENDED = ("terminated", "shutting-down")
_CLAIM_TAGS = ("kubernetes.io/created-for/pvc/name", "CSIVolumeName")
"""Set by the EBS CSI driver and its provisioner (aws-ebs-csi-driver, docs/tagging.md)."""
_PROCESSES = ("Launch", "AZRebalance", "ReplaceUnhealthy", "ScheduledActions", "InstanceRefresh")


def pools(account: Account) -> list[Thing]:
    cluster = account.target.cluster
    names = account.told(
        "list node groups",
        lambda: list(account.client("eks").get_paginator("list_nodegroups").paginate(clusterName=cluster).search("nodegroups[]")),
    )
    return [pool for name in names or () if (pool := _pool(account, str(name))) is not None]


def _pool(account: Account, name: str) -> Thing | None:
    cluster = account.target.cluster
    shown = account.told(
        f"describe node group {name}",
        lambda: account.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"],
    )
    if shown is None:
        return None
    groups = [str(group["name"]) for group in (shown.get("resources") or {}).get("autoScalingGroups") or ()]
    sizes: Mapping[str, int] = shown.get("scalingConfig") or {}
    machines = [str(each) for each in shown.get("instanceTypes") or ()]
    running = _running(account, groups)
    return Thing(
        kind=k.POOL,
        id=f"{cluster}:{name}",
        name=name,
        why=f"node group of {cluster}",
        detail={
            "gpu": _gpu(machines), "minimum": sizes.get("minSize", 1), "desired": sizes.get("desiredSize", 1), "maximum": sizes.get("maxSize", 1),
            "running": running, "groups": groups, "leaving": shown.get("status") == "DELETING",
        },
    )  # fmt: skip


def _gpu(machines: list[str]) -> bool:
    """Whether any may have GPUs; a machine that the catalogue does not know may, and a template alone names the machine where none is listed."""
    known = [catalog.find_machine("aws", name) for name in machines]
    return not machines or any(machine is None or machine.gpu_count > 0 for machine in known)


def _running(account: Account, groups: list[str]) -> int:
    if not groups:
        return 0
    shown = account.pages("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups", AutoScalingGroupNames=groups)
    return sum(len(group.get("Instances") or ()) for group in shown)


def to_zero(account: Account, pool: Thing) -> None:
    """Sizes to zero (a node group's maximum stays at least 1), and its groups start nothing any more."""
    for group in pool.detail.get("groups", ()):
        account.told(
            f"stop {group} from starting machines",
            lambda name=group: account.client("autoscaling").suspend_processes(
                AutoScalingGroupName=name, ScalingProcesses=list(_PROCESSES)
            ),
        )
    if pool.detail.get("minimum") or pool.detail.get("desired"):
        sizes = {"minSize": 0, "desiredSize": 0, "maxSize": max(1, int(pool.detail.get("maximum") or 1))}
        account.told(
            f"scale {pool.name} to zero",
            lambda: account.client("eks").update_nodegroup_config(
                clusterName=account.target.cluster, nodegroupName=pool.name, scalingConfig=sizes
            ),
        )


def _delete_pool(account: Account, pool: Thing) -> None:
    if not pool.detail.get("leaving"):
        account.told(
            f"delete node group {pool.name}",
            lambda: account.client("eks").delete_nodegroup(clusterName=account.target.cluster, nodegroupName=pool.name),
        )


def instances(account: Account) -> list[Thing]:
    """Those that have not ended, whatever their state: a stopped one still bills its disks (J6)."""
    states = [{"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}]
    found = account.pages("ec2", "describe_instances", "Reservations[].Instances", Filters=states)
    return [_instance(account, each, tags, why) for each in found if (why := account.whose(tags := tags_of(each)))]


def _instance(account: Account, each: Mapping[str, Any], tags: Mapping[str, str], why: str) -> Thing:
    stopped = each["State"]["Name"] in ("stopping", "stopped")
    return Thing(
        kind=k.INSTANCE,
        id=str(each["InstanceId"]),
        name=tags.get("Name") or str(each["InstanceType"]),
        why=why,
        monthly_usd=0.0 if stopped else account.machine(str(each["InstanceType"]), spot=each.get("InstanceLifecycle") == "spot"),
        detail={
            "pool": account.pool(tags), "karpenter": "karpenter.sh/nodepool" in tags, "state": each["State"]["Name"],
            "machine": str(each["InstanceType"]),
        },
    )  # fmt: skip


def _end(account: Account, thing: Thing) -> None:
    account.told(f"end instance {thing.id}", lambda: account.client("ec2").terminate_instances(InstanceIds=[thing.id]))


def volumes(account: Account) -> list[Thing]:
    """Disks of claims by the policy that was recorded; where it is not known they are data. Disks of running machines go with those."""
    found = account.pages("ec2", "describe_volumes", "Volumes")
    return [thing for each in found if (thing := _volume(account, each)) is not None]


def _volume(account: Account, each: Mapping[str, Any]) -> Thing | None:
    tags, id_ = tags_of(each), str(each["VolumeId"])
    policy = account.scope.policies.get(id_)
    why = account.whose(tags) or ("volume of a claim in the cluster" if policy else "")
    if not why:
        return None
    claim = next((tags[key] for key in _CLAIM_TAGS if key in tags), "")
    return Thing(
        kind=k.VOLUME,
        id=id_,
        name=claim or tags.get("Name", ""),
        why=why,
        monthly_usd=account.by_gib("ebs", f"{each.get('VolumeType')}_gb_month", float(each.get("Size") or 0)),
        kept=account.kept(tags) or _kept(policy, claim),
        detail={"attached": bool(each.get("Attachments")), "gib": each.get("Size")},
    )


def _kept(policy: str | None, claim: str) -> str:
    if policy == "Retain":
        return f"its claim's policy is Retain{f' ({claim})' if claim else ''}"
    if claim and policy is None:
        return f"data of claim {claim}, whose reclaim policy nobody could ask for"
    return ""


def _delete_volume(account: Account, thing: Thing) -> None:
    account.told(f"delete volume {thing.id}", lambda: account.client("ec2").delete_volume(VolumeId=thing.id))


def interfaces(account: Account) -> list[Thing]:
    """By tag; those that carry none only inside of the target's own network, by the exact words that AWS gives them."""
    return [thing for each in _listed(account) if (thing := _interface(account, each)) is not None]


def _listed(account: Account) -> Iterator[dict[str, Any]]:
    yield from account.pages("ec2", "describe_network_interfaces", "NetworkInterfaces")


def _interface(account: Account, each: Mapping[str, Any]) -> Thing | None:
    tags, description = tags_of(each, "TagSet"), str(each.get("Description") or "")
    why = account.whose(tags)
    mine = bool(account.scope.network) and each.get("VpcId") == account.scope.network
    if not why and mine and description == f"Amazon EKS {account.target.cluster}":
        why = "made by EKS for this cluster, in its own network"
    if not why:
        return None
    return Thing(
        kind=k.INTERFACE,
        id=str(each["NetworkInterfaceId"]),
        name=description,
        why=why,
        kept=account.kept(tags),
        detail={"attached": each.get("Status") != "available", "machine": (each.get("Attachment") or {}).get("InstanceId") or ""},
    )


def _delete_interface(account: Account, thing: Thing) -> None:
    """One in use goes with what uses it."""
    if not thing.detail.get("attached"):
        account.told(f"delete interface {thing.id}", lambda: account.client("ec2").delete_network_interface(NetworkInterfaceId=thing.id))


KINDS = (
    Kind(name=k.POOL, find=pools, delete=_delete_pool),
    Kind(name=k.INSTANCE, find=instances, delete=_end),
    Kind(name=k.VOLUME, find=volumes, delete=_delete_volume),
    Kind(name=k.INTERFACE, find=interfaces, delete=_delete_interface),
)
