"""Storage accounts, blob containers and Managed Lustre."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Bucket, FileSystem
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.values import given, number, text

from .references import location, meant, region_of

SERVICE = "azure_managed_lustre"
_GIB_PER_TIB = 1024


def read_account(account: Resource, program: Program) -> Iterator[Bucket]:
    """An account bills what its containers hold; where the program makes these, they stand for it."""
    if account.urn not in program.once(_accounts_of_containers):
        yield Bucket(urn=account.urn, cloud="azure", region=location(program, account))


def read_container(container: Resource, program: Program) -> Iterator[Bucket]:
    account = _account(container, program)
    yield Bucket(urn=container.urn, cloud="azure", region=region_of(program, account, "storage account"))


def _account(container: Resource, program: Program) -> Maybe[str | None]:
    return meant(program, container, "accountName", container.read("accountName"), types.STORAGE_ACCOUNT)


def _accounts_of_containers(program: Program) -> frozenset[str]:
    accounts = [_account(container, program) for container in program.resources.of_type(types.CONTAINER)]
    return frozenset(account for account in accounts if known(account) and account is not None)


def read_lustre(system: Resource, program: Program) -> Iterator[FileSystem]:
    size = given(number(system.read("storageCapacityTiB"), "storageCapacityTiB"), "storageCapacityTiB", "not given")
    yield FileSystem(
        urn=system.urn,
        cloud="azure",
        region=location(program, system),
        tier=_tier(system),
        gib=size if isinstance(size, Unknown) else size * _GIB_PER_TIB,
    )


def _tier(system: Resource) -> Maybe[str]:
    """`AMLFS-Durable-Premium-125` -> the row `amlfs_durable_premium_125` of the price list."""
    sku = given(text(system.read("sku", "name"), "sku.name"), "sku.name", "not given")
    return sku if isinstance(sku, Unknown) else f"{SERVICE}/{sku.casefold().replace('-', '_')}"
