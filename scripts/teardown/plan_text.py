"""The dry run, as a person reads it."""

from __future__ import annotations

from scripts.counted import counted
from scripts.teardown.model import Thing, usd_text
from scripts.teardown.plan import Plan, Planned

_SHOWN = 8


def text(plan: Plan, *, acting: bool = False) -> str:
    """`acting`: it is about to be done, and is no dry run."""
    lines = [f"Teardown of {plan.target.name}: {plan.target.place}.{'' if acting else ' Dry run: nothing is changed.'}", ""]
    lines += [f"  ! {blocker}" for blocker in plan.preflight.blockers]
    lines += [f"  * {warning}" for warning in plan.preflight.warnings]
    if len(lines) > 2:
        lines.append("")
    for at, planned in enumerate(plan.steps, 1):
        lines += _step(at, planned)
    lines.append("")
    lines.append(f"To end: {counted(len(plan.going), 'thing')} in the cloud{_costing(plan.going)}.")
    if plan.kept:
        lines.append(f"Kept on purpose{_costing(plan.kept)}:")
        lines += [f"  - {thing.label}: {thing.kept}{_costing((thing,))}" for thing in plan.kept]
    if not acting:
        lines.append(_next(plan))
    return "\n".join(lines)


def _step(at: int, planned: Planned) -> list[str]:
    title = f"{at:>2}. {planned.step.title}"
    if planned.left_out:
        return [f"{title}: left out, {planned.left_out}"]
    if planned.after_engine:
        return [f"{title}: what the engine leaves"]
    if not planned.things:
        return [f"{title}: nothing now"]
    shown = [f"      - {thing.label}{_costing((thing,))}" for thing in planned.things[:_SHOWN]]
    more = len(planned.things) - _SHOWN
    rest = [f"      … and {more} more"] if more > 0 else []
    return [f"{title} (at most {planned.step.minutes:g} min)", f"      why: {planned.step.reason}", *shown, *rest]


def _costing(things: tuple[Thing, ...]) -> str:
    price = usd_text(things)
    return f", {price} if left" if price else ""


def _next(plan: Plan) -> str:
    if plan.preflight.blockers:
        return "It would be refused as it stands: see the lines with an exclamation mark."
    if plan.empty:
        return (
            f"Nothing that is to end carries the identity of {plan.target.name} in {plan.target.cloud} account {plan.target.account}, "
            f"{plan.target.region}. If something should, look at the spelling of name and region, and at the account."
        )
    return f"To do it: --yes, and confirm the name {plan.target.name}."
