"""Asks AWS, real or simulated (AWS_ENDPOINT_URL), what exists with a stack's identity."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from components.naming import tag_key
from scripts.engine.aws_kinds import LONGEST_SECONDS, REPEATABLE, TAGGED, WAITERS, Arn, Tagged, Waiter, parse_arn, route_id
from scripts.engine.aws_session import client, told
from scripts.engine.lookup import Absent, Answer, CannotTell, Exists, Leftover
from scripts.engine.state import PendingOperation, State

_LOOKS = 2
_GONE = ("ResourceNotFoundException", "NatGatewayNotFound")
_STACK, _RESOURCE, _KEPT = (tag_key("aws", word) for word in ("stack", "resource", "kept"))


class AwsLookup:
    """Questions about `stack` in one account and region. `environment` holds credentials and, in the sandbox, the endpoint."""

    def __init__(self, *, stack: str, region: str, environment: Mapping[str, str]) -> None:
        self._stack = stack
        self._look_seconds = 0.5 if "AWS_ENDPOINT_URL" in environment else 15
        self._sure: float | None = None
        """When what was missed is taken for absent, by the monotonic clock; None before the first miss."""
        self._client: Callable[[str], Any] = lambda service: client(service, region, environment)
        self._by_parent: Mapping[str, Callable[[PendingOperation], Answer]] = {
            "aws:iam/role:Role": self._role,
            "aws:budgets/budget:Budget": self._budget,
            "aws:ec2/route:Route": self._route,
            "aws:ec2/routeTableAssociation:RouteTableAssociation": self._association,
        }

    def of(self, operation: PendingOperation, state: State) -> Answer:
        if operation.type in REPEATABLE:
            return Absent(REPEATABLE[operation.type])
        by_parent = self._by_parent.get(operation.type)
        if by_parent is not None:
            return told("look for what an interrupted run made", lambda: by_parent(operation))
        return self._by_tags(operation, state)

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """A cluster takes ten minutes to come up, and refuses node groups until then; on its way out it refuses everything."""
        waiting = WAITERS.get(operation.type)
        if waiting is None:
            return
        cloud = self._client(waiting.service)
        if operation.kind == "deleting":
            if told(f"see whether {operation.type} {id_} is being deleted", lambda: _leaving(cloud, waiting, id_)):
                self._wait(cloud, waiting.gone, waiting.arguments(id_), f"{operation.type} {id_} is gone")
        else:
            self._wait(cloud, waiting.name, waiting.arguments(id_), f"{operation.type} {id_} is ready")

    def _wait(self, cloud: Any, waiter: str, arguments: Mapping[str, Any], until: str) -> None:
        config = {"Delay": self._look_seconds, "MaxAttempts": int(LONGEST_SECONDS / self._look_seconds)}
        told(f"wait until {until}", lambda: cloud.get_waiter(waiter).wait(**arguments, WaiterConfig=config))

    def outside(self, state: State) -> tuple[Leftover, ...]:
        found = self._tagged({_STACK: self._stack})
        gone = self._ended_instances(found)
        left = [_leftover(arn, tags) for arn, tags in found.items() if arn.text not in gone and not _recorded(arn, state)]
        return tuple(sorted(left, key=lambda leftover: leftover.name))

    def _by_tags(self, operation: PendingOperation, state: State) -> Answer:
        kind = TAGGED.get(operation.type)
        if kind is None:
            return CannotTell(f"gpukit does not know how to look for a {operation.type}")
        tags = cast("Mapping[str, str]", operation.inputs.get("tags") or operation.inputs.get("tagsAll") or {})
        if _RESOURCE not in tags or tags.get(_STACK) != self._stack:
            return CannotTell(f"it was to be made without the identity tags {_STACK} and {_RESOURCE}")
        ids = self._soon(lambda: self._ids(kind, operation, tags[_RESOURCE]) - state.ids)
        return Exists(tuple(sorted(ids))) if ids else Absent()

    def _ids(self, kind: Tagged, operation: PendingOperation, resource: str) -> set[str]:
        found = self._tagged({_STACK: self._stack, _RESOURCE: resource})
        return {kind.id(arn, operation.inputs) for arn in found if kind.matches(arn)}

    def _soon(self, look: Callable[[], set[str]]) -> set[str]:
        """H12: AWS may not show at once what was just made, and what is taken for absent is made, and paid, twice.

        So nothing is absent before the second look after the first miss; one wait counts for all that this search misses.
        """
        found = look()
        if not found and self._sure is None:
            self._sure = time.monotonic() + _LOOKS * self._look_seconds
        while not found and self._sure is not None and time.monotonic() < self._sure:
            time.sleep(self._look_seconds)
            found = look()
        return found

    def _tagged(self, tags: Mapping[str, str]) -> dict[Arn, dict[str, str]]:
        """What carries all of `tags`, with all of its own."""
        filters = [{"Key": key, "Values": [value]} for key, value in tags.items()]

        def ask() -> dict[Arn, dict[str, str]]:
            pages = self._client("resourcegroupstaggingapi").get_paginator("get_resources").paginate(TagFilters=filters)
            items = [item for page in pages for item in page["ResourceTagMappingList"]]
            return {parse_arn(str(item["ResourceARN"])): {str(tag["Key"]): str(tag["Value"]) for tag in item["Tags"]} for item in items}

        return told("list what carries the stack's identity tags", ask)

    def _ended_instances(self, found: Iterable[Arn]) -> frozenset[str]:
        """Instances stay listed for about an hour after their end, and cost nothing any more."""
        instances = {arn.rest: arn.text for arn in found if (arn.service, arn.kind) == ("ec2", "instance")}
        if not instances:
            return frozenset()

        def ask() -> frozenset[str]:
            filters = [{"Name": "instance-id", "Values": sorted(instances)}]
            pages = self._client("ec2").get_paginator("describe_instances").paginate(Filters=filters)
            running = {
                str(instance["InstanceId"])
                for page in pages
                for reservation in page["Reservations"]
                for instance in reservation["Instances"]
                if instance["State"]["Name"] not in ("terminated", "shutting-down")
            }
            return frozenset(arn for name, arn in instances.items() if name not in running)

        return told("see which instances run", ask)

    def _role(self, operation: PendingOperation) -> Answer:
        """Roles are not part of the tagging API; their name is decided before the create."""
        name = operation.inputs.get("name")
        if not isinstance(name, str):
            return CannotTell("its name is not in the state")
        iam = self._client("iam")
        try:
            role = iam.get_role(RoleName=name)["Role"]
        except iam.exceptions.NoSuchEntityException:
            return Absent()
        tags = {str(tag["Key"]): str(tag["Value"]) for tag in role.get("Tags", ())}
        if tags.get(_STACK) != self._stack:
            return CannotTell(f"a role named {name} exists that does not carry this stack's identity")
        return Exists((name,))

    def _budget(self, operation: PendingOperation) -> Answer:
        """Budgets are told apart by their name, which is decided before the create."""
        name, account = operation.inputs.get("name"), self._client("sts").get_caller_identity()["Account"]
        if not isinstance(name, str):
            return CannotTell("its name is not in the state")
        budgets = self._client("budgets")
        try:
            budgets.describe_budget(AccountId=account, BudgetName=name)
        except budgets.exceptions.NotFoundException:
            return Absent()
        return Exists((f"{account}:{name}",))

    def _route(self, operation: PendingOperation) -> Answer:
        table, destination = operation.inputs.get("routeTableId"), operation.inputs.get("destinationCidrBlock")
        if not isinstance(table, str) or not isinstance(destination, str):
            return CannotTell("its route table or destination is not in the state")
        routes = [route for found in self._tables(table) for route in found["Routes"]]
        there = any(route.get("DestinationCidrBlock") == destination for route in routes)
        return Exists((route_id(table, destination),)) if there else Absent()

    def _association(self, operation: PendingOperation) -> Answer:
        table, subnet = operation.inputs.get("routeTableId"), operation.inputs.get("subnetId")
        if not isinstance(table, str) or not isinstance(subnet, str):
            return CannotTell("its route table or subnet is not in the state")
        found = [each for one in self._tables(table) for each in one.get("Associations", ()) if each.get("SubnetId") == subnet]
        return Exists(tuple(str(each["RouteTableAssociationId"]) for each in found)) if found else Absent()

    def _tables(self, table: str) -> list[dict[str, Any]]:
        filters = [{"Name": "route-table-id", "Values": [table]}]
        return list(self._client("ec2").describe_route_tables(Filters=filters)["RouteTables"])


def _leaving(cloud: Any, waiting: Waiter, id_: str) -> bool:
    """Whether a delete was taken and has not ended. What is gone already is not leaving."""
    import jmespath
    from botocore.exceptions import ClientError

    try:
        answer = getattr(cloud, waiting.look)(**waiting.arguments(id_))
    except ClientError as error:
        if error.response["Error"]["Code"] in _GONE:
            return False
        raise
    return jmespath.search(waiting.status, answer) == waiting.leaving


def _leftover(arn: Arn, tags: Mapping[str, str]) -> Leftover:
    types = tuple(token for token, kind in TAGGED.items() if kind.matches(arn))
    return Leftover(arn.text, tags.get(_RESOURCE, ""), types, kept=_KEPT in tags)


def _recorded(arn: Arn, state: State) -> bool:
    return arn.text in state.ids or arn.rest in state.ids or arn.rest.split("/")[-1] in state.ids
