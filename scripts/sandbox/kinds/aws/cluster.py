"""EKS control planes: what they need, what they make (security group, interfaces, a Kubernetes API server), what goes with them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import interface
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import require_subnet
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EKS = "EKS API reference, errors of CreateCluster and DeleteCluster"
DEFAULT_VERSION = "1.35"
NO_CERTIFICATE = base64.b64encode(b"simulated: this API server answers in plain HTTP on the loopback, it has no certificate").decode()


def require_role(order: Order, arn: object) -> None:
    """A role of this account must exist; other accounts' roles are not simulated and pass."""
    text = str(arn)
    if f":iam::{order.account}:role/" not in text:
        return
    roles = order.world.store.of_kind(t.ROLE, f"aws/{order.account}/global")
    if all(role.state.get("arn") != text for role in roles):
        raise Refusal(
            "InvalidParameterException", f"roleArn, {text}, does not exist", source="Terraform AWS provider, eks/cluster.go: retried error"
        )


def _admit_cluster(order: Order) -> None:
    name = order.text("name")
    if any(other.id == name for other in order.peers()):
        raise Refusal("ResourceInUseException", f"Cluster already exists with name: {name}", source=_EKS, status=409)
    require_role(order, order.inputs.get("roleArn"))
    config = order.inputs.get("vpcConfig") or {}
    subnets = [require_subnet(order, id_) for id_ in config.get("subnetIds", ())]
    zones = {str(s.state["availabilityZone"]) for s in subnets}
    if len(zones) < 2:
        raise Refusal(
            "InvalidParameterException",
            f"Subnets specified must be in at least two different AZs (given: {', '.join(sorted(zones)) or 'none'})",
            source="EKS user guide, VPC and subnet requirements",
        )
    if "us-east-1e" in zones:
        raise Refusal(
            "UnsupportedAvailabilityZoneException",
            "Cannot create cluster because us-east-1e, the targeted Availability Zone, does not currently have sufficient capacity to support the cluster",
            source="pulumi-eks#95",
        )
    if not config.get("endpointPublicAccess", True) and not config.get("endpointPrivateAccess", False):
        raise Refusal("InvalidParameterException", "Private and public endpoint access cannot be false", source=_EKS)
    _refuse_version_step(order)


def _refuse_version_step(order: Order) -> None:
    if order.before is None or not order.inputs.get("version"):
        return
    old, new = minor(str(order.before.state.get("version"))), minor(order.text("version"))
    if new < old or new > old + 1:
        raise Refusal(
            "InvalidParameterException",
            f"Unsupported Kubernetes minor version update from {order.before.state.get('version')} to {order.text('version')}",
            source="EKS user guide, update a cluster: one minor at a time, never back",
        )


def minor(version: str) -> int:
    return int(version.split(".")[1]) if version.count(".") >= 1 and version.split(".")[1].isdigit() else 0


def _cluster_outputs(order: Order, id_: str) -> dict[str, Any]:
    config = order.inputs.get("vpcConfig") or {}
    subnets = [require_subnet(order, s) for s in config.get("subnetIds", ())]
    before = order.before.state if order.before else {}
    group = before.get("vpcConfig", {}).get("clusterSecurityGroupId") or order.world.new_id("sg")
    issuer = order.world.new_id("", 32).upper() if order.before is None else ""
    identity = before.get("identities") or [{"oidcs": [{"issuer": f"https://oidc.eks.{order.region}.amazonaws.com/id/{issuer}"}]}]
    version = order.text("version") or str(before.get("version") or DEFAULT_VERSION)
    return {
        "arn": order.arn("eks", f"cluster/{id_}"),
        "status": before.get("status", "CREATING"),
        "createdAt": before.get("createdAt", order.world.clock.text()),
        "endpoint": f"{order.world.address}/eks/{order.region}/{id_}",
        "certificateAuthority": {"data": NO_CERTIFICATE},
        "certificateAuthorities": [{"data": NO_CERTIFICATE}],
        "identities": identity,
        "platformVersion": "eks.1",
        "version": version,
        "vpcConfig": {
            "endpointPublicAccess": True,
            "endpointPrivateAccess": False,
            "publicAccessCidrs": ["0.0.0.0/0"],
            **config,
            "clusterSecurityGroupId": group,
            "vpcId": subnets[0].state["vpcId"] if subnets else "",
        },
        "accessConfig": {
            "authenticationMode": "CONFIG_MAP",
            "bootstrapClusterCreatorAdminPermissions": True,
            **(order.inputs.get("accessConfig") or {}),
        },
        "kubernetesNetworkConfig": {
            "ipFamily": "ipv4",
            "serviceIpv4Cidr": "172.20.0.0/16",
            **(order.inputs.get("kubernetesNetworkConfig") or {}),
        },
        "upgradePolicy": {"supportType": "EXTENDED", **(order.inputs.get("upgradePolicy") or {})},
        "deletionProtection": order.inputs.get("deletionProtection", False),
    }


def _with_parts(order: Order, cluster: Record) -> None:
    """EKS makes a security group for nodes and control plane, and two interfaces in the cluster's subnets."""
    world, config = order.world, cluster.state["vpcConfig"]
    group = str(config["clusterSecurityGroupId"])
    tags = {"aws:eks:cluster-name": cluster.id, f"kubernetes.io/cluster/{cluster.id}": "owned", "Name": f"eks-cluster-sg-{cluster.id}"}
    allow_all = {"protocol": "-1", "fromPort": 0, "toPort": 0}
    world.store.put(
        Record(
            kind=t.SECURITY_GROUP, key=cluster.key, id=group, created=world.tick(), status="available", parent=cluster.ref, tags=tags,
            state={
                "vpcId": config["vpcId"], "name": f"eks-cluster-sg-{cluster.id}", "description": "EKS created security group",
                "arn": order.arn("ec2", f"security-group/{group}"), "tagsAll": tags,
                "ingress": [{**allow_all, "self": True, "securityGroupId": group}], "egress": [{**allow_all, "cidrBlocks": ["0.0.0.0/0"]}],
            },
        )
    )  # fmt: skip
    for subnet in list(config["subnetIds"])[:2]:
        interface.attach(world, cluster, require_subnet(order, subnet), interface.Port(description=f"Amazon EKS {cluster.id}",
            groups=[group, *config.get("securityGroupIds", ())], managed_by="amazon-eks",
        ))  # fmt: skip


def open_api(world: Simulation, cluster: Record) -> None:
    """The API server starts with the namespaces that every cluster has."""
    from scripts.sandbox import api_server
    from scripts.sandbox.kinds.aws.nodes import key_of

    api_server.start(world, key_of(cluster))


def _cluster_releases(world: Simulation, cluster: Record) -> None:
    if cluster.state.get("deletionProtection"):
        raise Refusal(
            "InvalidRequestException",
            f"The cluster {cluster.id} has deletion protection enabled. Disable it before deleting the cluster.",
            source="EKS user guide, cluster deletion protection",
        )
    for group in world.store.of_kind(t.NODE_GROUP, cluster.key):
        if group.state.get("clusterName") == cluster.id:
            raise Refusal("ResourceInUseException", f"Cluster has nodegroups attached ({group.id})", source=_EKS, status=409)


def _close_api(world: Simulation, cluster: Record) -> None:
    """The API server and all objects in it go, and so do add-ons, access entries and identities (for `deleted_with` the engine calls no Delete)."""
    from scripts.sandbox import api_server
    from scripts.sandbox.kinds.aws.cluster_parts import PARTS
    from scripts.sandbox.kinds.aws.nodes import key_of

    api_server.stop(world, key_of(cluster))
    for kind in PARTS:
        for part in world.store.of_kind(kind, cluster.key):
            if part.state.get("clusterName") == cluster.id:
                world.store.drop(part)


def require_cluster(order: Order) -> Record:
    """The cluster that an order names. Raises Refusal when it is absent or not ACTIVE."""
    name = order.inputs.get("clusterName")
    cluster = order.get(t.CLUSTER, name)
    if cluster is None:
        raise Refusal("ResourceNotFoundException", f"No cluster found for name: {name}.", source=_EKS, status=404)
    if cluster.status != "ACTIVE":
        raise Refusal("InvalidRequestException", f"Cluster '{name}' is not in ACTIVE status (it is {cluster.status})", source=_EKS)
    return cluster


KINDS = (
    Kind(
        token=t.CLUSTER,
        replace=frozenset(
            {
                "name", "roleArn", "bootstrapSelfManagedAddons", "remoteNetworkConfig", "kubernetesNetworkConfig.ipFamily",
                "kubernetesNetworkConfig.serviceIpv4Cidr", "accessConfig.bootstrapClusterCreatorAdminPermissions",
            }
        ),
        auto_name="name",
        name_limit=100,
        create_seconds=600,
        delete_seconds=180,
        identify=lambda order: order.text("name"),
        admit=_admit_cluster,
        outputs=_cluster_outputs,
        enriched={"vpcConfig": ("clusterSecurityGroupId", "vpcId")},
        moving=frozenset({"version", "platformVersion", "deletionProtection", "vpcConfig", "accessConfig", "upgradePolicy"}),
        created=_with_parts,
        settle=open_api,
        releases=_cluster_releases,
        deleted=_close_api,
        starts="ACTIVE",
        starting="CREATING",
        closed_sets={
            "accessConfig.authenticationMode": ("eks", "AuthenticationMode"),
            "upgradePolicy.supportType": ("eks", "SupportType"),
            "enabledClusterLogTypes": ("eks", "LogType"),
        },
    ),
)  # fmt: skip
