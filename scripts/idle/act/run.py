"""One run: decide about every cluster, stop when that is too much, then tell and act, one cluster after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scripts.errors import Exit, GpukitError
from scripts.idle.act import deciding, notify, text
from scripts.idle.act.deciding import Case, Subject
from scripts.idle.act.scale import Acting, Done, to_zero
from scripts.idle.act.state import Remembered
from scripts.idle.collect import together
from scripts.idle.collect.together import Asking, Looked
from scripts.idle.intent import Do, Policy, Reach, Strongest
from scripts.idle.verdict import Status, Verdict, verdict

Destroy = Callable[[str], Done]
_DESTROY = "destroy"
Others = Callable[[str], float | None]
"""US dollars per hour of a stack's cluster beside its GPU nodes."""


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What a run may do."""

    reach: Reach
    tell: bool = False
    act: bool = False
    destroy: Destroy | None = None
    before_acting: Callable[[Looked], None] = field(default=lambda _: None)
    """Raises Refused when the credentials are not the account's."""
    simulated: bool = False


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a run found and did."""

    cases: Sequence[Case]
    absent: Sequence[str] = ()
    """Stacks without a cluster: no machine of it bills."""
    stopped: str | None = None
    done: Mapping[str, Done] = field(default_factory=dict[str, Done])
    errors: Sequence[str] = ()
    unread: Sequence[str] = ()
    """Those of `errors` that a stack file is to blame for."""
    dry: bool = True

    @property
    def exit(self) -> Exit:
        """1: stopped by a limit, or machines are left that should be gone. 2: stack files are wrong, and no more. 3: something did not answer."""
        if self.stopped is not None:
            return Exit.NO
        if len(self.errors) > len(self.unread) or any(done.error for done in self.done.values()):
            return Exit.FAILED
        if self.unread:
            return Exit.USAGE
        return Exit.NO if any(done.left for done in self.done.values()) else Exit.FINE


def subjects(looked: Sequence[Looked]) -> list[Subject]:
    return [
        Subject(
            key=each.target.stack,
            cluster=each.cluster,
            policy=each.target.policy,
            notify=each.target.notify,
            discovered=each.target.discovered,
        )
        for each in looked
        if each.there
    ]


def recorded(clusters: Sequence[together.Cluster]) -> list[Subject]:
    """Clusters of a file, with what their stacks allowed when it was written."""
    return [Subject(key=cluster.stack or cluster.name, cluster=cluster, policy=_policy_then(cluster)) for cluster in clusters]


def _policy_then(cluster: together.Cluster) -> Policy:
    allowed = cluster.allowed
    if allowed is None:
        return Policy(known=False)
    return Policy(grace_minutes=allowed.grace_minutes, strongest=Strongest(allowed.strongest_action))


def judge(looked: Sequence[Looked], past: Mapping[str, Remembered], asking: Asking, reach: Reach, unread: Sequence[str]) -> Report:
    """What is the matter and what would follow; changes nothing."""
    mine = [each for each in looked if not each.target.discovered]
    cases = deciding.decide(subjects(mine), past, asking.now, asking.rules)
    others = deciding.decide(subjects([each for each in looked if each.target.discovered]), past, asking.now, asking.rules)
    return Report(
        cases=[*cases, *others],
        absent=[each.target.stack for each in looked if not each.there],
        stopped=deciding.stopped(cases, reach),  # clusters that nothing is done about would widen the share that may be acted upon
        errors=[*unread, *(error for each in looked for error in each.errors)],
    )


def carry_out(report: Report, looked: Sequence[Looked], orders: Orders, acting: Acting, asking: Asking) -> Report:
    """Tell and act as far as `orders` allow. Beyond a limit nothing is touched, and nobody is warned of what will not come."""
    if report.stopped is not None:
        return report
    by_stack = {each.target.stack: each for each in looked}
    done: dict[str, Done] = {}
    errors = list(report.errors)
    for case in report.cases:
        before = acting.store.of_stack(case.key)
        told = False
        if case.worth_telling(before, acting.now):
            told, problems = _tell(case, before, orders)
            errors += problems
        if orders.act and case.intent.do in (Do.SCALE, Do.DESTROY):
            done[case.key] = _act(case, by_stack[case.key], orders, acting, asking)
            if not done[case.key].acted:
                continue
            _, problems = _tell(case, acting.store.of_stack(case.key), orders)
            errors += problems
            told = True
        elif case.intent.do in (Do.SCALE, Do.DESTROY):
            continue  # due, but this run only tells: the grace stays over
        acting.store.write(case.key, deciding.remembered_after(case, acting.store.of_stack(case.key), acting.now, told=told))
    if orders.act:
        done |= {each.target.stack: _go_on(each, orders, acting) for each in looked if _cut_off(each, acting)}
    return Report(cases=report.cases, absent=report.absent, done=done, errors=errors, dry=not orders.act)


def _tell(case: Case, before: Remembered, orders: Orders) -> tuple[bool, list[str]]:
    """Whether it was said to anybody: whoever reads the output hears it where the stack names nobody."""
    restored = case.intent.do is Do.SCALE or before.scaled
    text_ = text.message(case, simulated=orders.simulated, restored=restored)
    problems = notify.tell(case.notify, f"gpukit: {text.title(case)}", text_)
    return len(problems) < len(case.notify) or not case.notify, [f"{case.key}: {problem}" for problem in problems]


def _act(case: Case, looked: Looked, orders: Orders, acting: Acting, asking: Asking) -> Done:
    try:
        orders.before_acting(looked)
    except GpukitError as error:
        return Done(stack=case.key, acted=False, text="nothing was changed", error=str(error))

    def judged_again() -> Verdict:
        fresh = together.again(looked, asking)
        return verdict(fresh.cluster, asking.now, asking.rules)

    if case.intent.do is Do.SCALE:
        return to_zero(looked, case.intent.pools, acting, judged_again)
    if not _still_rests(judged_again()):
        return Done(stack=case.key, acted=False, text="no longer at rest: nothing was destroyed")
    if orders.destroy is None:
        return Done(stack=case.key, acted=False, text="destroying is not possible here")
    return _destroy(case.key, orders.destroy, acting)


def _destroy(stack: str, destroy: Destroy, acting: Acting) -> Done:
    acting.store.write(stack, acting.store.of_stack(stack).model_copy(update={"begun": _DESTROY}))
    done = destroy(stack)
    if done.acted:
        acting.store.write(stack, Remembered())
    return done


def _cut_off(looked: Looked, acting: Acting) -> bool:
    """A destroy that had begun, and whose cluster is gone: what it had left bills on, and no cluster is there to be judged idle (H12)."""
    begun = acting.store.of_stack(looked.target.stack).begun == _DESTROY
    return begun and not looked.there and not looked.errors and looked.target.policy.strongest is Strongest.DESTROY


def _go_on(looked: Looked, orders: Orders, acting: Acting) -> Done:
    stack = looked.target.stack
    try:
        orders.before_acting(looked)
    except GpukitError as error:
        return Done(stack=stack, acted=False, text="nothing was changed", error=str(error))
    if orders.destroy is None:
        return Done(stack=stack, acted=False, text="destroying is not possible here")
    return _destroy(stack, orders.destroy, acting)


def _still_rests(found: Verdict) -> bool:
    return found.resting and found.status in (Status.IDLE, Status.EXPIRED)
