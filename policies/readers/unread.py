"""Resources that start machines, or may, and that no reader reads: they make the cost unbounded, never nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components.inventory import Lost
from components.resource import Resource

from . import gcp_types, types

_VERSION = re.compile(r"v\d+((alpha|beta)\d*)?|(alpha|beta)\d*|v\d{8}(preview|privatepreview)?")
"""`v1`, `v1beta1`, `beta`, `v20240301`, `v20240302preview`."""
_VERSIONED_PACKAGE = re.compile(r"^azure-native_(?P<module>[a-z0-9]+)_v\d{8}[a-z]*$")
"""A package that holds one version of one module, as `pulumi package add azure-native` makes it."""

STARTING = {
    "aws:batch:ComputeEnvironment": "a Batch compute environment",
    "aws:ec2:CapacityBlockReservation": "a capacity block, which is paid up front",
    "aws:ec2:CapacityReservation": "a capacity reservation, which bills whether it is used or not",
    "aws:ec2:Fleet": "an EC2 fleet",
    "aws:ec2:SpotFleetRequest": "a spot fleet",
    "aws:ec2:SpotInstanceRequest": "a spot instance request",
    "aws:ecs:CapacityProvider": "an ECS capacity provider",
    "aws:emr:Cluster": "an EMR cluster",
    "aws:emr:InstanceFleet": "an EMR instance fleet",
    "aws:emr:InstanceGroup": "an EMR instance group",
    "aws:sagemaker:EndpointConfiguration": "a SageMaker endpoint",
    "aws:sagemaker:NotebookInstance": "a SageMaker notebook",
    "aws-native:autoscaling:AutoScalingGroup": "a scaling group",
    "aws-native:batch:ComputeEnvironment": "a Batch compute environment",
    "aws-native:ec2:CapacityReservation": "a capacity reservation",
    "aws-native:ec2:Ec2Fleet": "an EC2 fleet",
    "aws-native:ec2:Instance": "an EC2 instance",
    "aws-native:ec2:SpotFleet": "a spot fleet",
    "aws-native:eks:Nodegroup": "an EKS node group",
    "aws-native:sagemaker:Cluster": "a SageMaker HyperPod cluster",
    "aws-native:sagemaker:EndpointConfig": "a SageMaker endpoint",
    "aws-native:sagemaker:NotebookInstance": "a SageMaker notebook",
    "azure:compute:LinuxVirtualMachine": "an Azure virtual machine",
    "azure:compute:LinuxVirtualMachineScaleSet": "an Azure scale set",
    "azure:compute:OrchestratedVirtualMachineScaleSet": "an Azure scale set",
    "azure:compute:ScaleSet": "an Azure scale set",
    "azure:compute:VirtualMachine": "an Azure virtual machine",
    "azure:compute:WindowsVirtualMachine": "an Azure virtual machine",
    "azure:compute:WindowsVirtualMachineScaleSet": "an Azure scale set",
    "azure:containerservice:KubernetesCluster": "an AKS cluster",
    "azure:containerservice:KubernetesClusterNodePool": "an AKS node pool",
    "azure:machinelearning:ComputeCluster": "an Azure Machine Learning cluster",
    "azure:machinelearning:ComputeInstance": "an Azure Machine Learning instance",
    "azure-native:batch:Pool": "an Azure Batch pool",
    "azure-native:compute:VirtualMachine": "an Azure virtual machine",
    "azure-native:compute:VirtualMachineScaleSet": "an Azure scale set",
    "azure-native:containerservice:AgentPool": "an AKS agent pool",
    "azure-native:containerservice:ManagedCluster": "an AKS cluster",
    "azure-native:machinelearningservices:Compute": "an Azure Machine Learning compute target",
    "gcp:compute:FutureReservation": "a future reservation",
    "gcp:compute:InstanceFromMachineImage": "a Compute Engine instance",
    "gcp:compute:Reservation": "a reservation, which bills whether it is used or not",
    "gcp:dataproc:Cluster": "a Dataproc cluster",
    "gcp:notebooks:Instance": "a notebook instance",
    "gcp:tpu:Node": "a TPU node",
    "gcp:vertex:AiEndpointWithModelGardenDeployment": "a Vertex AI endpoint with its machines",
    "gcp:workbench:Instance": "a Workbench instance",
    "kubernetes:karpenter.sh:NodeClaim": "a Karpenter node claim",
    "kubernetes:karpenter.sh:NodePool": "a Karpenter node pool",
    "kubernetes:karpenter.sh:Provisioner": "a Karpenter provisioner",
}
"""By package, module and name, as `plain_token` writes them."""

WHOLE_MODULES = {"google-native:compute": "a resource of Compute Engine", "google-native:container": "a resource of GKE"}
"""Modules of which every resource counts: their package is not maintained any more, and single names are not worth telling apart."""

LOOKED_THROUGH = frozenset({"aws", "aws-native", "azure", "azure-native", "gcp", "google-native", "kubernetes", "pulumi"})
"""Packages whose resources that start machines are told above or have readers; all others of theirs start none."""

HARMLESS = frozenset(
    {
        *("random", "tls", "time", "std", "null", "archive", "local", "external", "http", "cloudinit"),  # values, files, look-ups
        "command",  # runs what the program says on machines that are there
        *("azuread", "docker", "docker-build", "github"),  # accounts, containers and code on machines that are there
    }
)
"""Packages that start no machines."""


def plain_token(token: str) -> str:
    """`package:module:Name` without versions and without the file that bridged modules repeat.

    `azure-native:compute/v20240301:VirtualMachine`, `azure-native_compute_v20240301:compute:VirtualMachine` -> `azure-native:compute:VirtualMachine`,
    `aws:ec2/fleet:Fleet` -> `aws:ec2:Fleet`, `kubernetes:karpenter.sh/v1beta1:NodePool` -> `kubernetes:karpenter.sh:NodePool`.
    """
    package, _, rest = token.partition(":")
    module, _, name = rest.rpartition(":")
    if _VERSIONED_PACKAGE.match(package):
        package = "azure-native"
    base, _, tail = module.partition("/")
    repeated = tail.casefold() == name.casefold() or _VERSION.fullmatch(tail) is not None
    return f"{package}:{base if repeated or not tail else module}:{name}"


_READ_PLAIN = {plain_token(token).casefold() for token in types.READ - gcp_types.CLUSTER_OBJECTS if token not in types.BILLING_UNUSED}
_STARTING = {token.casefold(): what for token, what in STARTING.items()}


def lost(resource: Resource) -> Iterator[Lost]:
    """What is to be said of `resource` where no reader reads it. Of reservations a pool's market is read, not what they bill themselves."""
    if resource.type not in types.READ or resource.type in types.BILLING_UNUSED:
        reason = _reason(resource, plain_token(resource.type))
        if reason:
            yield Lost(urn=resource.urn, type=resource.type, reason=reason)


def _reason(resource: Resource, token: str) -> str:
    package, _, rest = token.partition(":")
    what = _STARTING.get(token.casefold()) or WHOLE_MODULES.get(f"{package}:{rest.partition(':')[0]}")
    if what:
        return f"{what}, for which there is no reader yet"
    if token.casefold() in _READ_PLAIN:
        return "spelled in a way that no reader knows"
    if package in LOOKED_THROUGH or package in HARMLESS:
        return ""
    if resource.remote:
        return "a component of another package, which may start machines that are not seen"
    return f"of the package {package!r}, which no reader knows and which may start machines" if resource.custom else ""
