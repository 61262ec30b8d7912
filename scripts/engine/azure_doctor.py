"""What this machine has and lacks for real Azure."""

from __future__ import annotations

import os
import shutil

from components.azure.budget_outline import BLIND_SPOT
from scripts.engine import azure_identity
from scripts.engine.azure_session import Arm, NoCredentials, NotThere
from scripts.engine.examined import Health, Item, asked

FEATURE = "Microsoft.ContainerService/AKSInfinibandSupport"
_VERSION = "2021-07-01"


def items() -> tuple[Item, ...]:
    return (_kubelogin(), asked("azure credentials", _credentials), asked("azure infiniband feature", _feature), _budget())


def _kubelogin() -> Item:
    """Kubeconfigs of AKS name it: without it neither kubectl nor the in-cluster part of `up` gets a token."""
    found = shutil.which("kubelogin")
    advice = "" if found else "only for AKS: https://azure.github.io/kubelogin/install.html, or `az aks install-cli`"
    return Item("kubelogin", Health.OK if found else Health.OPTIONAL, found or "", advice)


def _subscription() -> str:
    return os.environ.get("ARM_SUBSCRIPTION_ID") or os.environ.get("AZURE_SUBSCRIPTION_ID") or ""


def _credentials() -> Item:
    found = azure_identity.caller(_subscription(), "")
    if found is None:
        return Item("azure credentials", Health.OPTIONAL, "", f"only for real clouds: sign in, for example {azure_identity.SIGN_IN}")
    return Item("azure credentials", Health.OK, f"{found.name} in subscription {found.account}")


def _feature() -> Item:
    """Without it AKS puts InfiniBand nodes of one pool on different fabrics, and says nothing."""
    label, subscription = "azure infiniband feature", _subscription()
    if not subscription:
        return Item(
            label, Health.UNKNOWN, "not looked at", "set ARM_SUBSCRIPTION_ID to have it looked at; only pools with InfiniBand need it"
        )
    namespace, _, name = FEATURE.partition("/")
    try:
        found = Arm().get(f"/subscriptions/{subscription}/providers/Microsoft.Features/providers/{namespace}/features/{name}", _VERSION)
    except (NoCredentials, NotThere):
        return Item(label, Health.UNKNOWN, "not looked at", "sign in to have it looked at; only pools with InfiniBand need it")
    state = str((found.get("properties") or {}).get("state") or "unknown")
    advice = (
        f"before the first InfiniBand pool: az feature register --namespace {namespace} --name {name}, "
        f"then az provider register --namespace {namespace}"
    )
    return Item(label, Health.OK, state) if state == "Registered" else Item(label, Health.OPTIONAL, state, advice)


def _budget() -> Item:
    return Item("azure budget", Health.UNKNOWN, "not looked at", BLIND_SPOT)
