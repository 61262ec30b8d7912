"""Compute and Microsoft.Quota of an Azure subscription on the loopback, through Azure's own clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from azure.core.credentials import AccessToken
from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.quota import QuotaMgmtClient

from scripts.quota.azure.session import Clients
from tests.scripts_catalog.server import Answer, Asked, serving

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
_REQUEST_FIELDS = {"limit", "name", "resourceType"}


@dataclass
class Subscription:
    """What the subscription answers."""

    usages: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """Limit and current value by name, by location."""
    scale_sets: list[dict[str, Any]] = field(default_factory=list)
    skus: list[dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    refusals: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """Path part -> (status, code), one an answer; the last one stays."""
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answer:
        for part, refused in self.refusals.items():
            if part in asked.path:
                status, code = refused.pop(0) if len(refused) > 1 else refused[0]
                if status != 200:
                    return Answer(
                        {"error": {"code": code, "message": code}}, status, {"retry-after": "0", "content-type": "application/json"}
                    )
        return Answer(self._body(asked), headers={"content-type": "application/json"})

    def _body(self, asked: Asked) -> dict[str, Any]:
        path = asked.path
        if path.endswith("/usages"):
            return {"value": [_usage(name, *row) for name, row in self.usages.get(path.split("/")[-2], {}).items()]}
        if path.endswith("/virtualMachineScaleSets"):
            return {"value": self.scale_sets}
        if path.endswith("/skus"):
            return {"value": self.skus}
        if path.endswith("/quotaRequests"):
            return {"value": self.requests}
        body = json.loads(asked.body)
        assert set(body["properties"]) == _REQUEST_FIELDS
        self.sent.append((path, body))
        return {"properties": {**body["properties"], "provisioningState": "Succeeded"}}


def _usage(name: str, limit: int, value: int) -> dict[str, Any]:
    return {"unit": "Count", "limit": limit, "currentValue": value, "name": {"value": name, "localizedValue": f"local {name}"}}


class _Token:
    def get_token(self, *_: str, **__: Any) -> AccessToken:
        return AccessToken("a token", 1 << 40)


@contextmanager
def clients(subscription: Subscription) -> Iterator[Clients]:
    with serving(subscription.answer) as address:
        told: dict[str, Any] = {
            "base_url": address,
            "authentication_policy": SansIOHTTPPolicy(),
            "retry_total": 2,
            "retry_backoff_factor": 0.01,
            "polling_interval": 0,
        }
        yield Clients(
            compute=ComputeManagementClient(_Token(), SUBSCRIPTION, **told), quota=QuotaMgmtClient(_Token(), SUBSCRIPTION, **told)
        )
