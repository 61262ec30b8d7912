"""One Google project: lists with patience, changes with their refusals sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from scripts.engine.gcp_session import Google, NoCredentials, TooMany, throttled
from scripts.errors import Failed
from scripts.teardown.clouds.cloud import Busy

COMPUTE = "/compute/v1/"
_BUSY = (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED)
"""`resourceInUseByAnotherResource` comes as 400, an operation under way on the cluster as 400 or 409 (Compute Engine and GKE API errors)."""
_SLOW_DOWN = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Seconds of patience with a list that is throttled: more than the minute after which a quota is full again (Compute Engine, rate quotas)."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """Calls of one set of credentials in one project."""

    account: str
    google: Google
    sleep: Callable[[float], None]

    def told(self, ask: Callable[[], Any]) -> Any:
        """What `ask` answers. A throttled list is asked for again: what was not seen is not gone. Raises Failed when patience ends."""
        for seconds in _SLOW_DOWN:
            try:
                return self._once(ask)
            except TooMany:
                self.sleep(seconds)
        try:
            return self._once(ask)
        except TooMany as error:
            raise Failed(f"Google still throttles project {self.account} ({error}). Run the teardown again to go on.") from error

    @staticmethod
    def _once(ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except NoCredentials as error:
            raise Failed("There are no Google credentials here: `gcloud auth application-default login`. Nothing was changed.") from error

    def send(self, method: str, service: str, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Raises Busy where something still needs the thing, Failed for any other refusal; what is gone already is no error."""
        answer = self.told(lambda: self.google.send(method, service, path, body))
        if answer.status_code in _BUSY or throttled(answer):
            raise Busy(answer.text)
        if answer.is_error and answer.status_code != HTTPStatus.NOT_FOUND:
            raise Failed(f"Google refused {method} {path}: {answer.text[:500]}. Run the teardown again to go on.")

    def listed(self, collection: str, *, in_one_place: bool = False) -> Iterator[Mapping[str, Any]]:
        """Everything of a collection of Compute Engine, over all regions and zones; some kinds are listed `in_one_place` only."""
        root = f"{COMPUTE}projects/{self.account}"
        if in_one_place:
            for page in self.google.pages("compute", f"{root}/global/{collection}"):
                yield from page.get("items", ())
            return
        for page in self.google.pages("compute", f"{root}/aggregated/{collection}"):
            for scope in page.get("items", {}).values():
                yield from scope.get(collection, ())


def path_of(given: Mapping[str, Any]) -> str:
    """`projects/…` of something in Compute Engine."""
    return str(given["selfLink"]).partition(COMPUTE)[2]
