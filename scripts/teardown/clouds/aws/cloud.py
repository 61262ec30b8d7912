"""AWS behind the Protocol of a teardown."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager

from scripts.engine.aws_kinds import parse_arn
from scripts.errors import Failed
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws import balancers, cluster_parts, data, machines, network, tagged
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.clouds.cloud import Busy, ClusterFacts
from scripts.teardown.model import Scope, Target, Thing

KINDS: Mapping[str, Kind] = {kind.name: kind for part in (machines, balancers, network, cluster_parts, data, tagged) for kind in part.KINDS}
_NOT_THINGS = frozenset(
    {"security-group-rule", "capacity-reservation", "nodegroup", "addon", "access-entry", "podidentityassociation", "association"}
)
"""Kinds that the tagging API lists and that go with what they are part of, or that bill elsewhere."""


@contextmanager
def _answering() -> Generator[None]:
    """A list that is refused for now, such as by throttling beyond the client's own retries, is no list: what was not seen is not gone."""
    try:
        yield
    except Busy as reason:
        raise Failed(f"AWS did not answer while the target was looked at ({reason}). Run it again to go on.") from reason


class AwsCloud:
    """One target on AWS."""

    def __init__(self, target: Target, environment: Mapping[str, str]) -> None:
        self._account = Account(target, environment)

    def cluster(self) -> ClusterFacts | None:
        with _answering():
            return cluster_parts.facts(self._account)

    def namesakes(self) -> tuple[str, ...]:
        with _answering():
            return cluster_parts.namesakes(self._account)

    def find(self, kinds: Collection[str], scope: Scope) -> tuple[Thing, ...]:
        self._account.scope = scope
        with _answering():
            found = tuple(thing for name, kind in KINDS.items() if name in kinds for thing in kind.find(self._account))
            return found + (self._others(found) if k.OTHER in kinds else ())

    def to_zero(self, pool: Thing) -> None:
        machines.to_zero(self._account, pool)

    def delete(self, thing: Thing) -> None:
        kind = KINDS.get(thing.kind)
        if kind is None:
            raise Failed(f"gpukit does not know how to delete {thing.label}: delete it by hand and run the teardown again.")
        kind.delete(self._account, thing)

    def _others(self, known: tuple[Thing, ...]) -> tuple[Thing, ...]:
        """What carries the identity and is of no kind that was looked for."""
        words = {word for thing in known for word in (thing.id, thing.id.rpartition("/")[2])}
        found: list[Thing] = []
        for each in self._account.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList"):
            arn, tags = parse_arn(str(each["ResourceARN"])), tags_of(each)
            why = self._account.whose(tags)
            if why and arn.kind not in _NOT_THINGS and arn.service + arn.kind not in _LOOKED_FOR and arn.rest not in words:
                found.append(Thing(kind=k.OTHER, id=arn.text, why=why, monthly_usd=None, kept=self._account.kept(tags)))
        return tuple(found)


_LOOKED_FOR = frozenset(
    {
        "ec2instance", "ec2volume", "ec2network-interface", "ec2vpc", "ec2subnet", "ec2security-group", "ec2natgateway", "ec2elastic-ip",
        "ec2internet-gateway", "ec2route-table", "ec2vpc-endpoint", "ec2launch-template", "ec2placement-group", "ekscluster", "kmskey",
        "fsxfile-system", "s3", "iamoidc-provider", "iamrole", "elasticloadbalancingloadbalancer", "elasticloadbalancingtargetgroup",
        "sqs", "eventsrule", "iaminstance-profile", "ec2snapshot", "elasticfilesystemfile-system", "budgetsbudget",
        "cloudwatchalarm", "lambdafunction", "sns",
    }
)  # fmt: skip
"""Service and kind of what has a list of its own, which is newer than the tagging API's."""
