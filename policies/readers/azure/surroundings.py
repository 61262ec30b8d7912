"""What stands around clusters: roles, feature flags, budgets, and the Network Operator's policies."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import AzureBudget, AzureRole, FeatureFlag, NicPolicy, UpgradeWindow
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


def read_nic_policies(program: Program) -> Iterator[NicPolicy]:
    """Policies written as resources of their own kind."""
    for policy in program.resources.of_type(types.NIC_POLICY, types.NIC_NODE_POLICY):
        yield NicPolicy(
            urn=policy.urn,
            name=policy.name,
            cluster=_cluster(policy, program),
            shared=_plugin(policy, "rdmaSharedDevicePlugin"),
            exclusive=_plugin(policy, "sriovDevicePlugin"),
        )


def _plugin(policy: Resource, key: str) -> Maybe[str | None]:
    """The plugin's configuration; None without the plugin, "" for one that is left to its defaults."""
    plugin = policy.read("spec", key)
    if plugin is None or isinstance(plugin, Unknown):
        return plugin
    config = text(policy.read("spec", key, "config"), f"spec.{key}.config")
    return "" if config is None else config


def _cluster(policy: Resource, program: Program) -> str | None:
    """The planned cluster whose kubeconfig the provider holds."""
    provider = program.provider(policy)
    if provider is None:
        return None
    named = {urn for urns in provider.property_dependencies.values() for urn in urns} | set(provider.dependencies)
    found = [cluster.urn for cluster in program.resources.of_type(*types.CLUSTERS) if cluster.urn in named]
    return found[0] if len(found) == 1 else None
