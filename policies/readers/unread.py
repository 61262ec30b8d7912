"""Resources that start machines, or may, and that no reader reads: they make the cost unbounded, never nothing."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Lost
from components.resource import Resource

from . import gcp_types, types
from .named_accelerators import named_accelerator
from .tokens import plain_token

STARTING = {
    "aws:appstream:Fleet": "an AppStream fleet",
    "aws:batch:ComputeEnvironment": "a Batch compute environment",
    "aws:cloudcontrol:Resource": "a resource of any kind, by Cloud Control",
    "aws:cloudformation:Stack": "a CloudFormation stack, whose template may start machines",
    "aws:cloudformation:StackInstances": "CloudFormation stacks, whose template may start machines",
    "aws:cloudformation:StackSet": "CloudFormation stacks, whose template may start machines",
    "aws:cloudformation:StackSetInstance": "a CloudFormation stack, whose template may start machines",
    "aws:codebuild:Fleet": "a CodeBuild fleet",
    "aws:ec2:CapacityBlockReservation": "a capacity block, which is paid up front",
    "aws:ec2:CapacityReservation": "a capacity reservation, which bills whether it is used or not",
    "aws:ec2:DedicatedHost": "a dedicated host, which bills whether it is used or not",
    "aws:ecs:CapacityProvider": "an ECS capacity provider",
    "aws:elasticbeanstalk:Environment": "an Elastic Beanstalk environment",
    "aws:emr:Cluster": "an EMR cluster",
    "aws:emr:InstanceFleet": "an EMR instance fleet",
    "aws:emr:InstanceGroup": "an EMR instance group",
    "aws:gamelift:Fleet": "a GameLift fleet",
    "aws:sagemaker:App": "a SageMaker Studio app",
    "aws:sagemaker:EndpointConfiguration": "a SageMaker endpoint",
    "aws:sagemaker:HyperParameterTuningJob": "SageMaker training jobs",
    "aws:sagemaker:NotebookInstance": "a SageMaker notebook",
    "aws:sagemaker:TrainingJob": "a SageMaker training job",
    "aws:servicecatalog:ProvisionedProduct": "a Service Catalog product, whose template may start machines",
    "aws:workspaces:Workspace": "a workspace, which may have a GPU",
    "aws-native:autoscaling:AutoScalingGroup": "a scaling group",
    "aws-native:batch:ComputeEnvironment": "a Batch compute environment",
    "aws-native:cloudformation:Stack": "a CloudFormation stack, whose template may start machines",
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
    "azure:core:ResourceGroupTemplateDeployment": "a deployment of an ARM template",
    "azure:core:SubscriptionTemplateDeployment": "a deployment of an ARM template",
    "azure:machinelearning:ComputeCluster": "an Azure Machine Learning cluster",
    "azure:machinelearning:ComputeInstance": "an Azure Machine Learning instance",
    "azure-native:azurefleet:Fleet": "an Azure fleet of virtual machines",
    "azure-native:batch:Pool": "an Azure Batch pool",
    "azure-native:compute:DedicatedHost": "a dedicated host, which bills whether it is used or not",
    "azure-native:containerinstance:ContainerGroup": "a container group",
    "azure-native:devtestlab:VirtualMachine": "a virtual machine of a lab",
    "azure-native:hdinsight:Cluster": "an HDInsight cluster",
    "azure-native:labservices:Lab": "a lab of virtual machines",
    "azure-native:machinelearningservices:BatchDeployment": "an Azure Machine Learning deployment",
    "azure-native:machinelearningservices:Compute": "an Azure Machine Learning compute target",
    "azure-native:machinelearningservices:InferencePool": "an Azure Machine Learning inference pool",
    "azure-native:machinelearningservices:OnlineDeployment": "an Azure Machine Learning deployment",
    "azure-native:redhatopenshift:MachinePool": "a machine pool of Azure Red Hat OpenShift",
    "azure-native:redhatopenshift:OpenShiftCluster": "an Azure Red Hat OpenShift cluster",
    "azure-native:resources:Deployment": "a deployment of an ARM template",
    "azure-native:resources:DeploymentAtSubscriptionScope": "a deployment of an ARM template",
    "azure-native:resources:DeploymentStackAtResourceGroup": "a deployment of an ARM template",
    "azure-native:resources:DeploymentStackAtSubscription": "a deployment of an ARM template",
    "azure-native:standbypool:StandbyVirtualMachinePool": "a pool of standby virtual machines",
    "gcp:colab:NotebookExecution": "a run of a Colab Enterprise notebook",
    "gcp:colab:Runtime": "a Colab Enterprise runtime",
    "gcp:compute:FutureReservation": "a future reservation",
    "gcp:compute:InstanceFromMachineImage": "a Compute Engine instance",
    "gcp:container:AwsNodePool": "a node pool of GKE on AWS",
    "gcp:container:AzureNodePool": "a node pool of GKE on Azure",
    "gcp:dataproc:Cluster": "a Dataproc cluster",
    "gcp:deploymentmanager:Deployment": "a deployment of Deployment Manager",
    "gcp:hypercomputecluster:Cluster": "a cluster of Cluster Director",
    "gcp:notebooks:Instance": "a notebook instance",
    "gcp:tpu:Node": "a TPU node",
    "gcp:vertex:AiDeploymentResourcePool": "a Vertex AI deployment pool",
    "gcp:vertex:AiEndpointWithModelGardenDeployment": "a Vertex AI endpoint with its machines",
    "gcp:vertex:AiPersistentResource": "a Vertex AI persistent resource",
    "gcp:workbench:Instance": "a Workbench instance",
    "kubernetes:karpenter.sh:NodeClaim": "a Karpenter node claim",
    "kubernetes:karpenter.sh:Provisioner": "a Karpenter provisioner",
}
"""By package, module and name, as `plain_token` writes them."""

WHOLE_MODULES = {
    "google-native:aiplatform": "a resource of Vertex AI",
    "google-native:compute": "a resource of Compute Engine",
    "google-native:container": "a resource of GKE",
    "google-native:dataproc": "a resource of Dataproc",
    "google-native:notebooks": "a resource of Vertex AI Workbench",
    "google-native:tpu": "a resource of the TPU API",
}
"""Modules of which every resource counts: their package is not maintained any more, and single names are not worth telling apart."""

LOOKED_THROUGH = frozenset({"aws", "aws-native", "azure", "azure-native", "gcp", "google-native", "kubernetes", "pulumi"})
"""Packages whose resources that start machines are told above or have readers; all others of theirs start none."""

HARMLESS = frozenset(
    {
        *("random", "tls", "time", "std", "null", "archive", "local", "external", "http", "cloudinit"),  # values, files, look-ups
        "command",  # runs what the program says on machines that are there
        *("azuread", "docker", "docker-build", "github"),  # accounts, containers and code on machines that are there
        *("auth0", "gitlab", "okta", "pulumiservice", "tailscale"),  # accounts and ways in
        *("cloudflare", "datadog", "grafana", "newrelic", "opsgenie", "pagerduty", "sentry"),  # names, doors and monitoring
        *("doppler", "mysql", "onepassword", "postgresql", "vault"),  # secrets, and data on servers that are there
    }
)
"""Packages that start no machines."""
HARMLESS_KINDS = frozenset({"eks:index:VpcCni"})
"""Kinds of other packages that start none: pulumi-eks before 3.0 has settings of the network plugin as a resource."""
DYNAMIC = ("pulumi-python", "pulumi-nodejs")
"""Packages of resources whose provider is code of the program itself."""


_READ_PLAIN = {plain_token(token).casefold() for token in types.READ - gcp_types.CLUSTER_OBJECTS if token not in types.BILLING_UNUSED}
_STARTING = {token.casefold(): what for token, what in STARTING.items()}
_OBJECTS = frozenset(token for token in _STARTING if token.startswith("kubernetes:"))
"""Objects of which every reader of Kubernetes objects reads something, but none what they cost."""


def lost(resource: Resource) -> Iterator[Lost]:
    """What is to be said of `resource` where no reader reads it. Of reservations a pool's market is read, not what they bill themselves."""
    token = plain_token(resource.type)
    if not types.is_read(resource.type) or resource.type in types.BILLING_UNUSED or token.casefold() in _OBJECTS:
        reason = _reason(resource, token)
        if reason:
            yield Lost(urn=resource.urn, type=resource.type, reason=reason)


def _reason(resource: Resource, token: str) -> str:
    package, _, rest = token.partition(":")
    what = _STARTING.get(token.casefold()) or WHOLE_MODULES.get(f"{package}:{rest.partition(':')[0]}")
    if what and resource.type in types.BILLING_UNUSED:
        return f"{what}, and what it bills itself is not worked out"
    if what:
        return f"{what}, for which there is no reader yet"
    if package == "kubernetes" and resource.remote:
        return "a component that applies manifests which are not seen"
    if token.casefold() in _READ_PLAIN:
        return "spelled in a way that no reader knows"
    if (named := named_accelerator(resource)) is not None:
        return f"not read by any reader, and names {named}"
    if package in DYNAMIC:
        return "a dynamic resource, whose own code may start machines"
    if package in LOOKED_THROUGH or package in HARMLESS or token in HARMLESS_KINDS:
        return ""
    if resource.remote:
        return "a component of another package, which may start machines that are not seen without the engine (`gpukit check --preview` sees them)"
    return f"of the package {package!r}, which no reader knows and which may start machines" if resource.custom else ""
