"""What stands around clusters: roles, feature flags, budgets, maintenance windows."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import AzureBudget, AzureRole, FeatureFlag, UpgradeWindow
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.values import given, text

from .references import meant

_ARM_GROUP = "/resourcegroups/"


def read_role(role: Resource, program: Program) -> Iterator[AzureRole]:
    identity = meant(program, role, "principalId", role.read("principalId"), types.IDENTITY)
    yield AzureRole(urn=role.urn, name=role.name, identity=identity)


def read_feature(feature: Resource, program: Program) -> Iterator[FeatureFlag]:
    _ = program
    yield FeatureFlag(urn=feature.urn, feature=text(feature.read("featureName"), "featureName"))


def read_window(window: Resource, program: Program) -> Iterator[UpgradeWindow]:
    cluster = meant(program, window, "resourceName", window.read("resourceName"), *types.CLUSTERS)
    yield UpgradeWindow(urn=window.urn, cluster=cluster)


def read_budget(budget: Resource, program: Program) -> Iterator[AzureBudget]:
    yield AzureBudget(urn=budget.urn, name=budget.name, of_group=_of_group(budget, program))


def _of_group(budget: Resource, program: Program) -> Maybe[bool]:
    """Whether the scope is a resource group, told by its id or, while that is not known, by what the scope depends on."""
    scope = given(text(budget.read("scope"), "scope"), "scope", "not given")
    if isinstance(scope, Unknown):
        return True if program.resources.referred(budget, "scope", *types.RESOURCE_GROUPS) else scope
    return _ARM_GROUP in scope.casefold()
