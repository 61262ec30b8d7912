"""From what a person typed to a teardown that is ready to plan: whose account, which cluster, which state, which API server."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from scripts.engine import locate
from scripts.engine.checkout import Checkout
from scripts.engine.prepare import lookup_of, workspace_of
from scripts.engine.session import Session
from scripts.engine.show import Show
from scripts.engine.stack_lock import stack_lock
from scripts.engine.stack_settings import settings_of
from scripts.engine.workspace import Workspace
from scripts.errors import BadInput, Failed, Refused
from scripts.teardown import accounts
from scripts.teardown.clouds.choosing import cloud_of
from scripts.teardown.clouds.cloud import Cloud, ClusterFacts
from scripts.teardown.journal import Journal
from scripts.teardown.kube_cluster import connect
from scripts.teardown.model import Target, World
from scripts.teardown.running import Pace
from scripts.teardown.stack_engine import StackEngine
from scripts.teardown.step import Choices, Scene
from scripts.teardown.teardown import Teardown

CLOUDS = ("aws", "gcp", "azure")
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
"""EKS: up to 100 letters, digits, hyphens and underscores after a letter or digit (API reference, CreateCluster); GKE and AKS allow less."""
_REGION = r"[a-z][a-z0-9-]{1,39}"
_ACCOUNT = r"[A-Za-z0-9][A-Za-z0-9.:-]{2,79}"
"""An AWS account's digits, a project's id (an old one has its domain in front), a subscription's UUID."""
_WORDS = {
    "cluster": "letters, digits, hyphens and underscores, 100 at most",
    "region": "small letters, digits and hyphens, such as us-east-1, us-central1-a, eastus2",
    "account": "an account id, a project id or a subscription id",
}
_LOOK_SECONDS = {"real": 15.0, "sandbox": 0.2}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was typed: a stack, or a cluster with its cloud."""

    stack: str | None = None
    cluster: str | None = None
    cloud: str | None = None
    region: str | None = None
    account: str | None = None
    world: World

    def __post_init__(self) -> None:
        if self.stack and self.cluster:
            raise BadInput(f"STACK {self.stack} and --cluster {self.cluster} are both given: leave one of them out.")
        if not self.stack and not self.cluster:
            raise BadInput("Give the STACK that is to end, or, where its state is lost, --cluster NAME with --cloud and --region.")
        if self.cluster and self.cloud not in CLOUDS:
            said = f"--cloud is {self.cloud!r}" if self.cloud else f"--cluster {self.cluster} needs --cloud"
            raise BadInput(f"{said}: give one of {', '.join(CLOUDS)}.")
        if self.cluster and not self.region:
            raise BadInput(f"--cluster {self.cluster} needs --region: a cluster's name is unique in its region only.")
        for option, value, allowed in (
            ("cluster", self.cluster, _NAME),
            ("region", self.region, _REGION),
            ("account", self.account, _ACCOUNT),
        ):
            if value and not re.fullmatch(allowed, value):
                raise BadInput(f"--{option} {value!r} is no name that a cloud gives: {_WORDS[option]}. Nothing was looked at.")
        if self.stack and (self.cloud or self.region or self.account):
            raise BadInput("--cloud, --region and --account go with --cluster: a stack's own file says where it is.")


@dataclass(frozen=True)
class Prepared:
    target: Target
    surroundings: Mapping[str, str]
    here: Checkout
    show: Show

    def lock(self) -> AbstractContextManager[None]:
        """A stack's own lock, so that no `up` builds while its teardown runs; without a stack, one for the cluster."""
        target = self.target
        name = target.stack or f"cluster-{target.cloud}-{target.region}-{target.cluster}"
        return stack_lock(self.here.locks, world=target.world, stack=name, action="teardown")

    def teardown(self, choices: Choices) -> Teardown:
        """Raises Refused, Failed when cloud, token or state cannot be had."""
        cloud = cloud_of(self.target, self.surroundings)
        facts = cloud.cluster()
        engine = self._engine(cloud, facts)
        scene = Scene(
            target=self.target,
            cloud=cloud,
            cluster=None
            if facts is None or choices.without_api
            else connect(facts, self.surroundings, direct=self.target.world == "sandbox"),
            engine=engine,
            cluster_gone=facts is None,
            choices=choices,
        )
        return Teardown(
            scene=scene,
            facts=facts,
            journal=Journal.of(self.here.local, self.target),
            say=self.show.line,
            protected_in_state=engine.protected() if engine is not None else (),
            pace=Pace(look_seconds=_LOOK_SECONDS[self.target.world]),
            wait_line=Waiting(self.show).line,
        )

    def _engine(self, cloud: Cloud, facts: ClusterFacts | None) -> StackEngine | None:
        """The stack's engine; None where its state is lost, which is then a teardown by tags."""
        stack = self.target.stack
        if not stack:
            told_by_name_alone = facts is None or not facts.scope.stack
            if told_by_name_alone and not Journal.of(self.here.local, self.target).open_run():
                self._refuse_elsewhere(cloud, there=facts is not None)
            self._refuse_known(facts)
            return None
        workspace = workspace_of(self.here, self.target.world, locate.show_progress)
        if _lost(workspace, stack):
            self.show.line(f"stack {stack} has nothing in its state: what carries its identity is looked for in the cloud")
            return None
        return StackEngine(workspace, stack, lookup_of(settings_of(self.here, stack), workspace), self.show)

    def _refuse_elsewhere(self, cloud: Cloud, *, there: bool) -> None:
        """K6: what the account has once, such as roles, must not go for a cluster of the same name that lives in another region."""
        places = cloud.namesakes()
        if not places:
            return
        name, region = self.target.cluster, self.target.region
        where, once = ", ".join(places), "what the account has once, such as roles, may be that one's"
        if there:
            raise Refused(
                f"There is a cluster {name} in {region} without a tag of its stack, and one in {where} too: {once}. Tag the cluster in {region} "
                f"with its stack, or delete it by hand. Nothing was changed."
            )
        raise Refused(
            f"There is no cluster {name} in {region}, and one in {where}: {once}. Give --region {places[0]} to end it; what is left in {region} "
            "can be ended once no other cluster has that name. Nothing was changed."
        )

    def _stack_of_name(self) -> str:
        """The stack file here that describes a cluster of this name in this account, where there is just one."""
        wanted = (self.target.cloud, self.target.account, self.target.cluster)
        named = [stack for stack in self.here.stack_names() if _named(self.here, stack) == wanted]
        return named[0] if len(named) == 1 else ""

    def _refuse_known(self, facts: ClusterFacts | None) -> None:
        """A cluster whose stack has a state ends by its stack: the state may hold what no tag tells."""
        stack = facts.scope.stack if facts is not None else self._stack_of_name()
        if stack not in self.here.stack_names():
            return
        try:
            lost = _lost(workspace_of(self.here, self.target.world, locate.show_progress), stack)
        except Failed as error:
            self.show.line(
                f"the state of stack {stack}, whose file is here, cannot be read and is taken as lost, as --cluster says: {error}"
            )
            return
        if not lost:
            raise Refused(
                f"Cluster {self.target.cluster} belongs to stack {stack}, whose file and state are here: run `gpukit teardown {stack}`. "
                f"Nothing was changed."
            )


def _named(here: Checkout, stack: str) -> tuple[str, str, str]:
    """Cloud, account and cluster of a stack file; "" for one that cannot be read, which names nothing."""
    try:
        settings = settings_of(here, stack)
    except BadInput:
        return "", "", ""
    return settings.spec.cloud, str(settings.spec.account), settings.spec.name or stack


def _lost(workspace: Workspace, stack: str) -> bool:
    """Whether the state holds nothing. Raises Failed when it cannot be read: that is no loss yet."""
    state = Session(workspace, stack).state()
    return state is None or (state.empty and not state.pending)


def prepared(here: Checkout, wanted: Wanted, show: Show) -> Prepared:
    """What clients need, and the target. Raises Refused before anything is read when the account is another one."""
    surroundings = _surroundings(here, wanted.world)
    if wanted.stack:
        settings = settings_of(here, wanted.stack)
        spec = settings.spec
        target = Target(
            cloud=spec.cloud, account=str(spec.account), region=settings.region, cluster=spec.name or wanted.stack, world=wanted.world,
            stack=wanted.stack,
        )  # fmt: skip
    else:
        cloud, region = str(wanted.cloud), str(wanted.region)
        account = wanted.account or accounts.of_caller(checkout=here, cloud=cloud, region=region, environment=surroundings)
        target = Target(cloud=cloud, account=account, region=region, cluster=str(wanted.cluster), world=wanted.world)
    if target.world == "real":
        accounts.refuse_other(cloud=target.cloud, account=target.account, region=target.region, name=target.name)
    return Prepared(target, surroundings, here, show)


def _surroundings(here: Checkout, world: World) -> Mapping[str, str]:
    if world == "real":
        return dict(os.environ)
    from scripts.engine.environment import environment as of_sandbox
    from scripts.sandbox.client import World as Sandbox

    return of_sandbox(here, Sandbox.at(here.root).start())


@dataclass
class Waiting:
    """What is waited for: rewritten in place on a terminal, one line a minute elsewhere."""

    show: Show
    _said: float = field(default=0.0)

    def line(self, text: str) -> None:
        now = time.monotonic()
        if self.show.stream.isatty():
            self.show.stream.write(f"\r\033[K{self.show.label} {text}")
            self.show.stream.flush()
        elif now - self._said >= 60:
            self._said = now
            self.show.line(text)
