"""FSx for Lustre: the file system that all nodes share, and the security group through which they reach it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_aws import ec2, fsx, vpc

from components.kept import kept_options, kept_tags
from components.naming import Identity

from .fabric import ALL_PROTOCOLS
from .storage_outline import TIER, LustreOutline

LUSTRE_PORTS = ((988, 988), (1018, 1023))
"""FSx for Lustre User Guide, "File system access control with Amazon VPC"."""
LUSTRE_VERSION = "2.15"
"""Newest that the installed SDK names; AWS's own default is older."""


@dataclass(frozen=True, kw_only=True)
class FileSystemArgs:
    """Where the file system lives, and whose nodes use it."""

    outline: LustreOutline
    vpc_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    """In the outline's zone."""
    node_security_group_id: pulumi.Input[str]
    """Of every node of the cluster."""
    fabric_security_group_id: pulumi.Input[str] | None
    """Of the nodes' EFA interfaces; required with EFA."""
    bucket: pulumi.Input[str] | None
    """Name of the bucket that it is linked to."""
    identity: Identity

    def __post_init__(self) -> None:
        if self.outline.efa and self.fabric_security_group_id is None:
            raise ValueError(
                "a file system with EFA needs the fabric's security group: FSx refuses to make it, and nodes could not reach it"
            )
        if (self.outline.bucket is None) != (self.bucket is None):
            raise ValueError(f"the file system is linked to bucket {self.outline.bucket}, and {self.bucket} was given")


class FileSystem(pulumi.ComponentResource):
    """A Lustre file system in one zone, kept with its security group when the stack is destroyed."""

    resource: fsx.LustreFileSystem

    def __init__(self, name: str, args: FileSystemArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:FileSystem", name, {}, opts)
        group, ready = self._security_group(name, args)
        self.resource = self._file_system(name, args, group, ready)
        if args.bucket is not None:
            self._link(name, args, args.bucket)
        self.register_outputs({"id": self.resource.id})

    def _file_system(self, name: str, args: FileSystemArgs, group: ec2.SecurityGroup, ready: list[pulumi.Resource]) -> fsx.LustreFileSystem:
        outline = args.outline
        return fsx.LustreFileSystem(
            name,
            deployment_type=TIER,
            storage_type="SSD",
            storage_capacity=outline.gib,
            per_unit_storage_throughput=outline.mb_s_per_tib,
            file_system_type_version=LUSTRE_VERSION,
            data_compression_type="LZ4",
            efa_enabled=outline.efa or None,
            metadata_configuration=fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC") if outline.efa else None,
            subnet_ids=args.subnet_id,
            security_group_ids=[group.id],
            tags=kept_tags(args.identity, name),
            # What can never change stays as it was made, though pools come and go: a change would make a new, empty file system.
            opts=kept_options(self, depends_on=ready, ignore_changes=["efaEnabled", "metadataConfiguration", "subnetIds"]),
        )

    def _security_group(self, name: str, args: FileSystemArgs) -> tuple[ec2.SecurityGroup, list[pulumi.Resource]]:
        """The file system's group, and the rules without which FSx refuses to make the file system."""
        group = ec2.SecurityGroup(
            name,
            vpc_id=args.vpc_id,
            description="Lustre: servers among themselves and with the nodes",
            tags=kept_tags(args.identity, name),
            opts=kept_options(self),
        )
        among_themselves = [self._rule(rule, group, args, kept=True) for rule in _own_rules(name, args.outline.efa)]
        for rule in _client_rules(name, "nodes", args.node_security_group_id, efa=False):
            self._rule(rule, group, args, kept=False)
        if not args.outline.efa or args.fabric_security_group_id is None:
            return group, among_themselves
        fabric = [
            self._rule(rule, group, args, kept=False) for rule in _client_rules(name, "fabric", args.fabric_security_group_id, efa=True)
        ]
        return group, [*among_themselves, *fabric]

    def _rule(self, rule: _Rule, group: ec2.SecurityGroup, args: FileSystemArgs, *, kept: bool) -> pulumi.Resource:
        of = rule.of if rule.of is not None else group.id
        peer = rule.peer if rule.peer is not None else group.id
        make = vpc.SecurityGroupIngressRule if rule.direction == "in" else vpc.SecurityGroupEgressRule
        return make(
            rule.name,
            security_group_id=of,
            referenced_security_group_id=peer,
            ip_protocol="tcp" if rule.ports else ALL_PROTOCOLS,
            from_port=rule.ports[0] if rule.ports else None,
            to_port=rule.ports[1] if rule.ports else None,
            description="Lustre",
            tags=kept_tags(args.identity, rule.name) if kept else args.identity.tags(rule.name),
            opts=kept_options(self) if kept else pulumi.ResourceOptions(parent=self),
        )

    def _link(self, name: str, args: FileSystemArgs, bucket: pulumi.Input[str]) -> None:
        """The bucket's objects appear in a directory of its name, and files written there become objects."""
        events = ["NEW", "CHANGED", "DELETED"]
        fsx.DataRepositoryAssociation(
            name,
            file_system_id=self.resource.id,
            file_system_path=f"/{args.outline.bucket}",
            data_repository_path=pulumi.Output.concat("s3://", bucket),
            batch_import_meta_data_on_create=True,
            s3=fsx.DataRepositoryAssociationS3Args(
                auto_import_policy=fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=events),
                auto_export_policy=fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(events=["NEW", "CHANGED"]),
            ),
            tags=kept_tags(args.identity, name),
            opts=kept_options(self),
        )


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """One rule of a security group. `of` and `peer` are None for the file system's own group; `ports` is None for all traffic."""

    name: str
    direction: Literal["in", "out"]
    of: pulumi.Input[str] | None = None
    peer: pulumi.Input[str] | None = None
    ports: tuple[int, int] | None = None


def _own_rules(name: str, efa: bool) -> Iterator[_Rule]:
    """A1: EFA-enabled servers need all traffic from and to their own group; without EFA the ports of Lustre are enough."""
    for direction in ("in", "out"):
        if efa:
            yield _Rule(name=f"{name}-self-{direction}", direction=direction)
            continue
        for ports in LUSTRE_PORTS:
            yield _Rule(name=f"{name}-self-{direction}-{ports[0]}", direction=direction, ports=ports)


def _client_rules(name: str, client: str, group: pulumi.Input[str], *, efa: bool) -> Iterator[_Rule]:
    """Both ways on both sides, as servers call clients back: on the file system's group, then on the clients'."""
    for direction in ("in", "out"):
        for ports in (None,) if efa else LUSTRE_PORTS:
            suffix = f"-{ports[0]}" if ports else ""
            yield _Rule(name=f"{name}-{client}-{direction}{suffix}", direction=direction, peer=group, ports=ports)
            if direction == "in" or efa:  # nodes' own group lets everything out already
                yield _Rule(name=f"{name}-from-{client}-{direction}{suffix}", direction=direction, of=group, ports=ports)
