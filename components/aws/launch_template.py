"""The launch template of a node pool, rendered from its outline.

What must not be in it (facts of managed node groups): subnet and instance profile; market options for spot (B3); the instance type, which
the group names (B12), but for a capacity block, whose template must name it (B1); the user's tags, since changing them would roll every
node.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

import pulumi
from pulumi_aws import ec2

from components.inventory import Market
from components.naming import Identity

from .capacity import Target
from .outline import PoolOutline

TAGGED = ("instance", "volume", "network-interface")
"""B17: what a managed group makes carries the template's tags, never the group's."""

CONTAINER_DISK = {"BOTTLEROCKET": "/dev/xvdb"}
"""The disk that holds images and pods. Bottlerocket keeps it apart from the small root disk /dev/xvda; elsewhere it is the root disk."""
ROOT_DISK = "/dev/xvda"

RAID0_NODE_CONFIG = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="gpukit"

--gpukit
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0

--gpukit--
"""
"""B13: local NVMe is neither formatted nor used unless nodeadm is told so."""


def launch_template_args(
    outline: PoolOutline,
    identity: Identity,
    resource: str,
    *,
    groups: Sequence[pulumi.Input[str]],
    placement_group: pulumi.Input[str] | None,
) -> ec2.LaunchTemplateArgs:
    """The template of `outline`, whose interfaces all carry the security `groups`. `resource` is its logical name."""
    block = outline.market is Market.CAPACITY_BLOCK
    return ec2.LaunchTemplateArgs(
        # B1: of a block's three fields two are here, with the machine; the third is the group's capacity type
        instance_type=outline.machine.name if block else None,
        instance_market_options=ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block") if block else None,
        capacity_reservation_specification=_reserved(outline.target) if outline.target else None,
        block_device_mappings=[_container_disk(outline)],
        metadata_options=_metadata_options(),
        network_interfaces=_interfaces(outline, groups),
        placement=ec2.LaunchTemplatePlacementArgs(group_name=placement_group) if placement_group is not None else None,
        tag_specifications=[
            ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=identity.fixed(resource, outline.name)) for kind in TAGGED
        ],
        user_data=base64.b64encode(RAID0_NODE_CONFIG.encode()).decode() if outline.raid0 else None,
        update_default_version=True,
        tags=identity.tags(resource, outline.name),
    )


def _reserved(target: Target) -> ec2.LaunchTemplateCapacityReservationSpecificationArgs:
    """B2: the target alone; a preference beside it is refused by EC2."""
    return ec2.LaunchTemplateCapacityReservationSpecificationArgs(
        capacity_reservation_target=ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
            capacity_reservation_id=target.reservation, capacity_reservation_resource_group_arn=target.group
        )
    )


def _interfaces(outline: PoolOutline, groups: Sequence[pulumi.Input[str]]) -> list[ec2.LaunchTemplateNetworkInterfaceArgs]:
    """A2, A3: card and device of each interface come from the catalogue. A7: no public address, not even a "no" to one."""
    return [
        ec2.LaunchTemplateNetworkInterfaceArgs(
            network_card_index=slot.card,
            device_index=slot.device,
            interface_type=slot.kind,
            security_groups=list(groups),
            delete_on_termination="true",  # K5: interfaces left behind hold the security group
        )
        for slot in outline.slots
    ]


def _container_disk(outline: PoolOutline) -> ec2.LaunchTemplateBlockDeviceMappingArgs:
    """B11: with a template the group's own disk size is refused, and the default of 20 GB does not hold the images."""
    return ec2.LaunchTemplateBlockDeviceMappingArgs(
        device_name=CONTAINER_DISK.get(outline.image_kind.partition("_")[0], ROOT_DISK),
        ebs=ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
            volume_type="gp3", volume_size=outline.disk_gib, encrypted="true", delete_on_termination="true"
        ),
    )


def _metadata_options() -> ec2.LaunchTemplateMetadataOptionsArgs:
    """IMDSv2 only; two hops, so that containers which look for their fabric reach it."""
    return ec2.LaunchTemplateMetadataOptionsArgs(http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=2)
