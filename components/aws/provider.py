"""The one AWS provider of a stack."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

PROVIDER_NAME = "aws"


def account_provider(account: str, region: str, opts: pulumi.ResourceOptions | None = None) -> aws.Provider:
    """The provider of `account` in `region`. It refuses to act with credentials of any other account, whoever runs the program."""
    return aws.Provider(PROVIDER_NAME, region=region, allowed_account_ids=[account], opts=opts)
