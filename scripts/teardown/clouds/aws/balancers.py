"""Load balancers of both generations, and target groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.model import Thing

_TAGS_AT_ONCE = 20
"""Most resources in one DescribeTags of Elastic Load Balancing (API reference)."""


def _tagged(account: Account, items: list[dict[str, Any]], id_: str) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Items of `elbv2` with their tags, which are asked for apart."""
    for at in range(0, len(items), _TAGS_AT_ONCE):
        some = items[at : at + _TAGS_AT_ONCE]
        arns = [str(each[id_]) for each in some]
        shown = account.told(
            "read tags of load balancers", lambda arns=arns: account.client("elbv2").describe_tags(ResourceArns=arns)["TagDescriptions"]
        )
        tags = {str(each["ResourceArn"]): tags_of(each) for each in shown or ()}
        yield from ((each, tags.get(str(each[id_]), {})) for each in some)


def balancers(account: Account) -> list[Thing]:
    found = list(account.pages("elbv2", "describe_load_balancers", "LoadBalancers"))
    newer = [
        Thing(
            kind=k.BALANCER,
            id=str(each["LoadBalancerArn"]),
            name=str(each["LoadBalancerName"]),
            why=why,
            monthly_usd=account.hourly("load_balancer", "network_hour" if each.get("Type") == "network" else "application_hour"),
        )
        for each, tags in _tagged(account, found, "LoadBalancerArn")
        if (why := account.whose(tags))
    ]
    return newer + list(_classic(account))


def _classic(account: Account) -> Iterator[Thing]:
    """Of the controller in EKS's control plane. No price of the old generation is in the catalogue."""
    names = [str(each["LoadBalancerName"]) for each in account.pages("elb", "describe_load_balancers", "LoadBalancerDescriptions")]
    for at in range(0, len(names), _TAGS_AT_ONCE):
        some = names[at : at + _TAGS_AT_ONCE]
        shown = account.told(
            "read tags of classic load balancers",
            lambda some=some: account.client("elb").describe_tags(LoadBalancerNames=some)["TagDescriptions"],
        )
        for each in shown or ():
            if why := account.whose(tags_of(each)):
                name = str(each["LoadBalancerName"])
                yield Thing(kind=k.BALANCER, id=name, name=name, why=why, monthly_usd=None, detail={"classic": True})


def _delete_balancer(account: Account, thing: Thing) -> None:
    if thing.detail.get("classic"):
        account.told(f"delete load balancer {thing.name}", lambda: account.client("elb").delete_load_balancer(LoadBalancerName=thing.id))
    else:
        account.told(f"delete load balancer {thing.name}", lambda: account.client("elbv2").delete_load_balancer(LoadBalancerArn=thing.id))


def targets(account: Account) -> list[Thing]:
    found = list(account.pages("elbv2", "describe_target_groups", "TargetGroups"))
    return [
        Thing(kind=k.TARGETS, id=str(each["TargetGroupArn"]), name=str(each["TargetGroupName"]), why=why)
        for each, tags in _tagged(account, found, "TargetGroupArn")
        if (why := account.whose(tags))
    ]


def _delete_targets(account: Account, thing: Thing) -> None:
    account.told(f"delete target group {thing.name}", lambda: account.client("elbv2").delete_target_group(TargetGroupArn=thing.id))


KINDS = (
    Kind(name=k.BALANCER, find=balancers, delete=_delete_balancer),
    Kind(name=k.TARGETS, find=targets, delete=_delete_targets),
)
