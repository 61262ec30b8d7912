"""`up`, `preview`, `refresh` and `destroy` of one stack: what comes before, the engine's run, what comes after."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from scripts.counted import counted
from scripts.engine import engine_lock, outcome
from scripts.engine.beside import Beside
from scripts.engine.events import Report, resource_name, resource_type
from scripts.engine.lookup import IN_CLUSTER, CloudLookup, Exists, Leftover
from scripts.engine.outcome import Outcome, lags_behind
from scripts.engine.process import Ended
from scripts.engine.protection import refuse_protected
from scripts.engine.recovering import Recovery
from scripts.engine.session import Session
from scripts.engine.show import Show
from scripts.engine.stack_lock import stack_lock
from scripts.engine.state import PendingOperation, State
from scripts.engine.workspace import Workspace
from scripts.errors import Exit, Refused

Action = Literal["up", "preview", "refresh", "destroy"]
_MOST_NAMED = 10
_DELETED_OUTSIDE = "Something that the state holds may have been deleted outside of gpukit: run `gpukit up {stack}` again, which then reads everything anew first."
SIZED_BY_OTHERS = frozenset({"aws:eks/nodeGroup:NodeGroup"})
"""Types whose size an autoscaler or a schedule writes while the program ignores it."""


@dataclass(frozen=True, kw_only=True)
class PolicyPack:
    """A pack for the run; `config` is the JSON file handed to it."""

    directory: Path
    config: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """One action on one stack, with everything that it needs from outside."""

    action: Action
    stack: str
    workspace: Workspace
    lookup: CloudLookup
    pack: PolicyPack | None
    approve: Callable[[Outcome], bool]
    """Asked with the preview's outcome before anything is changed."""
    show: Show
    holding: bool = False
    """Whether the caller holds the stack's lock already."""

    @property
    def writes(self) -> bool:
        return self.action != "preview"


def act(job: Job) -> Outcome:
    """Do it. Raises Refused, BadInput or Failed when it ends before the engine runs; then nothing was changed."""
    session = Session(job.workspace, job.stack)
    with _lock(job):
        if job.writes:
            _remove_stale_locks(job)
        state = session.state()
        if state is None:
            if job.action in ("refresh", "destroy"):
                return _plain(job, Exit.FINE, f"Stack {job.stack} was never made in this world: nothing to {job.action}.")
            session.make()
        elif job.action == "destroy":
            refuse_protected(state, job.stack)
        recovery = Recovery(session, job.lookup, job.show.line)
        if state is not None and job.writes:
            _recover(job, state, recovery)
        if job.action == "up" and state is not None:
            _read_sizes(session)
        return _run(job, session, _leftovers(job, session), recovery)


def _recover(job: Job, state: State, recovery: Recovery) -> None:
    if state.pending:
        recovery.settle(anew=job.action == "up")
    if job.action == "up":
        recovery.read_all()
        recovery.restore()
    elif job.action == "refresh":
        recovery.see_cluster()


def _run(job: Job, session: Session, leftovers: tuple[Leftover, ...], recovery: Recovery) -> Outcome:
    """Preview, ask, act."""
    preview, report = _engine(job, session, _preview_words(job), _preview_phase(job), preview=True)
    if job.action == "preview" or preview.exit is not Exit.FINE:
        return preview
    _refuse_twins(job, (*leftovers, *_in_cluster(job, session, report)), report)
    job.show.expect(report.steps)
    if not job.approve(preview):
        return _plain(job, Exit.NO, "Not confirmed: nothing was changed.")
    if job.action == "destroy":
        recovery.before_destroy()
    done = _do(job, session)
    if job.action == "destroy" and done.exit is Exit.FINE:
        recovery.after_destroy()
    if job.action == "up" and lags_behind(done):
        recovery.unread.mark()
        return replace(done, message=f"{done.message}\n{_DELETED_OUTSIDE.format(stack=job.stack)}")
    return done


def _do(job: Job, session: Session) -> Outcome:
    return _engine(job, session, _action_words(job), f"{job.action} of {job.stack}", preview=False)[0]


def _engine(job: Job, session: Session, words: list[str], phase: str, *, preview: bool) -> tuple[Outcome, Report]:
    job.show.phase(phase, steps=job.action == "preview" or not preview)
    run = session.run(words, job.show.line)
    ended: Ended = run.follow(job.show.step, job.show.wait)
    job.show.end()
    judged = outcome.outcome(ended, run.report, action=job.action, stack=job.stack, world=job.workspace.world, preview=preview)
    return judged, run.report


def _preview_phase(job: Job) -> str:
    return f"previewing {job.stack}" if job.action == "preview" else f"previewing {job.action} of {job.stack}"


def _preview_words(job: Job) -> list[str]:
    if job.action in ("refresh", "destroy"):
        return [job.action, "--preview-only"]
    return ["preview", *_pack_words(job)]


def _action_words(job: Job) -> list[str]:
    """Without the engine's own preview, after ours: it would write into the same event log and begin it anew.

    Steps of the one would be taken for steps of the other. A protected resource has ended our preview, before anything was deleted.
    """
    return [job.action, "--yes", "--skip-preview", *(_pack_words(job) if job.action == "up" else [])]


def _pack_words(job: Job) -> list[str]:
    if job.pack is None:
        return []
    config = ["--policy-pack-config", str(job.pack.config)] if job.pack.config else []
    return ["--policy-pack", str(job.pack.directory), *config]


def _lock(job: Job) -> AbstractContextManager[None]:
    if not job.writes or job.holding:
        return nullcontext()
    return stack_lock(job.workspace.checkout.locks, world=job.workspace.world, stack=job.stack, action=job.action)


def _remove_stale_locks(job: Job) -> None:
    """Holding our own lock, no other gpukit works on the stack; an engine that was killed has left its lock."""
    directory = job.workspace.state_directory
    if directory is None:
        return
    for lock in engine_lock.remove_stale(directory, project=job.workspace.project, stack=job.stack):
        job.show.line(f"removed the lock of engine process {lock.pid}, which was killed (locked since {lock.since})")
    if engine_lock.drop_broken_attributes(directory, project=job.workspace.project, stack=job.stack):
        job.show.line("removed half-written attributes beside the state: the engine was killed while it saved; the state itself is whole")


def _in_cluster(job: Job, session: Session, preview: Report) -> tuple[Leftover, ...]:
    """What an `up` would make in a cluster that holds it already, by name: the engine would stop at it in the middle, at every `up`."""
    if job.action != "up":
        return ()
    state = session.state() or State({})
    present = {each["urn"] for each in state.resources}
    found: list[Leftover] = []
    for step in preview.intended:
        kind, name = resource_type(step.urn), resource_name(step.urn)
        if kind.startswith(IN_CLUSTER) and step.urn not in present:
            answer = job.lookup.of(PendingOperation("creating", {"urn": step.urn, "type": kind, "inputs": step.inputs}), state)
            found += [Leftover(f"{kind} {id_}", name, (kind,)) for id_ in (answer.ids if isinstance(answer, Exists) else ())]
    return tuple(found)


def _read_sizes(session: Session) -> None:
    """H1: bring the state up to what the autoscaler wrote since.

    Ignoring a change means sending the value of the state again with the next change of the same block: a pool of six nodes whose
    maximum is raised would be sent the number that it was made with, and its jobs would end.
    """
    sized = [str(each["urn"]) for each in session.export().resources if each.get("type") in SIZED_BY_OTHERS]
    if sized:
        session.read_again(sized)


def _leftovers(job: Job, session: Session) -> tuple[Leftover, ...]:
    """What carries the stack's identity and is not in its state, before an `up`.

    Raises Refused when the state is empty: it was lost, or lives in another backend, and a second set would be paid twice.
    """
    if job.action != "up":
        return ()
    state = session.state() or State({})
    found, beside = job.lookup.outside(state), Beside.of(job.workspace, job.stack)
    if not state.empty:
        left_alone = beside.names()
        return tuple(each for each in found if not (each.kept and each.name in left_alone))
    kept, found = tuple(each for each in found if each.kept), tuple(each for each in found if not each.kept)
    if kept:
        job.show.line(f"data that an earlier destroy kept is left as it is, and new data is made beside it:\n{_named(kept)}")
        beside.remember(each.name for each in kept)
    if found:
        raise Refused(
            f"Stack {job.stack} has nothing in its state, but {counted(len(found), 'resource with its identity exists', many='resources with its identity exist')}:\n{_named(found)}\n"
            f"Nothing was changed. Use the backend that holds its state, record them with `pulumi import`, or end them "
            f"(`gpukit teardown {job.stack}` finds them by that identity); then try again."
        )
    return ()


def _refuse_twins(job: Job, leftovers: tuple[Leftover, ...], preview: Report) -> None:
    """A create whose answer was lost leaves a thing and no pending operation; the preview then means to make it once more (H12)."""
    twins = tuple(each for each in leftovers if any((kind, each.resource) in preview.creates for kind in each.types))
    if twins:
        raise Refused(
            f"{job.action} of {job.stack} would make again what exists outside of its state:\n{_named(twins)}\n"
            f"Nothing was changed. Finish a destroy that was cut off (`gpukit destroy {job.stack}`, or `gpukit teardown {job.stack}`, which also "
            f"ends what no state knows), record it with `pulumi import`, or delete it; then try again.{_of_data(twins)}"
        )


def _of_data(twins: tuple[Leftover, ...]) -> str:
    """What else a person can do about data: it may be an earlier destroy's, of which this checkout knows nothing."""
    data = tuple(each for each in twins if each.kept)
    if not data:
        return ""
    return (
        f"\n{len(data)} of them hold data, which a destroy keeps on purpose. Where that is an earlier cluster's, and this one is to get new "
        f"data beside it, take away its tag or label that names the stack (gpukit/stack, on GCP and Azure gpukit-stack): it is nobody's then."
    )


def _named(leftovers: tuple[Leftover, ...]) -> str:
    lines = [f"  - {each.name}" + (f" ({each.resource})" if each.resource else "") for each in leftovers[:_MOST_NAMED]]
    more = len(leftovers) - _MOST_NAMED
    return "\n".join([*lines, *([f"  … and {more} more"] if more > 0 else [])])


def _plain(job: Job, code: Exit, message: str) -> Outcome:
    return Outcome(action=job.action, stack=job.stack, world=job.workspace.world, exit=code, message=message)
