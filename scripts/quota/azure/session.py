"""Clients of one Azure subscription, and Azure's refusals: what ends the command, what leaves a gap, and what to do about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from scripts.errors import Failed
from scripts.quota.readings import Gap

T = TypeVar("T")
_UNREGISTERED = frozenset({"MissingSubscriptionRegistration", "MissingRegistrationForResourceProvider"})
_NO_SUCH_PLACE = frozenset(
    {"LocationNotAvailableForResourceType", "NoRegisteredProviderFound", "InvalidResourceLocation", "LocationNotFound"}
)
_THROTTLED = 429
_FORBIDDEN = 403


@dataclass(frozen=True, kw_only=True)
class Clients:
    """Azure's own clients. They try a throttled call again by themselves, after the time that Azure names."""

    compute: Any
    quota: Any


def clients_of_environment(subscription: str) -> Clients:
    from azure.identity import DefaultAzureCredential
    from azure.mgmt.compute import ComputeManagementClient
    from azure.mgmt.quota import QuotaMgmtClient

    credential = DefaultAzureCredential()
    return Clients(compute=ComputeManagementClient(credential, subscription), quota=QuotaMgmtClient(credential, subscription))


def word(value: Any) -> str:
    """Azure's own word, whether its client made an enum of it or not."""
    return str(getattr(value, "value", value))


def ask(where: str, permission: str, call: Callable[[], T]) -> T | Gap:
    """What `call` gives, or the gap that its refusal leaves in `where`. Raises Failed where the credentials themselves do not hold."""
    from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ServiceRequestError, ServiceResponseError

    try:
        return call()
    except ClientAuthenticationError as error:
        raise Failed(
            "the Azure credentials are missing, have expired or do not hold. Sign in with `az login`, or use --snapshot FILE; nothing was changed."
        ) from error
    except HttpResponseError as error:
        return _gap(where, permission, error.status_code, str(error.error.code if error.error else ""))
    except (ServiceRequestError, ServiceResponseError) as error:
        return Gap(where=where, reason=f"Azure did not answer ({type(error).__name__})", fix="Check the network, and ask again.")


def _gap(where: str, permission: str, status: int | None, code: str) -> Gap:
    if code in _UNREGISTERED:
        fix = "Register it once: `az provider register --namespace Microsoft.Quota`."
        return Gap(where=where, reason="the subscription does not use the resource provider Microsoft.Quota", fix=fix)
    if status == _FORBIDDEN:
        return Gap(where=where, reason=f"{permission} is not allowed ({code})", fix=f"Give these credentials a role with {permission}.")
    if status == _THROTTLED:
        return Gap(where=where, reason="Azure refused every try as too many requests", fix="Ask again in a minute.")
    if code in _NO_SUCH_PLACE:
        return Gap(where=where, reason=f"Azure has no such location for this subscription ({code})", fix="Check the region's name.")
    return Gap(where=where, reason=f"Azure answered {status} {code}".rstrip(), fix="Look the quota up in the portal, and ask again.")
