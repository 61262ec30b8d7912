"""Calls to Azure Resource Manager with bounded time, real or simulated (GPUKIT_AZURE_ENDPOINT), and clients of its SDKs."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from scripts.engine.environment import AZURE_ENDPOINT
from scripts.errors import Failed

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

T = TypeVar("T")
PUBLIC = "https://management.azure.com"
SCOPE = f"{PUBLIC}/.default"
SECONDS = 15
"""Longest wait for one answer; a cloud that is silent for longer is out of reach."""
RETRIES = (1.0, 4.0)
"""Seconds before an answer that says "too busy" is asked for again."""
_BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
SIMULATED_LOOK_SECONDS = 0.1
"""Between two looks at a long-running operation: the simulated Azure's last no longer."""
SIMULATED_TOKEN = "simulated"  # opens the simulated Azure, which takes any
_SECRET, _OWN = ("ARM_CLIENT_ID", "ARM_CLIENT_SECRET", "ARM_TENANT_ID"), "AZURE_"


class NoCredentials(Exception):
    """Nobody is signed in."""


class NotThere(Exception):
    """Azure answers that the object, or the subscription, is not there for this caller."""


def credential(environment: Mapping[str, str]) -> TokenCredential:
    """The credentials that pulumi-azure-native would take: a service principal's variables (ARM_*), else whatever is signed in."""
    import logging

    from azure.identity import ClientSecretCredential, DefaultAzureCredential

    logging.getLogger("azure").addHandler(logging.NullHandler())  # it would tell each way that was tried on standard error; we say it once
    if all(environment.get(name) for name in _SECRET):
        client, secret, tenant = (environment[name] for name in _SECRET)
        return ClientSecretCredential(tenant, client, secret)
    return DefaultAzureCredential(exclude_interactive_browser_credential=True)


def token(environment: Mapping[str, str]) -> str:
    """A bearer token for Resource Manager. Raises NoCredentials when nobody is signed in, Failed when the sign-in is refused."""
    if environment.get(AZURE_ENDPOINT):
        return SIMULATED_TOKEN
    from azure.core.exceptions import AzureError, ClientAuthenticationError

    try:
        return credential(environment).get_token(SCOPE).token
    except ClientAuthenticationError as error:
        if environment.get(_SECRET[0]):
            raise Failed(
                f"Azure refused the service principal's credentials (ARM_*): {_first_line(error)}. Nothing was changed."
            ) from error
        raise NoCredentials from error
    except AzureError as error:
        raise Failed(f"Azure gave no token: {_first_line(error)}. Nothing was changed. Check the network.") from error


def _first_line(error: Exception) -> str:
    """Errors of the identity library list every way that it tried; none of it is secret, most of it is noise."""
    return str(error).strip().splitlines()[0]


@dataclass
class Arm:
    """Calls of Resource Manager. `environment` holds the credentials and, in the sandbox, the endpoint."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    _token: str = ""
    sleep: Callable[[float], None] = time.sleep

    @property
    def _base(self) -> str:
        return self.environment.get(AZURE_ENDPOINT) or PUBLIC

    def get(self, path: str, version: str) -> dict[str, Any]:
        """Raises NotThere, NoCredentials, Failed."""
        return self._ask(f"{self._base}{path}", {"api-version": version})

    def list(self, path: str, version: str, condition: str = "") -> Iterator[dict[str, Any]]:
        """All items of a list, page by page. `condition` is an OData filter."""
        query = {"api-version": version, **({"$filter": condition} if condition else {})}
        page = self._ask(f"{self._base}{path}", query)
        yield from page.get("value", ())
        while page.get("nextLink"):
            page = self._ask(str(page["nextLink"]), {})
            yield from page.get("value", ())

    def post(self, path: str, version: str) -> dict[str, Any]:
        """An operation that changes nothing, such as the list of a cluster's credentials."""
        return self._ask(f"{self._base}{path}", {"api-version": version}, method="POST")

    def send(self, method: str, path: str, version: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """A call that changes something, its answer unjudged. Raises NoCredentials, Failed when Azure does not answer."""
        self._token = self._token or token(self.environment)
        try:
            return self._answer(method, f"{self._base}{path}", {"api-version": version}, body)
        except httpx.HTTPError as error:
            raise Failed(f"Azure did not answer {method} {path}: {_words(error)}. Run it again to go on. Check the network.") from error

    def _ask(self, url: str, query: Mapping[str, str], *, method: str = "GET") -> dict[str, Any]:
        self._token = self._token or token(self.environment)
        try:
            answer = self._answer(method, url, query)
            if answer.status_code == HTTPStatus.NOT_FOUND:
                raise NotThere(url)
            answer.raise_for_status()
            return answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Failed(
                f"Azure did not answer {url.partition('?')[0].removeprefix(self._base)}: {_words(error)}. Nothing was changed. Check credentials, "
                "rights and network."
            ) from error

    def _answer(self, method: str, url: str, query: Mapping[str, str], body: Mapping[str, Any] | None = None) -> httpx.Response:
        """An answer, asked for again while Azure is too busy."""
        header, direct = {"Authorization": f"Bearer {self._token}"}, AZURE_ENDPOINT in self.environment
        waits, given = list(RETRIES), dict(body) if body is not None else None
        while True:
            answer = httpx.request(
                method,
                url,
                params=dict(query) or None,
                headers=header,
                json=given,
                timeout=SECONDS,
                trust_env=not direct,
                verify=_trusted(),
            )
            if not waits or answer.status_code not in _BUSY:
                return answer
            self.sleep(waits.pop(0))


@cache
def _trusted() -> ssl.SSLContext:
    """Certificates to trust, read once: reading them takes longer than a call."""
    return httpx.create_ssl_context()


def _words(error: Exception) -> str:
    """Azure's own words where its answer has some."""
    if isinstance(error, httpx.HTTPStatusError):
        try:
            told = error.response.json()["error"]
            return f"{told['code']}: {told['message']}"
        except (ValueError, KeyError, TypeError):
            return f"status {error.response.status_code}"
    return str(error) or type(error).__name__


def management_client(make: Callable[..., T], subscription: str, environment: Mapping[str, str] | None = None) -> T:
    """A client of an azure-mgmt package, such as `ComputeManagementClient`: on the simulated Azure where the environment names it.

    The clients send no token to a plain address, which only the simulated Azure has: there a policy of our own sends one.
    """
    where = os.environ if environment is None else environment
    endpoint = where.get(AZURE_ENDPOINT)
    if not endpoint:
        return make(credential(where), subscription)
    closed: dict[str, Any] = {"proxies": {}, "use_env_settings": False, "polling_interval": SIMULATED_LOOK_SECONDS}
    return make(_Simulated(), subscription, base_url=endpoint, authentication_policy=_simulated_policy(), **closed)


class _Simulated:
    """Stands for a credential: any token opens the simulated Azure."""

    def get_token(self, *_scopes: str, **_more: Any) -> Any:
        from azure.core.credentials import AccessToken

        return AccessToken(SIMULATED_TOKEN, 1 << 40)


def _simulated_policy() -> Any:
    from azure.core.pipeline.policies import HeadersPolicy

    return HeadersPolicy({"Authorization": f"Bearer {SIMULATED_TOKEN}"})
