"""pulumi-aws's own ways: configuration by region, a region on every resource, default tags, and the data sources that are answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox import sdk_schema
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider.connections import Connection, parsed
from scripts.sandbox.provider.packages import Answer, Extras, Package
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation


def _configure(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure an AWS provider. Raises Refusal on a missing region and on an account that is not allowed."""
    account = world.account("aws")
    settings = {name: parsed(value) for name, value in args.items()}
    region = settings.get("region")
    if not isinstance(region, str) or not region:
        raise Refusal(
            "InvalidClientConfig",
            "missing region: set aws:region or the provider's region",
            source="pulumi-aws: missing region configuration",
        )
    for name, wrong in (("allowedAccountIds", False), ("forbiddenAccountIds", True)):
        listed = settings.get(name)
        if isinstance(listed, list) and listed and (account in listed) is wrong:
            accounts = ", ".join(str(a) for a in cast("list[Any]", listed))
            raise Refusal(
                "AccountNotAllowed",
                f"AWS account ID not allowed: {account} ({name}: {accounts}). The simulated account is {account}.",
                source="Terraform AWS provider, aws-sdk-go-base: AWS account ID not allowed",
            )
    tags = settings.get("defaultTags")
    inner = cast("dict[str, Any]", tags).get("tags") if isinstance(tags, dict) else None
    return Connection(Place("aws", account, region), {k: str(v) for k, v in cast("dict[str, Any]", inner or {}).items()})


def _place(connection: Connection, kind: Kind, inputs: Mapping[str, Any], _id: str) -> Place:
    place = connection.place
    region = inputs.get("region")
    if kind.everywhere:
        return Place(place.cloud, place.account, "global")
    return Place(place.cloud, place.account, region) if isinstance(region, str) and region else place


def _extras(connection: Connection, order: Order) -> Extras:
    """All tags, and the outputs that every type has where its schema names them."""
    own = order.inputs.get("tags")
    tags = {**connection.default_tags, **{k: str(v) for k, v in cast("dict[str, Any]", own if isinstance(own, dict) else {}).items()}}
    schema = sdk_schema.resource(order.token)
    names = schema.outputs if schema else frozenset[str]()
    return Extras(tags, {name: value for name, value in {"tagsAll": tags, "region": order.region}.items() if name in names})


def _zones(_: Simulation, place: Place, __: Mapping[str, Any]) -> dict[str, Any]:
    from scripts.sandbox.kinds.aws.network import zone_id

    names = [f"{place.region}{letter}" for letter in "abcd"]
    return {
        "id": place.region,
        "region": place.region,
        "groupNames": [place.region],
        "names": names,
        "zoneIds": [zone_id(n) for n in names],
    }


def _identity(_: Simulation, place: Place, __: Mapping[str, Any]) -> dict[str, Any]:
    arn = f"arn:aws:iam::{place.account}:user/simulated"
    return {"accountId": place.account, "arn": arn, "id": place.account, "userId": "AIDASIMULATED"}


def _region(_: Simulation, place: Place, __: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": place.region,
        "region": place.region,
        "name": place.region,
        "description": "simulated",
        "endpoint": "ec2.simulated.invalid",
    }


def _partition(_: Simulation, __: Place, ___: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "aws", "partition": "aws", "dnsSuffix": "amazonaws.com", "reverseDnsPrefix": "com.amazonaws"}


_ANSWERS: Mapping[str, Answer] = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _identity,
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
}

PACKAGE = Package(
    name="aws",
    distribution="pulumi-aws",
    configure=_configure,
    place=_place,
    extras=_extras,
    answers=_ANSWERS,
    identity=frozenset({"region"}),
)
