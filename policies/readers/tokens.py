"""Type tokens in one spelling: without API versions and without the file that bridged modules repeat."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from components.resource import Resource, ResourceSet

_VERSION = re.compile(r"v\d+((alpha|beta)\d*)?|(alpha|beta)\d*|v\d{8}(preview|privatepreview)?")
"""`v1`, `v1beta1`, `beta`, `v20240301`, `v20240302preview`."""
_VERSIONED_PACKAGE = re.compile(r"^azure-native_(?P<module>[a-z0-9]+)_v\d{8}[a-z]*$")
"""A package that holds one version of one module, as `pulumi package add azure-native` makes it."""
_READ_WITHOUT_VERSION = ("azure-native:", "azure-native_", "azure:")
"""Packages of which one resource has many spellings: every API version is a module of its own, and bridged modules repeat the name."""


@lru_cache(maxsize=4096)
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


def read_as(token: str) -> str:
    """The spelling under which readers know the type `token`."""
    return plain_token(token) if token.startswith(_READ_WITHOUT_VERSION) else token


def respelled(resources: ResourceSet) -> ResourceSet:
    """The same resources with each type as readers know it; URNs stay as they are."""
    if all(r.type == read_as(r.type) for r in resources):
        return resources
    return replace(resources, resources=tuple(_respelled(r) for r in resources))


def _respelled(resource: Resource) -> Resource:
    known = read_as(resource.type)
    return resource if known == resource.type else replace(resource, type=known)
