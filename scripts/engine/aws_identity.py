"""Whose AWS account the credentials open, by STS."""

from __future__ import annotations

import os
from collections.abc import Mapping

from scripts.engine.aws_session import client
from scripts.engine.identity import Caller
from scripts.errors import Failed

NOUN = "AWS account"
SIGN_IN = "`aws sso login` and AWS_PROFILE"


def caller(_account: str, region: str, environment: Mapping[str, str] | None = None) -> Caller | None:
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
