"""One account and region of AWS as a teardown uses it: clients, errors, whose a thing is, what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components import catalog
from components.costing import HOURS_PER_MONTH
from components.naming import tag_key
from scripts.engine.aws_session import client
from scripts.errors import Failed
from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.model import Scope, Target, Thing

_STACK, _CLUSTER, _KEPT, _POOL = (tag_key("aws", word) for word in ("stack", "cluster", "kept", "pool"))
_BUSY = frozenset(
    {
        "DependencyViolation", "ResourceInUseException", "ResourceInUse", "VolumeInUse", "InvalidIPAddress.InUse", "DeleteConflict",
        "InvalidPlacementGroup.InUse", "InvalidNetworkInterface.InUse", "OperationNotPermitted", "ScalingActivityInProgress", "BadRequest",
        "IncorrectState", "InvalidRequestException", "BucketNotEmpty", "ConcurrentModification", "Throttling", "RequestLimitExceeded",
        "ThrottlingException", "Client.InvalidParameterValue.InUse", "FileSystemInUse", "InvalidSnapshot.InUse", "ConcurrentModificationException",
    }
)  # fmt: skip
"""Something still uses it, or too much was asked at once (API references, error codes: EC2, ELB, EKS, IAM, S3, EFS, EventBridge).

`Client.InvalidParameterValue.InUse` and `BadRequest` (FSx) are unverified: asking again within the step's time is all that follows."""
_GONE = (
    ".NotFound",
    "NotFoundException",
    "NotFound",
    "NoSuchEntity",
    "NoSuchBucket",
    "NonExistentQueue",
    "InvalidPlacementGroup.Unknown",
)
_IN_USE = "in use"
"""EC2 says so of an attached interface, under the code InvalidParameterValue."""


@dataclass
class Account:
    """AWS for one target. `environment` holds credentials and, in the sandbox, the endpoint."""

    target: Target
    environment: Mapping[str, str]
    scope: Scope = field(default_factory=Scope)

    def client(self, service: str, region: str | None = None) -> Any:
        return client(service, region or self.target.region, self.environment)

    def pages(self, service: str, operation: str, result: str, region: str | None = None, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Every item below `result` (JMESPath) of a list operation. Raises Failed."""

        def ask() -> list[dict[str, Any]]:
            return list(self.client(service, region).get_paginator(operation).paginate(**arguments).search(f"{result}[]"))

        yield from (item for item in self.told(f"list by {service} {operation}", ask) or () if item is not None)

    def told(self, purpose: str, ask: Callable[[], Any], *, busy: str = "") -> Any:
        """What `ask` gives; None when it says that there is no such thing. `busy`: a code that means "not yet" here alone. Raises Busy, Failed."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return ask()
        except ClientError as error:
            code, message = str(error.response["Error"]["Code"]), str(error.response["Error"].get("Message", ""))
            if code.endswith(_GONE):
                return None
            if code in _BUSY or code == busy or _IN_USE in message:
                raise Busy(f"{code}: {message}") from error
            raise Failed(f"AWS refused to {purpose}: {error}. The teardown stops here; run it again to go on.") from error
        except BotoCoreError as error:
            raise Failed(f"AWS did not answer when asked to {purpose}: {error}. Run it again to go on.") from error

    def whose(self, tags: Mapping[str, str]) -> str:
        """The tag by which a thing is known to be the target's; "" when it is not.

        Values are compared whole: `train` is not `train-2`. A tag that says `shared`, or names another stack, makes nothing ours.
        """
        if self._another_stack(tags):
            return ""
        cluster = self.target.cluster
        wanted = {
            f"kubernetes.io/cluster/{cluster}": "owned", "aws:eks:cluster-name": cluster, "eks:cluster-name": cluster,
            "elbv2.k8s.aws/cluster": cluster, "cluster.k8s.amazonaws.com/name": cluster,
        }  # fmt: skip
        return self.made_by_us(tags) or _first(wanted, tags)

    def made_by_us(self, tags: Mapping[str, str]) -> str:
        """By gpukit's own tags alone: for kinds that no controller in a cluster ever makes. What others tag for a cluster's use, such as the
        subnets of a network that was there before, is `owned` by many a cluster in words only.
        """
        stack = self.target.stack or self.scope.stack
        if self._another_stack(tags):
            return ""
        return _first({_CLUSTER: self.target.cluster, **({_STACK: stack} if stack else {})}, tags)

    def _another_stack(self, tags: Mapping[str, str]) -> bool:
        stack = self.target.stack or self.scope.stack
        return bool(tags.get(_STACK) and stack and tags[_STACK] != stack)

    def kept(self, tags: Mapping[str, str]) -> str:
        return "data, or what data cannot do without" if _KEPT in tags else ""

    def pool(self, tags: Mapping[str, str]) -> str:
        return tags.get("eks:nodegroup-name") or tags.get(_POOL) or ""

    def hourly(self, service: str, sku: str) -> float | None:
        """Monthly price of something that bills by the hour; None: no price known for this region."""
        figure = catalog.service_price("aws", self.target.region, service, sku)
        return None if figure is None else figure.usd * HOURS_PER_MONTH

    def by_gib(self, service: str, sku: str, gib: float) -> float | None:
        figure = catalog.service_price("aws", self.target.region, service, sku)
        return None if figure is None else figure.usd * gib

    def machine(self, name: str, *, spot: bool) -> float | None:
        """Monthly price of a machine, a spot one at its dearest zone; None: no price known."""
        price = catalog.price("aws", self.target.region, name)
        figure = None if price is None else (price.spot_high or price.on_demand if spot else price.on_demand)
        return None if figure is None else figure.usd * HOURS_PER_MONTH


def _first(wanted: Mapping[str, str], tags: Mapping[str, str]) -> str:
    return next((f"tag {key}={value}" for key, value in wanted.items() if tags.get(key) == value), "")


def tags_of(item: Mapping[str, Any], name: str = "Tags") -> dict[str, str]:
    """Tags as a plain mapping, from a list of pairs in either spelling or from a mapping."""
    found = item.get(name) or ()
    if isinstance(found, Mapping):
        return {str(key): str(value) for key, value in found.items()}
    return {str(tag.get("Key", tag.get("key"))): str(tag.get("Value", tag.get("value", ""))) for tag in found}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How one kind of thing is found and deleted."""

    name: str
    find: Callable[[Account], Sequence[Thing]]
    delete: Callable[[Account, Thing], None]
