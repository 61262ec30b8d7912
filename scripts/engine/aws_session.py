"""boto3 clients with bounded time, and their errors as one paragraph."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from scripts.errors import Failed

T = TypeVar("T")
SECONDS = 10
"""Longest wait for one answer; a cloud that is silent for longer is out of reach."""


def client(service: str, region: str, environment: Mapping[str, str], *, attempts: int = 2) -> Any:
    """A boto3 client. Where `environment` names an endpoint (the sandbox) it alone counts: no file or variable of the user is read."""
    import boto3
    from botocore.config import Config

    config = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries={"max_attempts": attempts, "mode": "standard"})
    endpoint = environment.get("AWS_ENDPOINT_URL")
    if endpoint is None:
        return cast("Any", boto3).session.Session().client(service, region_name=region, config=config)
    return _closed_session().client(
        service,
        region_name=region,
        config=config.merge(Config(proxies={})),
        endpoint_url=endpoint,
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )


def _closed_session() -> Any:
    """A session to which this process's environment and the user's AWS files say nothing.

    A profile that it does not find stops botocore by naming it, even where credentials and endpoint are given.
    """
    import boto3
    from botocore.session import Session

    closed = {
        name: (in_file, None, default, convert)
        for name, (in_file, _variable, default, convert) in cast("Any", Session).SESSION_VARIABLES.items()
    }
    for file in ("config_file", "credentials_file"):
        closed[file] = (None, None, os.devnull, None)
    return cast("Any", boto3).session.Session(botocore_session=cast("Any", Session)(session_vars=closed))


def told(purpose: str, ask: Callable[[], T]) -> T:
    """What `ask` gives. Raises Failed when AWS refuses or does not answer, in one paragraph that starts with `purpose`."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return ask()
    except (BotoCoreError, ClientError) as error:
        raise Failed(
            f"AWS did not answer when asked to {purpose}: {error}. Nothing was changed. Check credentials, region and network."
        ) from error
