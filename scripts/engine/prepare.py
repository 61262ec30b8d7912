"""From a stack's name to a job: checks that cost nothing first, then engine and world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scripts.engine import identity, judgement, locate
from scripts.engine.build import Progress
from scripts.engine.checkout import Checkout
from scripts.engine.lookup import CloudLookup
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action, Job, PolicyPack
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


def job_of(checkout: Checkout, order: Order, *, show: Show, approve: Callable[[Outcome], bool]) -> Job:
    """The job, ready to run. Raises BadInput for a wrong stack file, Refused for a plan or an account that forbids it."""
    stack = order.stack
    settings = settings_of(checkout, stack)
    if order.world == "real" and order.action != "preview":
        caller = identity.refuse_other_account(
            cloud=settings.spec.cloud, account=settings.spec.account, region=settings.region, stack=stack
        )
        show.line(f"acting as {caller.name} in account {caller.account}")
    if order.action in ("up", "preview"):
        show.phase(f"judging the plan of {stack} offline")
        judgement.refuse_if_forbidden(checkout, stack)
    workspace = workspace_of(checkout, order.world, locate.show_progress)
    return Job(
        action=order.action,
        stack=stack,
        workspace=workspace,
        lookup=lookup_of(settings, workspace),
        pack=pack_of(workspace),
        approve=approve,
        show=show,
    )


def workspace_of(checkout: Checkout, world: World, progress: Progress) -> Workspace:
    """The workspace of `world`. Raises Failed where engine or world cannot be had."""
    if world == "real":
        return real_workspace(checkout, locate.find())
    from scripts.engine.sandbox_workspace import sandbox_workspace

    return sandbox_workspace(checkout, progress)


def pack_of(workspace: Workspace) -> PolicyPack | None:
    """The project's own pack, from where the run works."""
    directory = workspace.directory / "policies"
    return PolicyPack(directory=directory) if (directory / "PulumiPolicy.yaml").exists() else None


def lookup_of(settings: Settings, workspace: Workspace) -> CloudLookup:
    """Who can be asked what exists on the stack's cloud and in its cluster."""
    if settings.spec.cloud != "aws":
        from scripts.engine.no_lookup import NoLookup

        return NoLookup(settings.spec.cloud)
    from scripts.engine.aws_lookup import AwsLookup
    from scripts.engine.kubernetes_lookup import KubernetesLookup
    from scripts.engine.stack_lookup import StackLookup

    return StackLookup(
        cloud=AwsLookup(stack=settings.stack, region=settings.region, environment=workspace.environment),
        cluster=KubernetesLookup(workspace.environment, direct=workspace.world == "sandbox"),
    )
