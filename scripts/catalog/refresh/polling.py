"""Reading a paged JSON API over HTTP: waits when it is told to, gives up in bounded time, says which step failed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import httpx

from scripts.errors import Failed

ATTEMPTS = 6
LONGEST_WAIT_S = 60.0
TIMEOUT_S = 30.0
BUSY = frozenset({429, 500, 502, 503, 504})
OK, EXPIRED, FORBIDDEN = 200, 401, 403

Sleep = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Api:
    """One price list. `name` begins every error."""

    name: str
    client: httpx.Client
    permission: str = ""
    """What access takes, said when it is denied."""
    sleep: Sleep = time.sleep

    def get(self, url: str, params: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        """One answer. Raises Failed, naming the missing permission where access is denied.

        "Too many" and "unavailable" are asked again, after the time that the server names, else after 1, 2, 4 … seconds.
        """
        status = "nothing"
        for attempt in range(ATTEMPTS):
            wait = 2.0**attempt
            try:
                answer = self.client.get(url, params=dict(params) if params else None)
            except httpx.TransportError as error:
                status = type(error).__name__
            else:
                if answer.status_code not in BUSY:
                    return self._document(answer)
                status, wait = str(answer.status_code), _asked_wait(answer, wait)
            if attempt + 1 < ATTEMPTS:
                self.sleep(wait)
        raise Failed(f"{self.name} answered {status} {ATTEMPTS} times: check the network, or try again later. Nothing was written.")

    def _document(self, answer: httpx.Response) -> Mapping[str, Any]:
        if answer.status_code == EXPIRED:
            raise Failed(f"{self.name} does not accept the credentials: they have expired or are wrong. Get new ones; nothing was written.")
        if answer.status_code == FORBIDDEN:
            need = f" It needs {self.permission}." if self.permission else ""
            raise Failed(f"{self.name} denies access: {_said(answer)}.{need} Nothing was written.")
        if answer.status_code != OK:
            raise Failed(f"{self.name} answered {answer.status_code}: {_said(answer)}. Nothing was written.")
        try:
            document = answer.json()
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise Failed(f"{self.name} answered with something that is no JSON. Nothing was written.") from error
        if not isinstance(document, Mapping):
            raise Failed(f"{self.name} answered with no JSON object. Nothing was written.")
        return cast("Mapping[str, Any]", document)


def _asked_wait(answer: httpx.Response, otherwise: float) -> float:
    """`Retry-After` in seconds, within bounds; its date form and nonsense count as not given."""
    try:
        asked = float(answer.headers.get("retry-after", ""))
    except ValueError:
        asked = otherwise
    return min(max(asked, 0.0), LONGEST_WAIT_S)


def _said(answer: httpx.Response) -> str:
    """The service's own words, one line of them."""
    try:
        text = str(answer.json()["error"]["message"])
    except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError):
        text = answer.reason_phrase
    return " ".join(text.split())[:300].rstrip(".")
