"""Data sources that the simulated clouds answer: a closed list. Any other is refused loudly, never answered with something made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.sandbox.place import Place
from scripts.sandbox.simulation import Simulation

Answer = Callable[[Simulation, Place, Mapping[str, Any]], dict[str, Any]]


def _zones(_: Simulation, place: Place, __: Mapping[str, Any]) -> dict[str, Any]:
    from scripts.sandbox.kinds.network import zone_id

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


ANSWERS: Mapping[str, Answer] = {
    "aws:index/getAvailabilityZones:getAvailabilityZones": _zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _identity,
    "aws:index/getRegion:getRegion": _region,
    "aws:index/getPartition:getPartition": _partition,
}
