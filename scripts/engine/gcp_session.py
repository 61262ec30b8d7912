"""Google's REST APIs with bounded time, their errors as one paragraph: real ones with the user's credentials, simulated ones without any."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx

from scripts.engine.environment import GCP_ENDPOINT
from scripts.errors import Failed

SECONDS = 10
"""Longest wait for one answer; a cloud that is silent for longer is out of reach."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_HOSTS = {
    "compute": "https://compute.googleapis.com",
    "container": "https://container.googleapis.com",
    "storage": "https://storage.googleapis.com",
    "iam": "https://iam.googleapis.com",
    "lustre": "https://lustre.googleapis.com",
    "budgets": "https://billingbudgets.googleapis.com",
    "monitoring": "https://monitoring.googleapis.com",
    "logging": "https://logging.googleapis.com",
    "kms": "https://cloudkms.googleapis.com",
    "projects": "https://cloudresourcemanager.googleapis.com",
    "oauth2": "https://oauth2.googleapis.com",
}
"""Root of each API (rootUrl of its discovery document)."""


class NoCredentials(Exception):
    """There are no Google credentials on this machine."""


class TooMany(Failed):
    """Google asks to slow down."""


class Google:
    """Calls of one set of credentials. Where `environment` names an endpoint (the sandbox) it alone counts: no credentials of the user are read."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        environment = os.environ if environment is None else environment
        self.endpoint = environment.get(GCP_ENDPOINT)
        self._token: str | None = None
        self._http: httpx.Client | None = None

    def get(self, service: str, path: str, **query: str) -> dict[str, Any] | None:
        """The answer; None for what is not there. Raises Failed when Google refuses or does not answer, NoCredentials without any."""
        try:
            answer = self._client().get(f"{self.endpoint or _HOSTS[service]}{path}", params=query, headers=self._headers())
        except httpx.HTTPError as error:
            raise Failed(f"Google did not answer when asked for {path}: {error}. Nothing was changed. Check the network.") from error
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        if answer.is_error:
            kind = TooMany if throttled(answer) else Failed
            raise kind(f"Google refused to tell about {path}: {_why(answer)}. Nothing was changed. Check credentials and project.")
        return answer.json()

    def send(self, method: str, service: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """A call that changes something, its answer unjudged. Raises Failed when Google does not answer, NoCredentials without any."""
        try:
            url = f"{self.endpoint or _HOSTS[service]}{path}"
            return self._client().request(method, url, json=dict(body) if body is not None else None, headers=self._headers())
        except httpx.HTTPError as error:
            raise Failed(f"Google did not answer {method} {path}: {error}. Run it again to go on. Check the network.") from error

    def pages(self, service: str, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """All pages of a list."""
        token = ""
        while True:
            found = self.get(service, path, **query, **({"pageToken": token} if token else {})) or {}
            yield found
            token = str(found.get("nextPageToken") or "")
            if not token:
                return

    def token(self) -> str:
        """An access token of the user's credentials. Raises NoCredentials, or Failed when they are refused."""
        if self._token is None:
            self._token = _fresh_token()
        return self._token

    def _client(self) -> httpx.Client:
        """One for all calls, as reading the certificates takes longer than a call; no connection outlives its call."""
        if self._http is None:
            limits = httpx.Limits(max_keepalive_connections=0)
            self._http = httpx.Client(timeout=SECONDS, trust_env=self.endpoint is None, verify=self.endpoint is None, limits=limits)
        return self._http

    def _headers(self) -> dict[str, str]:
        return {} if self.endpoint is not None else {"Authorization": f"Bearer {self.token()}"}


def throttled(answer: httpx.Response) -> bool:
    """Compute Engine says 403 with the reason `rateLimitExceeded` (its documentation, rate quotas); other APIs say 429."""
    slow = answer.status_code == HTTPStatus.FORBIDDEN and "rateLimitExceeded" in answer.text
    return slow or answer.status_code == HTTPStatus.TOO_MANY_REQUESTS


def _fresh_token() -> str:
    from google.auth import default
    from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
    from google.auth.transport.requests import Request

    try:
        credentials, _ = default(scopes=[SCOPE])
        credentials.refresh(Request())
    except DefaultCredentialsError as error:
        raise NoCredentials(str(error)) from error
    except GoogleAuthError as error:
        raise Failed(
            f"Google refused the credentials: {error}. Nothing was changed. Renew them with `gcloud auth application-default login`."
        ) from error
    return str(credentials.token)


def _why(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {answer.status_code}"
