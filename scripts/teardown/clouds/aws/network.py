"""The parts of a network that carry the target's identity. A network that was there before carries none, and is never touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.model import Thing

_KARPENTER = "karpenter.k8s.aws/cluster"
_PASSED = ("deleted", "deleting", "failed")
_MOST_HOLDERS = 3
Price = Callable[[Account, Mapping[str, Any]], float | None]
Whose = Callable[[Account, Mapping[str, str]], str]


def _anyhow(account: Account, tags: Mapping[str, str]) -> str:
    return account.whose(tags)


def _template(account: Account, tags: Mapping[str, str]) -> str:
    """Karpenter marks its templates so (upgrade guide, 0.14.0); newer ones carry `kubernetes.io/cluster/NAME: owned` as well."""
    mine = tags.get(_KARPENTER) == account.target.cluster
    return account.whose(tags) or (f"tag {_KARPENTER}={account.target.cluster}" if mine else "")


def _found(  # noqa: PLR0913 # price and whose by name
    kind: str, operation: str, result: str, id_: str, *, price: Price = lambda _, __: 0.0, whose: Whose = Account.made_by_us
) -> Callable[[Account], list[Thing]]:
    """A finder over one describe operation of EC2."""

    def find(account: Account) -> list[Thing]:
        found: list[Thing] = []
        for each in _items(account, operation, result):
            tags = tags_of(each)
            why = whose(account, tags)
            if why and str(each.get("State", "")).lower() not in _PASSED:
                detail = {"item": dict(each)}
                found.append(
                    Thing(
                        kind=kind,
                        id=str(each[id_]),
                        name=tags.get("Name", ""),
                        why=why,
                        monthly_usd=price(account, each),
                        kept=account.kept(tags),
                        detail=detail,
                    )
                )
        return found

    return find


def _items(account: Account, operation: str, result: str) -> list[dict[str, Any]]:
    cloud = account.client("ec2")
    if cloud.can_paginate(operation):
        return list(account.pages("ec2", operation, result))
    return list(account.told(f"list by ec2 {operation}", getattr(cloud, operation))[result])


def _delete(operation: str, argument: str, held: str = "") -> Callable[[Account, Thing], None]:
    """`held`: the filter of network interfaces by what is deleted, where they may hold it."""

    def delete(account: Account, thing: Thing) -> None:
        try:
            account.told(f"delete {thing.label}", lambda: getattr(account.client("ec2"), operation)(**{argument: thing.id}))
        except Busy as reason:
            raise Busy(f"{reason}{_holders(account, held, thing.id) if held else ''}") from reason

    return delete


def _holders(account: Account, held: str, id_: str) -> str:
    """EC2 says that something depends on it and not what: a function's interface, a file system's mount target, another team's machine."""
    filters = [{"Name": held, "Values": [id_]}]
    found = list(account.pages("ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=filters))
    named = [f"{each['NetworkInterfaceId']} ({each.get('Description') or each.get('InterfaceType') or 'no description'})" for each in found]
    more = f" and {len(named) - _MOST_HOLDERS} more" if len(named) > _MOST_HOLDERS else ""
    return f"; held by {', '.join(named[:_MOST_HOLDERS])}{more}" if named else ""


def _delete_group(account: Account, thing: Thing) -> None:
    """K5: groups whose rules name each other hold each other for ever, so the rules of the one that cannot go yet go first."""
    try:
        _delete("delete_security_group", "GroupId", "group-id")(account, thing)
    except Busy:
        _drop_rules(account, thing)
        raise


def _drop_rules(account: Account, thing: Thing) -> None:
    cloud = account.client("ec2")
    for part, revoke in (
        ("IpPermissions", cloud.revoke_security_group_ingress),
        ("IpPermissionsEgress", cloud.revoke_security_group_egress),
    ):
        rules = [_of_peers(each, thing.id) for each in thing.detail["item"].get(part) or ()]
        named = [each for each in rules if each["UserIdGroupPairs"]]
        if named:
            account.told(
                f"take rules of other groups off {thing.label}",
                lambda revoke=revoke, named=named: revoke(GroupId=thing.id, IpPermissions=named),
            )


def _of_peers(rule: Mapping[str, Any], own: str) -> dict[str, Any]:
    """The part of a rule that names other groups."""
    ports = {name: rule[name] for name in ("IpProtocol", "FromPort", "ToPort") if rule.get(name) is not None}
    return {**ports, "UserIdGroupPairs": [pair for pair in rule.get("UserIdGroupPairs") or () if pair.get("GroupId") != own]}


def _refused(thing: Thing, answer: Mapping[str, Any] | None) -> None:
    """EC2 answers a list of these deletes with success, and says in it what it refused."""
    refused = [str((each.get("Error") or {}).get("Message") or each) for each in (answer or {}).get("Unsuccessful") or ()]
    if refused:
        raise Busy(f"{thing.label}: {'; '.join(refused)}")


def _delete_endpoint(account: Account, thing: Thing) -> None:
    _refused(thing, account.told(f"delete {thing.label}", lambda: account.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[thing.id])))


def _delete_flow_log(account: Account, thing: Thing) -> None:
    _refused(thing, account.told(f"delete {thing.label}", lambda: account.client("ec2").delete_flow_logs(FlowLogIds=[thing.id])))


def _release(account: Account, thing: Thing) -> None:
    """An address is held by its NAT gateway until that has ended. EC2 then says AuthFailure, which elsewhere means wrong credentials (API
    reference, Error codes).
    """
    account.told(f"release {thing.label}", lambda: account.client("ec2").release_address(AllocationId=thing.id), busy="AuthFailure")


def _delete_routes(account: Account, thing: Thing) -> None:
    for each in thing.detail["item"].get("Associations") or ():
        if not each.get("Main") and each.get("RouteTableAssociationId"):
            id_ = str(each["RouteTableAssociationId"])
            account.told(
                f"take {thing.label} off its subnet", lambda id_=id_: account.client("ec2").disassociate_route_table(AssociationId=id_)
            )
    account.told(f"delete {thing.label}", lambda: account.client("ec2").delete_route_table(RouteTableId=thing.id))


def _delete_gateway(account: Account, thing: Thing) -> None:
    cloud = account.client("ec2")
    for each in thing.detail["item"].get("Attachments") or ():
        vpc = str(each["VpcId"])
        account.told(f"detach {thing.label}", lambda vpc=vpc: cloud.detach_internet_gateway(InternetGatewayId=thing.id, VpcId=vpc))
    account.told(f"delete {thing.label}", lambda: cloud.delete_internet_gateway(InternetGatewayId=thing.id))


def _endpoint_price(account: Account, endpoint: Mapping[str, Any]) -> float | None:
    if endpoint.get("VpcEndpointType") != "Interface":
        return 0.0
    zone = account.hourly("interface_endpoint", "zone_hour")
    return None if zone is None else zone * max(1, len(endpoint.get("SubnetIds") or ()))


def _nat_price(account: Account, _: Mapping[str, Any]) -> float | None:
    return account.hourly("nat_gateway", "hour")


def _address_price(account: Account, _: Mapping[str, Any]) -> float | None:
    return account.hourly("public_ipv4", "hour")


def _groups(account: Account) -> list[Thing]:
    """Security groups that kept data needs are kept with it."""
    return _found(k.FIREWALL, "describe_security_groups", "SecurityGroups", "GroupId", whose=_anyhow)(account)


KINDS = (
    Kind(
        name=k.ENDPOINT,
        find=_found(k.ENDPOINT, "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId", price=_endpoint_price),
        delete=_delete_endpoint,
    ),
    Kind(
        name=k.NAT,
        find=_found(k.NAT, "describe_nat_gateways", "NatGateways", "NatGatewayId", price=_nat_price),
        delete=_delete("delete_nat_gateway", "NatGatewayId"),
    ),
    Kind(name=k.ADDRESS, find=_found(k.ADDRESS, "describe_addresses", "Addresses", "AllocationId", price=_address_price), delete=_release),
    Kind(name=k.FIREWALL, find=_groups, delete=_delete_group),
    Kind(name=k.ROUTES, find=_found(k.ROUTES, "describe_route_tables", "RouteTables", "RouteTableId"), delete=_delete_routes),
    Kind(
        name=k.GATEWAY,
        find=_found(k.GATEWAY, "describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
        delete=_delete_gateway,
    ),
    Kind(
        name=k.SUBNET,
        find=_found(k.SUBNET, "describe_subnets", "Subnets", "SubnetId"),
        delete=_delete("delete_subnet", "SubnetId", "subnet-id"),
    ),
    Kind(
        name=k.FLOW_LOG,
        find=_found(k.FLOW_LOG, "describe_flow_logs", "FlowLogs", "FlowLogId"),
        delete=_delete_flow_log,
    ),
    Kind(name=k.NETWORK, find=_found(k.NETWORK, "describe_vpcs", "Vpcs", "VpcId"), delete=_delete("delete_vpc", "VpcId", "vpc-id")),
    Kind(
        name=k.TEMPLATE,
        find=_found(k.TEMPLATE, "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId", whose=_template),
        delete=_delete("delete_launch_template", "LaunchTemplateId"),
    ),
    Kind(
        name=k.PLACEMENT,
        find=_found(k.PLACEMENT, "describe_placement_groups", "PlacementGroups", "GroupName"),
        delete=_delete("delete_placement_group", "GroupName"),
    ),
)
