"""Identity tags for resources that lack them: a policy that is off until its configuration sets it to `remediate`, `mandatory` or `advisory`.

Teardown and sweep find things by these tags, whoever's program made them. `remediate` writes the missing ones into the resource's inputs,
the other levels only name them. What a resource says already stays, and so does every secret.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, cast

from pulumi_policy import EnforcementLevel, PolicyConfigSchema, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy

from components.inventory import Cloud
from components.naming import Misnamed, identity_tags
from components.resource import read
from components.unknown import Unknown

from . import adapter
from .readers.tokens import plain_token
from .settings import cluster_name

NAME = "gpukit-identity-tags"
PROPERTIES: dict[str, dict[str, Any]] = {
    "cluster": {
        "type": "string",
        "minLength": 1,
        "description": "Value of the cluster tag; default: the stack file's name, else the stack's.",
    }
}

TAGGED: Mapping[tuple[Cloud, str], tuple[str, ...]] = {
    ("aws", "tags"): (
        *(f"aws:ec2:{name}" for name in ("Instance", "LaunchTemplate", "SecurityGroup", "Vpc", "Subnet", "InternetGateway", "NatGateway")),
        *(f"aws:ec2:{name}" for name in ("RouteTable", "VpcEndpoint", "Eip", "PlacementGroup", "CapacityReservation", "NetworkInterface")),
        *("aws:ebs:Volume", "aws:ebs:Snapshot", "aws:eks:Cluster", "aws:eks:NodeGroup", "aws:eks:Addon", "aws:s3:Bucket"),
        *("aws:fsx:LustreFileSystem", "aws:efs:FileSystem", "aws:lb:LoadBalancer", "aws:lb:TargetGroup", "aws:iam:Role"),
        *("aws:kms:Key", "aws:cloudwatch:LogGroup", "aws:sqs:Queue"),
    ),
    ("gcp", "labels"): (
        *(f"gcp:compute:{name}" for name in ("Instance", "Disk", "Address", "GlobalAddress", "ForwardingRule", "Snapshot")),
        *("gcp:storage:Bucket", "gcp:filestore:Instance"),
    ),
    ("gcp", "resourceLabels"): ("gcp:container:Cluster",),
    ("azure", "tags"): (
        *(
            "azure-native:resources:ResourceGroup",
            "azure-native:containerservice:ManagedCluster",
            "azure-native:containerservice:AgentPool",
        ),
        *(f"azure-native:compute:{name}" for name in ("VirtualMachine", "VirtualMachineScaleSet", "Disk", "CapacityReservationGroup")),
        *(f"azure-native:network:{name}" for name in ("VirtualNetwork", "NetworkSecurityGroup", "NatGateway", "PublicIPAddress")),
        *("azure-native:storage:StorageAccount", "azure-native:managedidentity:UserAssignedIdentity"),
    ),
}
"""What bills or stands in a teardown's way, by cloud and the property that carries its tags. Kinds that a new tag would replace, such as
Google's instance templates, are left out.
"""
_PLACES = {token: place for place, tokens in TAGGED.items() for token in tokens}


def policy() -> ResourceValidationPolicy:
    """The SDK policy, switched off."""
    return ResourceValidationPolicy(
        NAME,
        "GPU guardrails: identity tags",
        validate=_validate,
        remediate=_remediate,  # pyright: ignore[reportArgumentType] # the SDK takes plain results too, which its type leaves out
        enforcement_level=EnforcementLevel.DISABLED,
        config_schema=PolicyConfigSchema(properties=PROPERTIES),
    )


def _validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
    place = _PLACES.get(plain_token(args.resource_type))
    if place is None:
        return
    cloud, prop = place
    given = read(adapter.value(args.props), prop)
    if isinstance(given, Unknown):
        report(
            f"{args.name}: {prop} is {given.reason}, so it cannot be told whether it carries identity tags. Give plain values.", args.urn
        )
        return
    try:
        missing = _missing(cloud, given, args)
    except Misnamed as error:
        report(f"{args.name}: its identity does not fit into {prop}: {error}. Rename the resource, or give the tags yourself.", args.urn)
        return
    if missing:
        text = (
            f"{args.name}: {prop} lacks {', '.join(missing)}, so no teardown and no sweep finds it. Add them, or set {NAME} to remediate."
        )
        report(text, args.urn)


def _remediate(args: ResourceValidationArgs) -> Mapping[str, Any] | None:
    """The inputs with the missing tags, changed in place: a copy would hold its secrets in plain text. None where nothing is to be done."""
    place = _PLACES.get(plain_token(args.resource_type))
    if place is None:
        return None
    cloud, prop = place
    props = cast("MutableMapping[str, Any]", args.props)
    given: object = props.get(prop)
    try:
        missing = _missing(cloud, given, args)
    except Misnamed:
        return None  # the validation says so
    if given is None:
        props[prop] = missing
    elif isinstance(given, Mapping):
        for key, value in missing.items():
            cast("MutableMapping[str, str]", given)[key] = value
    else:
        return None  # not known before the update: nothing can be added to it, and the validation says so
    return props if missing else None


def _missing(cloud: Cloud, given: object, args: ResourceValidationArgs) -> dict[str, str]:
    """Identity tags that `given` has no key for. Raises Misnamed for an identity that the cloud would not take."""
    here = frozenset(cast("Mapping[str, object]", given)) if isinstance(given, Mapping) else frozenset[str]()
    stack = args.urn.removeprefix("urn:pulumi:").partition("::")[0]
    cluster = args.get_config().get("cluster") or cluster_name(adapter.stack_config()) or stack
    return {key: value for key, value in identity_tags(cloud, stack, str(cluster), args.name).items() if key not in here}
