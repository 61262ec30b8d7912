"""The shared file system: Azure Managed Lustre in a subnet of its own."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import storagecache

from components.kept import kept_options, kept_tags
from components.naming import Identity

from .storage_outline import LustreOutline
from .upgrades import WINDOW_DAY, WINDOW_START


@dataclass(frozen=True, kw_only=True)
class FileSystemArgs:
    outline: LustreOutline
    region: str
    resource_group: pulumi.Input[str]
    """That of kept data: Azure deletes a group with all that is in it."""
    subnet_id: pulumi.Input[str]
    identity: Identity


class FileSystem(pulumi.ComponentResource):
    """A file system that every node of the network mounts; kept, with its network, when the stack is destroyed."""

    resource: storagecache.AmlFilesystem
    address: pulumi.Output[str]
    """Of its management server."""

    def __init__(self, name: str, args: FileSystemArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:FileSystem", name, {}, opts)
        self.resource = storagecache.AmlFilesystem(
            name,
            resource_group_name=args.resource_group,
            location=args.region,
            sku=storagecache.SkuNameArgs(name=args.outline.sku),
            storage_capacity_ti_b=args.outline.tib,
            filesystem_subnet=args.subnet_id,
            zones=[args.outline.zone] if args.outline.zone else None,
            maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
                day_of_week=storagecache.MaintenanceDayOfWeekType(WINDOW_DAY), time_of_day_utc=WINDOW_START
            ),
            tags=kept_tags(args.identity, name),
            opts=kept_options(self),
        )
        self.address = self.resource.client_info.apply(lambda info: str(info.mgs_address))
        self.register_outputs({"address": self.address})
