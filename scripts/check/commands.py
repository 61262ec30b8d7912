"""What `gpukit check` does: guardrails on stacks, any Python program, a preview, or exported state."""

from __future__ import annotations

from collections.abc import Sequence

from components.refusals import nearest
from scripts.errors import BadInput, Exit, GpukitError

FORMATS = ("text", "json", "markdown", "sarif", "junit")


def check(  # noqa: PLR0913 # one parameter an option
    *,
    stacks: Sequence[str],
    program: str | None = None,
    preview: str | None = None,
    state: str | None = None,
    stack: str | None = None,
    base: str | None = None,
    format_: str = "text",
    quota_snapshot: str | None = None,
    limits: str | None = None,
    prices: str | None = None,
    timeout_s: float = 300,
    explain: str | None = None,
    emit: str | None = None,
    write: Sequence[str] = (),
) -> Exit:
    """Print the findings, one rule, or the limits as a cloud's own document. Raises BadInput for options that do not go together, and for files and rules that are not there."""
    if explain is not None:
        return _explain(explain, as_json=format_ == "json", sources=(*stacks, program, preview, state))
    if emit is not None:
        return _emit(emit, limits, sources=(*stacks, program, preview, state, base, quota_snapshot, prices))
    _refuse_mixed(stacks, {"--program": program, "--preview": preview, "--state": state}, stack)
    _refuse_format(format_)
    from scripts.plan.judgement import yardsticks
    from scripts.plan.terminal import complain

    from . import printing
    from .sources import Sources, not_judged, report

    printing.refuse_unwritable(write)
    by = yardsticks(quota_snapshot=quota_snapshot, limits=limits, prices=prices)
    asked = Sources(stacks=tuple(stacks), program=program, preview=preview, state=state, stack=stack, base=base, timeout_s=timeout_s)
    try:
        found = report(asked, by)
    except GpukitError as error:
        if format_ != "text":  # a machine that waits for a document gets one; people read the error alone
            printing.print_as(format_, not_judged(asked, error))
        raise
    printing.print_as(format_, found)
    printing.write(found, write)
    for checked in found.checked:
        if checked.error is not None:
            complain(f"{checked.name}: {checked.error}")
    return found.exit


def _explain(rule: str, *, as_json: bool, sources: Sequence[str | None]) -> Exit:
    if any(source is not None for source in sources):
        raise BadInput("--explain prints a rule and judges nothing: leave stacks and sources out.")
    from policies.explain import described, find, text
    from scripts.plan.terminal import print_json, results

    try:
        found = find(rule)
    except LookupError as error:
        raise BadInput(f"{error}") from None
    if as_json:
        print_json(described(found))
    else:
        results().print(text(found), markup=False, highlight=False, soft_wrap=True)
    return Exit.FINE


def _emit(kind: str, limits: str | None, *, sources: Sequence[str | None]) -> Exit:
    if any(source is not None for source in sources):
        raise BadInput("--emit prints the limits and judges nothing: give --limits at most, leave stacks, sources and other files out.")
    from scripts.plan.judgement import yardsticks

    from .emit import commands

    return commands.emit(kind, yardsticks(limits=limits).limits)


def _refuse_mixed(stacks: Sequence[str], sources: dict[str, str | None], stack: str | None) -> None:
    given = [name for name, value in sources.items() if value is not None]
    if len(given) + bool(stacks) > 1:
        raise BadInput(
            f"{', '.join([*given, *(['stack names'] if stacks else [])])} were given together: a check has one source, choose one."
        )
    if stack is not None and sources["--program"] is None:
        raise BadInput("--stack chooses a stack of a --program: name the stacks of this project as arguments.")


def _refuse_format(format_: str) -> None:
    if format_ not in FORMATS:
        near = nearest(format_, FORMATS)
        raise BadInput(f"--format {format_} is unknown{f', did you mean {near}?' if near else ''}: use one of {', '.join(FORMATS)}.")
