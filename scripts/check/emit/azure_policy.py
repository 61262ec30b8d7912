"""The limits as a custom Azure Policy definition.

Structure, conditions and `count`: Microsoft Learn, "Azure Policy definition structure" and "… policy rule". Aliases: the providers' own
(`az provider show --expand resourceTypes/aliases`), as public definitions use them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from policies.limits import Limits
from scripts.errors import BadInput

from .own_words import machines, regions, required_tags

VIRTUAL_MACHINE, SCALE_SET = "Microsoft.Compute/virtualMachines", "Microsoft.Compute/virtualMachineScaleSets"
CLUSTER, AGENT_POOL = "Microsoft.ContainerService/managedClusters", "Microsoft.ContainerService/managedClusters/agentPools"
SIZES = {
    VIRTUAL_MACHINE: f"{VIRTUAL_MACHINE}/sku.name",
    SCALE_SET: f"{SCALE_SET}/sku.name",
    AGENT_POOL: f"{AGENT_POOL}/vmSize",
}
"""Where each type says its machine."""
INLINE_POOLS = f"{CLUSTER}/agentPoolProfiles[*]"
PLACED = (VIRTUAL_MACHINE, SCALE_SET, CLUSTER)
"""Agent pools lie where their cluster lies."""
NOTES = (
    (
        "Make it known with `az policy definition create --mode All --rules …` or the REST API, then assign it; with the parameter effect at "
        "Audit it only reports."
    ),
    "The condition on tags holds for every AKS cluster: a policy cannot see whether one will have GPUs.",
    "No such policy knows prices: ceilings stay with `gpukit check` and the stack's budget.",
)

Condition = dict[str, Any]


def definition(limits: Limits) -> dict[str, Any]:
    """The definition, with its effect as a parameter."""
    effect = {
        "type": "String",
        "allowedValues": ["Audit", "Deny", "Disabled"],
        "defaultValue": "Deny",
        "metadata": {"displayName": "Effect", "description": "Deny refuses, Audit reports, Disabled does neither"},
    }
    return {
        "properties": {
            "displayName": "gpukit: machines, regions and tags",
            "description": "What the owners of the guardrails allow; made from policies/limits.yaml.",
            "policyType": "Custom",
            "mode": "All",
            "metadata": {"category": "Compute", "version": "1.0.0"},
            "parameters": {"effect": effect},
            "policyRule": {"if": {"anyOf": list(_refused(limits))}, "then": {"effect": "[parameters('effect')]"}},
        }
    }


def text(limits: Limits) -> str:
    """As JSON. Raises BadInput when the limits refuse nothing."""
    document = definition(limits)
    if not document["properties"]["policyRule"]["if"]["anyOf"]:
        raise BadInput(
            "--emit azure-policy: the limits allow every machine, region and tag: name some under `allowed` in the limits file, then emit again."
        )
    return json.dumps(document, indent=2)


def _refused(limits: Limits) -> Iterator[Condition]:
    allowed = machines(limits, "azure")
    if allowed is not None:
        for type_, field in SIZES.items():
            yield _all(_is(type_), {"field": field, "notIn": list(allowed)})
        other = {"field": f"{INLINE_POOLS}.vmSize", "notIn": list(allowed)}
        yield _all(_is(CLUSTER), {"count": {"field": INLINE_POOLS, "where": other}, "greater": 0})
    places = regions(limits, "azure")
    if places is not None:
        yield _all({"field": "type", "in": list(PLACED)}, {"field": "location", "notIn": list(places)})
    for keys in required_tags(limits, "azure"):
        yield _all(_is(CLUSTER), *({"field": f"tags['{key}']", "exists": "false"} for key in keys))


def _is(type_: str) -> Condition:
    return {"field": "type", "equals": type_}


def _all(*conditions: Condition) -> Condition:
    return {"allOf": list(conditions)}
