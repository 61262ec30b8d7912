"""Clients of one AWS account, and its refusals: what ends the command, what leaves a gap, and what to do about each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from scripts.errors import Failed
from scripts.quota.readings import Gap

T = TypeVar("T")
Clients = Callable[[str, str], Any]
"""A boto3 client by service and region."""
ATTEMPTS = 6
"""Tries of one call; botocore waits longer after each that is throttled (standard mode)."""

_EXPIRED = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "RequestExpired",
        "InvalidClientTokenId",
        "UnrecognizedClientException",
        "AuthFailure.Expired",
    }
)
_DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError"})
_THROTTLED = frozenset({"TooManyRequestsException", "ThrottlingException", "Throttling", "RequestLimitExceeded", "SlowDown"})
_NOT_ENABLED = frozenset({"OptInRequired", "AuthFailure", "InvalidRegion", "SubscriptionRequiredException"})


def ask(where: str, permission: str, call: Callable[[], T]) -> T | Gap:
    """What `call` gives, or the gap that its refusal leaves in `where`. Raises Failed where the credentials themselves do not hold."""
    from botocore.exceptions import (
        ClientError,
        EndpointConnectionError,
        NoCredentialsError,
        NoRegionError,
        ReadTimeoutError,
        TokenRetrievalError,
    )

    try:
        return call()
    except NoCredentialsError as error:
        raise Failed(
            "there are no AWS credentials here. Sign in (for example `aws sso login` and AWS_PROFILE), or use --snapshot FILE."
        ) from error
    except TokenRetrievalError as error:
        raise Failed(_expired(str(error))) from error
    except ClientError as error:
        return _gap(where, permission, error)
    except (EndpointConnectionError, NoRegionError, ReadTimeoutError) as error:
        return Gap(
            where=where,
            reason=f"AWS did not answer ({type(error).__name__})",
            fix="Check the region's name and the network, and ask again.",
        )


def _gap(where: str, permission: str, error: Any) -> Gap:
    code = str(cast("dict[str, Any]", error.response).get("Error", {}).get("Code", "unknown error"))
    if code in _EXPIRED:
        raise Failed(_expired(code)) from error
    if code in _DENIED:
        fix = f"Allow {permission} to these credentials (the role `plan` of `python -m scripts.permissions` has it)."
        return Gap(where=where, reason=f"{permission} is not allowed ({code})", fix=fix)
    if code in _THROTTLED:
        return Gap(where=where, reason=f"AWS refused {ATTEMPTS} tries as too many requests ({code})", fix="Ask again in a minute.")
    if code in _NOT_ENABLED:
        return Gap(
            where=where,
            reason=f"the region does not take this account's calls ({code})",
            fix="Enable the region in the account, or use another.",
        )
    return Gap(where=where, reason=f"AWS answered {code}", fix="Look the quota up in the console, and ask again.")


def _expired(detail: str) -> str:
    return f"the AWS credentials have expired or do not hold ({detail}). Sign in again (for example `aws sso login`); nothing was changed."


def clients_of_environment() -> Clients:
    """Clients by the user's own credentials, each made once. A call that is throttled is tried again, later each time."""
    from functools import cache
    from os import environ

    from scripts.engine.aws_session import client

    @cache
    def made(service: str, region: str) -> Any:
        return client(service, region, environ, attempts=ATTEMPTS)

    return made
