"""Clients of one Google Cloud project, and Google's refusals: what ends the command, what leaves a gap, and what to do about each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from scripts.errors import Failed
from scripts.quota.readings import Gap

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Clients:
    """Google's own clients; `retry` is how long a call that is throttled is tried again, later each time."""

    regions: Any
    projects: Any
    instances: Any
    machine_types: Any
    quotas: Any
    metrics: Any
    retry: Any


def patient(*, first_s: float = 0.5, most_s: float = 8.0, whole_s: float = 45.0) -> Any:
    """Google's clients try reads again on their own where they are told how."""
    from google.api_core import exceptions, retry

    again = retry.if_exception_type(exceptions.TooManyRequests, exceptions.ServiceUnavailable)
    return retry.Retry(predicate=again, initial=first_s, maximum=most_s, timeout=whole_s)


def clients_of_environment() -> Clients:
    """Clients by the application default credentials. Raises Failed where there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Google's packages announce the end of a Python version on import
        from google.auth import exceptions
        from google.cloud import cloudquotas_v1, compute_v1, monitoring_v3
    try:
        return Clients(
            regions=compute_v1.RegionsClient(),
            projects=compute_v1.ProjectsClient(),
            instances=compute_v1.InstancesClient(),
            machine_types=compute_v1.MachineTypesClient(),
            quotas=cloudquotas_v1.CloudQuotasClient(transport="rest"),
            metrics=monitoring_v3.MetricServiceClient(),
            retry=patient(),
        )
    except exceptions.DefaultCredentialsError as error:
        raise Failed(
            "there are no Google Cloud credentials here. Sign in with `gcloud auth application-default login`, or use --snapshot FILE."
        ) from error


def ask(where: str, permission: str, call: Callable[[], T]) -> T | Gap:
    """What `call` gives, or the gap that its refusal leaves in `where`. Raises Failed where the credentials themselves do not hold."""
    from google.api_core import exceptions
    from google.auth import exceptions as auth

    try:
        return call()
    except (auth.RefreshError, exceptions.Unauthenticated) as error:
        raise Failed(
            "the Google Cloud credentials have expired or do not hold. Sign in again with `gcloud auth application-default login`; nothing was changed."
        ) from error
    except exceptions.Forbidden as error:
        return _forbidden(where, permission, str(error.message))
    except exceptions.NotFound:
        return Gap(
            where=where,
            reason="Google does not know it in this project",
            fix="Check the name; a quota that a project never had is not listed.",
        )
    except (exceptions.TooManyRequests, exceptions.RetryError):
        return Gap(where=where, reason="Google refused every try as too many requests", fix="Ask again in a minute.")
    except (exceptions.GoogleAPICallError, auth.TransportError) as error:
        return Gap(where=where, reason=f"Google did not answer ({type(error).__name__})", fix="Check the network, and ask again.")


def _forbidden(where: str, permission: str, message: str) -> Gap:
    if "has not been used in project" in message or "SERVICE_DISABLED" in message or "is disabled" in message:
        fix = "Enable it (`gcloud services enable cloudquotas.googleapis.com compute.googleapis.com monitoring.googleapis.com`)."
        return Gap(where=where, reason=f"the API behind {permission} is not enabled in the project", fix=fix)
    return Gap(where=where, reason=f"{permission} is not allowed", fix=f"Give these credentials a role with {permission}.")
