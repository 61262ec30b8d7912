"""The one Azure provider of a stack."""

from __future__ import annotations

import pulumi
import pulumi_azure_native as azure_native

PROVIDER_NAME = "azure-native"


def account_provider(account: str, region: str, opts: pulumi.ResourceOptions | None = None) -> azure_native.Provider:
    """The provider of subscription `account` in `region`: everything that it makes lies in that subscription, whoever runs the program."""
    return azure_native.Provider(PROVIDER_NAME, subscription_id=account, location=region, opts=opts)
