"""boto3 clients with bounded time, and their errors as one paragraph."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar, cast

from scripts.errors import Failed

T = TypeVar("T")
SECONDS = 10
"""Longest wait for one answer; a cloud that is silent for longer is out of reach."""


_LOCK = threading.Lock()


@dataclass(frozen=True)
class _Asked:
    """What a client is made for. Keys and endpoint are the sandbox's."""

    service: str
    region: str
    attempts: int
    endpoint: str | None = None
    key: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)


def client(service: str, region: str, environment: Mapping[str, str], *, attempts: int = 2) -> Any:
    """A boto3 client. Where `environment` names an endpoint (the sandbox) it alone counts: no file or variable of the user is read.

    The same question gives the same client: making one reads megabytes of service models, and signs in anew where a role is assumed.
    """
    endpoint = environment.get("AWS_ENDPOINT_URL")
    with _LOCK:  # making clients, unlike using them, is not safe in threads
        if endpoint is None:
            return _client(_of_user(_settings()), _Asked(service, region, attempts))
        keys = environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]
        return _client(_closed(_settings()), _Asked(service, region, attempts, endpoint, *keys))


def _settings() -> frozenset[tuple[str, str]]:
    """What a session may read from this process's environment."""
    return frozenset((name, value) for name, value in os.environ.items() if name.startswith("AWS_") or name == "HOME")


@lru_cache(maxsize=256)
def _client(session: Any, asked: _Asked) -> Any:
    from botocore.config import Config

    config = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries={"max_attempts": asked.attempts, "mode": "standard"})
    if asked.endpoint is None:
        return session.client(asked.service, region_name=asked.region, config=config)
    return session.client(
        asked.service,
        region_name=asked.region,
        config=config.merge(Config(proxies={})),
        endpoint_url=asked.endpoint,
        aws_access_key_id=asked.key,
        aws_secret_access_key=asked.secret,
    )


@lru_cache(maxsize=8)
def _of_user(_settings: frozenset[tuple[str, str]]) -> Any:
    """The user's session, as long as the environment says the same."""
    import boto3

    return cast("Any", boto3).session.Session()


@lru_cache(maxsize=8)
def _closed(_settings: frozenset[tuple[str, str]]) -> Any:
    """A session to which this process's environment and the user's AWS files say nothing.

    A profile that it does not find stops botocore by naming it, even where credentials and endpoint are given. One for each environment,
    all the same: a session that was made under another one would only seem to be closed to this one.
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
