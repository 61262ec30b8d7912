"""What `gpukit check` does: guardrails on stacks, any Python program, a preview, or exported state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.errors import BadInput, Exit

LATER = ("markdown", "sarif", "junit")
"""Formats that have their names already."""


def check(  # noqa: PLR0913 # one parameter an option
    *,
    stacks: Sequence[str],
    program: str | None = None,
    preview: str | None = None,
    state: str | None = None,
    stack: str | None = None,
    format_: str = "text",
    quota_snapshot: str | None = None,
    limits: str | None = None,
    prices: str | None = None,
    timeout_s: float = 300,
    explain: str | None = None,
) -> Exit:
    """Print the findings, or one rule. Raises BadInput for options that do not go together, and for files and rules that are not there."""
    if explain is not None:
        return _explain(explain, as_json=format_ == "json", sources=(*stacks, program, preview, state))
    _refuse_mixed(stacks, {"--program": program, "--preview": preview, "--state": state}, stack)
    _refuse_format(format_)
    from scripts.plan.judgement import yardsticks
    from scripts.plan.terminal import complain, print_json, results

    from .model import Report, report_json
    from .report import print_report
    from .sources import from_preview, from_program, from_stacks, from_state

    by = yardsticks(quota_snapshot=quota_snapshot, limits=limits, prices=prices)
    if program is not None:
        found = (from_program(Path(program), stack, by, timeout_s=timeout_s),)
    elif preview is not None:
        found = (from_preview(Path(preview), by),)
    elif state is not None:
        found = (from_state(Path(state), by),)
    else:
        found = from_stacks(stacks, by)
    report = Report(checked=found)
    if format_ == "json":
        print_json(report_json(report))
    else:
        print_report(report, results())
    for checked in found:
        if checked.error is not None:
            complain(f"{checked.name}: {checked.error}")
    return report.exit


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


def _refuse_mixed(stacks: Sequence[str], sources: dict[str, str | None], stack: str | None) -> None:
    given = [name for name, value in sources.items() if value is not None]
    if len(given) + bool(stacks) > 1:
        raise BadInput(
            f"{', '.join([*given, *(['stack names'] if stacks else [])])} were given together: a check has one source, choose one."
        )
    if stack is not None and sources["--program"] is None:
        raise BadInput("--stack chooses a stack of a --program: name the stacks of this project as arguments.")


def _refuse_format(format_: str) -> None:
    if format_ in LATER:
        raise BadInput(f"--format {format_} is not built yet: use text or json.")
    if format_ not in {"text", "json"}:
        raise BadInput(f"--format {format_} is unknown: use text or json.")
