"""Whose account the credentials open: compared with the stack file before anything is written to a real cloud."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from scripts.engine.aws_session import client
from scripts.errors import Failed, Refused


@dataclass(frozen=True)
class Caller:
    """Who the credentials speak for. `name` is an ARN."""

    account: str
    name: str


def aws_caller(region: str, environment: Mapping[str, str] | None = None) -> Caller | None:
    """The caller by STS; None when there are no credentials. Raises Failed when STS refuses them or does not answer."""
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

    try:
        answer = client("sts", region, os.environ if environment is None else environment).get_caller_identity()
    except (NoCredentialsError, PartialCredentialsError):
        return None
    except (BotoCoreError, ClientError) as error:
        raise Failed(
            f"AWS did not say whose the credentials are: {error}. Nothing was changed. Renew them, or check the network."
        ) from error
    return Caller(str(answer["Account"]), str(answer["Arn"]))


def refuse_other_account(*, cloud: str, account: str, region: str, stack: str) -> Caller:
    """The caller, when it is the stack's own account. Raises Refused for another, or none, or a cloud that is not built yet."""
    if cloud != "aws":
        raise Refused(f"Stack {stack} is on {cloud}, which is not built yet: gpukit changes nothing on it.")
    caller = aws_caller(region)
    if caller is None:
        raise Refused(
            f"Stack {stack} belongs to AWS account {account}, and there are no AWS credentials here. Nothing was changed. "
            f"Sign in to that account (for example `aws sso login` and AWS_PROFILE), or add --sandbox for the simulated clouds."
        )
    if caller.account != account:
        raise Refused(
            f"Stack {stack} belongs to AWS account {account}, but the credentials are {caller.name} of account {caller.account}. "
            f"Nothing was changed. Switch credentials, or correct `account` in the stack file."
        )
    return caller
