"""How the objects of AWS are found again: by identity tags, by name, or by their parent, and the id that the provider gives them.

Sources: "Actions, resources, and condition keys" (ARN formats, AWS Service Authorization Reference); id formats from the documentation
of each resource of the Terraform AWS provider, on which pulumi-aws is built.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Arn:
    """The parts of an ARN that tell kind and id: `arn:aws:SERVICE:REGION:ACCOUNT:KIND/REST`."""

    text: str
    service: str
    kind: str
    rest: str


def parse_arn(text: str) -> Arn:
    """Raises ValueError when `text` is no ARN."""
    parts = text.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn":
        raise ValueError(f"{text!r} is no ARN")
    kind, separator, rest = parts[5].partition(":" if parts[2] in ("logs", "lambda", "cloudwatch") else "/")
    return Arn(text, parts[2], kind if separator else "", rest if separator else parts[5])


@dataclass(frozen=True)
class Tagged:
    """A kind that carries identity tags: its ARN's service and kind, and its id from ARN and inputs."""

    service: str
    kind: str
    id: Callable[[Arn, Mapping[str, Any]], str]

    def matches(self, arn: Arn) -> bool:
        return arn.service == self.service and arn.kind == self.kind


def _rest(arn: Arn, _: Mapping[str, Any]) -> str:
    return arn.rest


def _last(arn: Arn, _: Mapping[str, Any]) -> str:
    """`parent/id` in the ARN, `id` as id."""
    return arn.rest.rpartition("/")[2]


def _text(arn: Arn, _: Mapping[str, Any]) -> str:
    return arn.text


def _within_cluster(arn: Arn, _: Mapping[str, Any]) -> str:
    """`cluster/name/uuid` in the ARN, `cluster:name` as id."""
    cluster, name, *_uuid = arn.rest.split("/")
    return f"{cluster}:{name}"


def _access_entry(_: Arn, inputs: Mapping[str, Any]) -> str:
    return f"{inputs['clusterName']}:{inputs['principalArn']}"


def _ec2(kind: str) -> Tagged:
    return Tagged("ec2", kind, _rest)


TAGGED: Mapping[str, Tagged] = {
    "aws:ec2/vpc:Vpc": _ec2("vpc"),
    "aws:ec2/subnet:Subnet": _ec2("subnet"),
    "aws:ec2/internetGateway:InternetGateway": _ec2("internet-gateway"),
    "aws:ec2/eip:Eip": _ec2("elastic-ip"),
    "aws:ec2/natGateway:NatGateway": _ec2("natgateway"),
    "aws:ec2/routeTable:RouteTable": _ec2("route-table"),
    "aws:ec2/securityGroup:SecurityGroup": _ec2("security-group"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _ec2("security-group-rule"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _ec2("security-group-rule"),
    "aws:ec2/vpcEndpoint:VpcEndpoint": _ec2("vpc-endpoint"),
    "aws:ec2/launchTemplate:LaunchTemplate": _ec2("launch-template"),
    "aws:ec2/placementGroup:PlacementGroup": _ec2("placement-group"),
    "aws:eks/cluster:Cluster": Tagged("eks", "cluster", _rest),
    "aws:eks/nodeGroup:NodeGroup": Tagged("eks", "nodegroup", _within_cluster),
    "aws:eks/addon:Addon": Tagged("eks", "addon", _within_cluster),
    "aws:eks/accessEntry:AccessEntry": Tagged("eks", "access-entry", _access_entry),
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": Tagged("iam", "oidc-provider", _text),
    "aws:kms/key:Key": Tagged("kms", "key", _rest),
    "aws:cloudwatch/logGroup:LogGroup": Tagged("logs", "log-group", _rest),
    "aws:efs/fileSystem:FileSystem": Tagged("elasticfilesystem", "file-system", _rest),
    "aws:fsx/lustreFileSystem:LustreFileSystem": Tagged("fsx", "file-system", _rest),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": Tagged("fsx", "association", _last),
    "aws:s3/bucket:Bucket": Tagged("s3", "", _rest),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": Tagged("eks", "podidentityassociation", _last),
    "aws:ec2/flowLog:FlowLog": _ec2("vpc-flow-log"),
    "aws:cloudwatch/eventRule:EventRule": Tagged("events", "rule", _rest),
    "aws:cloudwatch/metricAlarm:MetricAlarm": Tagged("cloudwatch", "alarm", _rest),
    "aws:lambda/function:Function": Tagged("lambda", "function", _rest),
    "aws:sns/topic:Topic": Tagged("sns", "", _text),
}

REPEATABLE: Mapping[str, str] = {
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": "attaching a policy again changes nothing",
    "aws:iam/rolePolicy:RolePolicy": "putting an inline policy again replaces it",
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": "associating an access policy again replaces it",
    "aws:autoscaling/schedule:Schedule": "putting a scheduled action again replaces it",
    "aws:s3/bucketPolicy:BucketPolicy": "putting a bucket's policy again replaces it",
    "aws:s3/bucketVersioning:BucketVersioning": "putting a bucket's versioning again replaces it",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": "putting a bucket's lifecycle rules again replaces them",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": "closing a bucket again changes nothing",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": "putting it again replaces it",
    "aws:cloudwatch/eventTarget:EventTarget": "putting a target of the same id again replaces it",
    "aws:lambda/permission:Permission": "a second statement of the same grant changes nothing, and goes with its function",
    "aws:sns/topicSubscription:TopicSubscription": "subscribing an address again changes nothing",
    "aws:autoscaling/tag:Tag": "setting a tag again changes nothing",
}
"""Kinds whose second create makes nothing twice and is not refused."""


@dataclass(frozen=True, kw_only=True)
class Waiter:
    """boto3's waiters for a kind that is there long before it is ready, and long after its delete was taken."""

    service: str
    name: str
    gone: str
    arguments: Callable[[str], dict[str, Any]]
    """From the provider's id."""
    look: str
    """boto3's method that shows one, and below it (`status`, JMESPath) what tells that it is leaving."""
    status: str
    leaving: str


def _node_group(id_: str) -> dict[str, Any]:
    cluster, name = id_.split(":", 1)
    return {"clusterName": cluster, "nodegroupName": name}


WAITERS: Mapping[str, Waiter] = {
    "aws:eks/cluster:Cluster": Waiter(
        service="eks",
        name="cluster_active",
        gone="cluster_deleted",
        arguments=lambda id_: {"name": id_},
        look="describe_cluster",
        status="cluster.status",
        leaving="DELETING",
    ),
    "aws:eks/nodeGroup:NodeGroup": Waiter(
        service="eks",
        name="nodegroup_active",
        gone="nodegroup_deleted",
        arguments=_node_group,
        look="describe_nodegroup",
        status="nodegroup.status",
        leaving="DELETING",
    ),
    "aws:ec2/natGateway:NatGateway": Waiter(
        service="ec2",
        name="nat_gateway_available",
        gone="nat_gateway_deleted",
        arguments=lambda id_: {"NatGatewayIds": [id_]},
        look="describe_nat_gateways",
        status="NatGateways[0].State",
        leaving="deleting",
    ),
}
LONGEST_SECONDS = 1800
"""Longest that any of them takes, with room to spare: a cluster 15 minutes, a node group as long as its first nodes."""


def route_id(table: str, destination: str) -> str:
    """The provider's id of a route: a checksum of its destination after the table's id."""
    return f"r-{table}{zlib.crc32(destination.encode())}"
