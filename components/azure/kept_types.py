"""Types that hold data, or that data cannot do without: a destroy leaves them, and only a person deletes them. Pure."""

from __future__ import annotations

KEPT_TYPES = frozenset(
    {
        "azure-native:storage:BlobContainer",
        "azure-native:storage:BlobServiceProperties",
        "azure-native:storage:ManagementPolicy",
        "azure-native:storage:StorageAccount",
        "azure-native:storagecache:AmlFilesystem",
    }
)
