"""The EFA fabric of a cluster: the security group that every EFA interface shares."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws import ec2, vpc

from components.naming import Identity

ALL_PROTOCOLS = "-1"


@dataclass(frozen=True, kw_only=True)
class FabricArgs:
    """Where the fabric lives."""

    vpc_id: pulumi.Input[str]
    identity: Identity


class Fabric(pulumi.ComponentResource):
    """One security group that lets everything in from itself and out to itself, and nothing else.

    A1: EFA traffic matches only rules that name a group; egress to 0.0.0.0/0 does not count, and NCCL stops with error 4126 while TCP
    works. The two rules are resources of their own, since a group cannot name itself before it exists.
    """

    security_group_id: pulumi.Output[str]

    def __init__(self, name: str, args: FabricArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Fabric", name, {}, opts)
        own = pulumi.ResourceOptions(parent=self)
        group = ec2.SecurityGroup(
            f"{name}-efa",
            vpc_id=args.vpc_id,
            description="EFA interfaces: all traffic among themselves",
            tags=args.identity.tags(f"{name}-efa"),
            opts=own,
        )
        vpc.SecurityGroupIngressRule(
            f"{name}-efa-in",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol=ALL_PROTOCOLS,
            description="EFA from the group itself",
            tags=args.identity.tags(f"{name}-efa-in"),
            opts=own,
        )
        vpc.SecurityGroupEgressRule(
            f"{name}-efa-out",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol=ALL_PROTOCOLS,
            description="EFA to the group itself (A1)",
            tags=args.identity.tags(f"{name}-efa-out"),
            opts=own,
        )
        self.security_group_id = group.id
        self.register_outputs({"securityGroupId": group.id})
