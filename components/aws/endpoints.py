"""Interface endpoints: the AWS services that a cluster's nodes call, reached inside the network.

Source of the list: EKS User Guide, "Deploy private clusters with limited internet access", and the README of the cluster autoscaler. S3 has
its free gateway endpoint in every network (J4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

import pulumi
from pulumi_aws import ec2, vpc

from components.naming import Identity

SERVICES = ("autoscaling", "ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "elasticloadbalancing", "logs", "ssm", "sts")
HTTPS = 443


@dataclass(frozen=True, kw_only=True)
class EndpointsArgs:
    region: str
    vpc_id: pulumi.Input[str]
    cidr: IPv4Network
    """Who may use the endpoints: the whole network."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """One a zone: an endpoint bills by the hour in each."""
    identity: Identity


def interface_endpoints(name: str, args: EndpointsArgs, parent: pulumi.Resource) -> list[ec2.VpcEndpoint]:
    """One endpoint a service, behind one security group, found under the services' usual names."""
    group = _group(f"{name}-endpoints", args, parent)
    return [_endpoint(f"{name}-{service}", service, group, args, parent) for service in SERVICES]


def _group(name: str, args: EndpointsArgs, parent: pulumi.Resource) -> ec2.SecurityGroup:
    own = pulumi.ResourceOptions(parent=parent)
    description = "Interface endpoints: HTTPS from the network"
    tags = {**args.identity.tags(name), "Name": name}
    group = ec2.SecurityGroup(name, vpc_id=args.vpc_id, description=description, tags=tags, opts=own)
    vpc.SecurityGroupIngressRule(
        f"{name}-in",
        security_group_id=group.id,
        cidr_ipv4=str(args.cidr),
        ip_protocol="tcp",
        from_port=HTTPS,
        to_port=HTTPS,
        description=description,
        tags=args.identity.tags(f"{name}-in"),
        opts=own,
    )
    return group


def _endpoint(name: str, service: str, group: ec2.SecurityGroup, args: EndpointsArgs, parent: pulumi.Resource) -> ec2.VpcEndpoint:
    return ec2.VpcEndpoint(
        name,
        vpc_id=args.vpc_id,
        service_name=f"com.amazonaws.{args.region}.{service}",
        vpc_endpoint_type="Interface",
        private_dns_enabled=True,
        subnet_ids=list(args.subnet_ids),
        security_group_ids=[group.id],
        tags={**args.identity.tags(name), "Name": name},
        opts=pulumi.ResourceOptions(parent=parent),
    )
