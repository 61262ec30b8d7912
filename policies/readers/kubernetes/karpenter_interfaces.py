"""The interfaces that a Karpenter node class orders. Without them Karpenter gives a node all that its machine has for pods that ask for EFA.

Source: Karpenter 1.11 and later, EC2NodeClass `spec.networkInterfaces`. Security groups are chosen by tags of the account, which no
program shows, and Karpenter deletes interfaces with their instances.
"""

from __future__ import annotations

from components.inventory import Interface, Interfaces, Manifest
from components.unknown import Maybe, Unknown
from policies.readers.aws.launch_template import interface_kind
from policies.readers.values import OUTSIDE, flag, items, whole

_PROP = "networkInterfaces"


def ordered(own: Manifest | None) -> Interfaces | None:
    """None where the class orders none, or stands outside the program."""
    if own is None or own.read("spec", _PROP) is None:
        return None
    path = own.at(f"spec.{_PROP}")
    found = items(own.read("spec", _PROP), path)
    listed: Maybe[tuple[Interface, ...]] = found if isinstance(found, Unknown) else tuple(_interface(own, i) for i in range(len(found)))
    return Interfaces(urn=own.urn, items=listed, path=path)


def _interface(own: Manifest, index: int) -> Interface:
    path = own.at(f"spec.{_PROP}[{index}]")

    def count(key: str) -> Maybe[int | None]:
        return whole(own.read("spec", _PROP, index, key), f"{path}.{key}")

    public = flag(own.read("spec", "associatePublicIPAddress"), own.at("spec.associatePublicIPAddress"))
    return Interface(
        card=count("networkCardIndex"),
        device=count("deviceIndex"),
        kind=interface_kind(own.read("spec", _PROP, index, "interfaceType"), f"{path}.interfaceType"),
        groups=Unknown(own.at("spec.securityGroupSelectorTerms"), f"a choice by tags, {OUTSIDE}"),
        public_address=False if public is None else public,
        delete_on_termination=True,
        path=path,
    )
