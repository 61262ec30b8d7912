"""EKS clusters: node groups, the machines that bill, tags, and a token for the cluster's API.

Node groups of GPU machines are pools, by the tag `gpukit/pool`, else by the group's own name.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from components import catalog, idle_tags, naming
from components.inventory import Market
from scripts.engine.aws_session import client
from scripts.errors import Failed
from scripts.idle.collect.found import Endpoint, Found, Sizes, Watched
from scripts.idle.collect.pacing import Paces, Throttled
from scripts.idle.collect.prices import usd_per_hour
from scripts.idle.collect.targets import Target
from scripts.idle.signals import Pool

T = TypeVar("T")

THROTTLES = frozenset({"Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException", "SlowDown"})
"""Error codes that botocore's own retry modes treat as throttling."""
_MARKETS = {"ON_DEMAND": Market.ON_DEMAND, "SPOT": Market.SPOT, "CAPACITY_BLOCK": Market.CAPACITY_BLOCK}
"""EKS API, CapacityTypes."""
_TOKEN_SECONDS = 60
_GONE = "ResourceNotFoundException"


@dataclass(frozen=True)
class Aws:
    """Calls to AWS for one target: the right region, within its rates. `environment` names credentials, or the simulated cloud."""

    target: Target
    environment: Mapping[str, str]
    paces: Paces

    def ask(self, service: str, operation: str, **given: Any) -> Any:
        """One call. Raises ClientError for a refusal, Failed when AWS does not answer."""
        from botocore.exceptions import BotoCoreError, ClientError

        caller = getattr(self._client(service), operation)

        def once() -> Any:
            try:
                return caller(**given)
            except ClientError as error:
                if code_of(error) in THROTTLES:
                    raise Throttled(str(error)) from error
                raise
            except BotoCoreError as error:
                raise Failed(f"AWS did not answer {service} {operation} in {self.target.region}: {error}") from error

        try:
            return self.paces.of(service, "aws", self.target.account, self.target.region).call(once)
        except Throttled as refusal:
            raise Failed(f"AWS goes on refusing {service} {operation} in {self.target.region}: {refusal}") from refusal

    def pages(self, service: str, operation: str, key: str, more_by: str = "nextToken", **given: Any) -> Iterable[Any]:
        """Items of all pages of a listing."""
        more: dict[str, Any] = {}
        while True:
            answer = self.ask(service, operation, **given, **more)
            yield from answer.get(key) or ()
            if not answer.get(more_by):
                return
            more = {more_by: answer[more_by]}

    def _client(self, service: str) -> Any:
        return client(service, self.target.region, self.environment)


def code_of(error: object) -> str:
    """The code of a botocore ClientError."""
    return str(cast("Any", error).response.get("Error", {}).get("Code", ""))


def look(aws: Aws, now: datetime) -> Found:
    """The cluster of the target. Raises Failed when AWS refuses or does not answer; a cluster that is not there is an answer."""
    return told(f"look at cluster {aws.target.cluster}", lambda: _look(aws, now))


def told(purpose: str, ask: Callable[[], T]) -> T:
    """What `ask` gives. Raises Failed for AWS's refusals, in one sentence."""
    from botocore.exceptions import ClientError

    try:
        return ask()
    except ClientError as error:
        raise Failed(f"AWS refused to {purpose}: {error}") from error


def _look(aws: Aws, now: datetime) -> Found:
    from botocore.exceptions import ClientError

    name = aws.target.cluster
    try:
        cluster = aws.ask("eks", "describe_cluster", name=name)["cluster"]
    except ClientError as error:
        if code_of(error) == _GONE:
            return Found(there=False, read_at=now)
        raise
    names = list(aws.pages("eks", "list_nodegroups", "nodegroups", clusterName=name))
    groups = [aws.ask("eks", "describe_nodegroup", clusterName=name, nodegroupName=group)["nodegroup"] for group in names]
    groups = [group for group in groups if _accelerated(group)]
    running = _running(aws, groups)
    return Found(
        there=True,
        read_at=now,
        pools=tuple(_pool(aws.target, group, running) for group in groups),
        machines={pool_of(group): tuple(i for owner in _owners(group) for i in running.get(owner, ())) for group in groups},
        sizes={pool_of(group): _sizes(group) for group in groups},
        watched=_watched(groups),
        tags=dict(cluster.get("tags") or {}),
        endpoint=_endpoint(aws, cluster),
        identity=str(cluster["arn"]),
    )


def _accelerated(group: Mapping[str, Any]) -> bool:
    """Whether the group's machines carry accelerators; a machine that the catalogue does not know may."""
    machines = [catalog.find_machine("aws", name) for name in group.get("instanceTypes") or ()]
    return not machines or any(machine is None or machine.accelerated for machine in machines)


def pool_of(group: Mapping[str, Any]) -> str:
    return str((group.get("tags") or {}).get(naming.tag_key("aws", "pool")) or group["nodegroupName"])


def _sizes(group: Mapping[str, Any]) -> Sizes:
    scaling = group["scalingConfig"]
    return Sizes(
        group=str(group["nodegroupName"]),
        minimum=int(scaling["minSize"]),
        desired=int(scaling["desiredSize"]),
        maximum=int(scaling["maxSize"]),
    )


def _watched(groups: Iterable[Mapping[str, Any]]) -> dict[str, Watched]:
    tagged = ((group, (group.get("tags") or {}).get(idle_tags.SIZES_KEY)) for group in groups)
    return {pool_of(group): Watched(identity=str(group["nodegroupArn"]), text=str(text)) for group, text in tagged if text is not None}


def _running(aws: Aws, groups: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Ids of machines that bill, by scaling group: those in any state but gone. What a node group desires says nothing about what runs."""
    names = [name for group in groups for name in _owners(group)]
    found: dict[str, list[str]] = {}
    for at in range(0, len(names), 50):
        wanted = names[at : at + 50]
        listed = aws.pages("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups", "NextToken", AutoScalingGroupNames=wanted)
        for group in listed:
            billing = [i for i in group.get("Instances") or () if i.get("LifecycleState") not in ("Terminated", "Warmed:Stopped")]
            found[str(group["AutoScalingGroupName"])] = [str(i["InstanceId"]) for i in billing]
    return found


def _owners(group: Mapping[str, Any]) -> list[str]:
    """Scaling groups of a node group."""
    return [str(each["name"]) for each in (group.get("resources") or {}).get("autoScalingGroups") or ()]


def _pool(target: Target, group: Mapping[str, Any], running: Mapping[str, list[str]]) -> Pool:
    machines = [str(name) for name in group.get("instanceTypes") or ()]
    known = [machine for name in machines if (machine := catalog.find_machine("aws", name)) is not None]
    counted = [len(running[owner]) if owner in running else None for owner in _owners(group)]
    market = _market(target, group)
    prices = [usd_per_hour("aws", target.region, name, market) for name in machines]
    scaling = group["scalingConfig"]
    return Pool(
        name=pool_of(group),
        machine=machines[0] if len(machines) == 1 else None,
        market=market,
        gpus_per_node=int(known[0].gpu_count) if len(known) == len(machines) == 1 else None,
        current=None if not counted or None in counted else sum(count for count in counted if count is not None),
        minimum=int(scaling["minSize"]),
        maximum=int(scaling["maxSize"]),
        usd_per_node_hour=None if not prices or None in prices else max(price for price in prices if price is not None),
        opted_out=idle_tags.kept_by(group.get("tags") or {}) is not None,
    )


def _market(target: Target, group: Mapping[str, Any]) -> Market | None:
    """EKS tells blocks and spot from the rest; that a pool's capacity is reserved stands in the stack file alone."""
    told_by_cloud = _MARKETS.get(str(group.get("capacityType")))
    written = target.markets.get(pool_of(group))
    if told_by_cloud is Market.ON_DEMAND and written == Market.RESERVATION:
        return Market.RESERVATION
    return told_by_cloud


def _endpoint(aws: Aws, cluster: Mapping[str, Any]) -> Endpoint | None:
    if not cluster.get("endpoint"):
        return None
    authority = str((cluster.get("certificateAuthority") or {}).get("data") or "")
    return Endpoint(url=str(cluster["endpoint"]), authority=authority, token=lambda: token(aws))


def token(aws: Aws) -> str:
    """A bearer token for the cluster: a presigned question who we are, bound to the cluster's name (aws-iam-authenticator, "API Authorization").

    Raises Failed without credentials.
    """
    from botocore.exceptions import BotoCoreError
    from botocore.signers import RequestSigner

    try:
        sts = client("sts", aws.target.region, aws.environment)
        signer: Any = sts._request_signer  # noqa: SLF001 # the one way to sign with a header of one's own
        presign = cast("Any", RequestSigner)(
            sts.meta.service_model.service_id,
            aws.target.region,
            "sts",
            "v4",
            signer._credentials,  # noqa: SLF001 # see above
            sts.meta.events,
        )
        order = {
            "method": "GET",
            "url": f"https://sts.{aws.target.region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
            "body": {},
            "headers": {"x-k8s-aws-id": aws.target.cluster},
            "context": {},
        }
        url = presign.generate_presigned_url(order, region_name=aws.target.region, expires_in=_TOKEN_SECONDS, operation_name="")
    except BotoCoreError as error:
        raise Failed(f"there are no AWS credentials to make a token for cluster {aws.target.cluster}: {error}") from error
    return "k8s-aws-v1." + base64.urlsafe_b64encode(str(url).encode()).decode().rstrip("=")
