"""Metrics and logs of nodes and pods, collected by Azure Monitor: the add-on, and the rule that says what it sends where.

Source: Azure Monitor documentation, "Enable monitoring for AKS clusters" (the add-on with Entra authentication needs a rule and its
association, both named as here).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import containerservice, monitor

from components.naming import Identity

ADDON = "omsagent"
EXTENSION = "ContainerInsights"
STREAM = "Microsoft-ContainerInsights-Group-Default"
DESTINATION = "workspace"
ASSOCIATION = "ContainerInsightsExtension"
SETTINGS = {"dataCollectionSettings": {"interval": "1m", "namespaceFilteringMode": "Off", "enableContainerLogV2": True}}


def addon(workspace_id: pulumi.Input[str]) -> Mapping[str, containerservice.ManagedClusterAddonProfileArgs]:
    """The profile of the add-on, by its name in the cluster."""
    settings = {"logAnalyticsWorkspaceResourceID": workspace_id, "useAADAuth": "true"}
    return {ADDON: containerservice.ManagedClusterAddonProfileArgs(enabled=True, config=settings)}


@dataclass(frozen=True, kw_only=True)
class CollectionArgs:
    region: str
    resource_group: pulumi.Input[str]
    workspace_id: pulumi.Input[str]
    cluster_id: pulumi.Input[str]
    identity: Identity


def collection(name: str, args: CollectionArgs, parent: pulumi.Resource) -> None:
    """The rule of one cluster."""
    own = pulumi.ResourceOptions(parent=parent)
    rule = monitor.DataCollectionRule(
        f"{name}-insights",
        resource_group_name=args.resource_group,
        location=args.region,
        kind="Linux",
        data_sources=monitor.DataCollectionRuleDataSourcesArgs(
            extensions=[
                monitor.ExtensionDataSourceArgs(name=ASSOCIATION, extension_name=EXTENSION, streams=[STREAM], extension_settings=SETTINGS)
            ]
        ),
        destinations=monitor.DataCollectionRuleDestinationsArgs(
            log_analytics=[monitor.LogAnalyticsDestinationArgs(name=DESTINATION, workspace_resource_id=args.workspace_id)]
        ),
        data_flows=[monitor.DataFlowArgs(streams=[STREAM], destinations=[DESTINATION])],
        tags=args.identity.tags(f"{name}-insights"),
        opts=own,
    )
    monitor.DataCollectionRuleAssociation(
        f"{name}-insights",
        association_name=ASSOCIATION,
        data_collection_rule_id=rule.id,
        resource_uri=args.cluster_id,
        opts=own,
    )
