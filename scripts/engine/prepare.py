"""From a stack's name to a job: checks that cost nothing first, then engine and world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from components import clock
from components.resource import ResourceSet
from scripts.engine import identity, judgement, locate
from scripts.engine.build import Progress
from scripts.engine.checkout import Checkout
from scripts.engine.lookup import CloudLookup
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action, Job, PolicyPack
from scripts.engine.session import Session
from scripts.engine.show import Show
from scripts.engine.stack_settings import settings_of
from scripts.engine.workspace import Workspace, World, real_workspace
from stacks.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a person asked for."""

    action: Action
    stack: str
    world: World
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """What to judge by instead of the project's own: `quota_snapshot`, `limits`, `prices`."""


def job_of(checkout: Checkout, order: Order, *, show: Show, approve: Callable[[Outcome], bool]) -> Job:
    """The job, ready to run. Raises BadInput for a wrong stack file, Refused for a plan or an account that forbids it."""
    stack = order.stack
    settings = settings_of(checkout, stack)
    if order.world == "real":
        real_workspace(checkout, locate.find())  # without an engine neither credentials nor a plan would help
    if order.world == "real" and order.action != "preview":
        caller = identity.refuse_other_account(
            cloud=settings.spec.cloud, account=settings.spec.account, region=settings.region, stack=stack
        )
        show.line(f"acting as {caller.name} in account {caller.account}")
    judged = _judged(checkout, order, settings, show=show) if order.action in ("up", "preview") else None
    workspace = workspace_of(checkout, order.world, locate.show_progress)
    if judged is not None:
        _refuse_growth(settings, workspace, judged.planned)
    return Job(
        action=order.action,
        stack=stack,
        workspace=workspace,
        lookup=lookup_of(settings, workspace),
        pack=pack_of(workspace, judged.policy_config if judged is not None else None),
        approve=approve,
        show=show,
    )


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """A plan that may go on, and the settings by which the pack judges it again."""

    planned: ResourceSet
    policy_config: Path | None


def _judged(checkout: Checkout, order: Order, settings: Settings, *, show: Show) -> _Judged:
    from scripts.plan.judgement import yardsticks

    show.phase(f"judging the plan of {order.stack} offline")
    by = yardsticks(**order.files)
    account = settings.spec.account
    if by.snapshot is not None and by.snapshot.account not in {None, account}:
        show.line(f"the quota snapshot is of account {by.snapshot.account}, this stack of {account}: it is left out")
    planned = judgement.refuse_if_forbidden(checkout, order.stack, by)
    file = checkout.local / "policies" / f"{order.world}-{order.stack}.json"
    return _Judged(planned=planned, policy_config=judgement.policy_config(by, account, file))


def _refuse_growth(settings: Settings, workspace: Workspace, planned: ResourceSet) -> None:
    """Truth for the lease is the stack file. Only an ended one costs a look at the state."""
    lease = settings.spec.lease
    if lease is not None and lease.expired(clock.now().date()):
        state = Session(workspace, settings.stack).state()
        judgement.refuse_growth(settings.stack, lease.expires, state=state, planned=planned)


def workspace_of(checkout: Checkout, world: World, progress: Progress) -> Workspace:
    """The workspace of `world`. Raises Failed where engine or world cannot be had."""
    if world == "real":
        return real_workspace(checkout, locate.find())
    from scripts.engine.sandbox_workspace import sandbox_workspace

    return sandbox_workspace(checkout, progress)


def pack_of(workspace: Workspace, config: Path | None = None) -> PolicyPack | None:
    """The project's own pack, from where the run works, with its settings where they are not its own."""
    directory = workspace.directory / "policies"
    return PolicyPack(directory=directory, config=config) if (directory / "PulumiPolicy.yaml").exists() else None


def lookup_of(settings: Settings, workspace: Workspace) -> CloudLookup:
    """Who can be asked what exists on the stack's cloud and in its cluster."""
    from scripts.engine.stack_lookup import StackLookup

    return StackLookup(
        cloud=_cloud_lookup(settings, workspace),
        cluster=_cluster_lookup(settings, workspace),
    )


def _cluster_lookup(settings: Settings, workspace: Workspace) -> CloudLookup:
    from scripts.engine.kubernetes_lookup import KubernetesLookup

    direct = workspace.world == "sandbox"
    if settings.spec.cloud != "azure":
        return KubernetesLookup(workspace.environment, direct=direct)
    from scripts.engine.azure_certificate import authority_by

    return KubernetesLookup(workspace.environment, direct=direct, authority=authority_by(workspace.environment))


def _cloud_lookup(settings: Settings, workspace: Workspace) -> CloudLookup:
    match settings.spec.cloud:
        case "aws":
            from scripts.engine.aws_lookup import AwsLookup

            return AwsLookup(stack=settings.stack, region=settings.region, environment=workspace.environment)
        case "gcp":
            from scripts.engine.gcp_lookup import GcpLookup

            return GcpLookup(stack=settings.stack, project=settings.spec.account, region=settings.region, environment=workspace.environment)
        case "azure":
            from scripts.engine.azure_lookup import AzureLookup

            return AzureLookup(
                stack=settings.stack,
                subscription=settings.spec.account,
                environment=workspace.environment,
                look_seconds=0.5 if workspace.world == "sandbox" else 15,
            )
