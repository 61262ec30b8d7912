"""The report as a comment of a pull request: the answer first, then money, quota, findings, and the rest folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from components.demand import ask_for
from components.unknown import Unknown
from policies.finding import Finding, Status
from scripts.check.difference import Difference, PropertyChange, QuotaChange, Sums
from scripts.check.model import Report
from scripts.plan.alike import Alike, alike, said
from scripts.plan.findings_text import unchecked, verdict, where
from scripts.plan.model import QuotaLine, StackPlan
from scripts.plan.money_text import gaps

MARKER = "<!-- gpukit-check -->"
"""First line of the comment; whoever posts it looks for it, to replace the last one in place."""
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536 and refuses the rest of the comment with it."""
MOST_ROWS = 40
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$])")


def markdown(report: Report) -> str:
    """The whole comment, never longer than `MOST_CHARACTERS`: the folded parts go first, and it says so."""
    head = [MARKER, f"### gpukit: {_answer(report)}", "", _base(report), "", *_money(report), *_quota(report), *_findings(report)]
    folded = list(_folded(report))
    text = "\n".join([*head, *folded])
    while folded and len(text) > MOST_CHARACTERS:
        folded.pop()
        text = "\n".join([*head, *folded, "_Parts are left out, as comments may not be longer: `gpukit check` shows all of it._"])
    cut = "\n_Cut off, as comments may not be longer: `gpukit check` shows all of it._\n"
    return text + "\n" if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - len(cut)] + cut


def plain(text: object) -> str:
    """`text` as characters alone: no markup, no HTML, no mention, no link, one line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    escaped = _SPECIAL.sub(r"\\\1", html.escape(line, quote=False))
    return escaped.replace("@", "&#64;").replace("://", "&#58;//").replace("www.", "www&#46;")


def _answer(report: Report) -> str:
    failing = sum(len(s.failing) for s in report.checked)
    broken = sum(s.error is not None for s in report.checked)
    text = verdict(failing, broken, sum(unchecked(s.findings) for s in report.checked))
    fresh = sum(len([f for f in d.new if f.fails]) for d in report.differences or ())
    return f"{text}{f' ({fresh} new)' if fresh and failing else ''}"


def _base(report: Report) -> str:
    count = f"{len(report.checked)} stack{'s' * (len(report.checked) != 1)}"
    return f"{count} judged offline, without credentials." + (f" Compared with {plain(report.base)}." if report.base else "")


def _money(report: Report) -> Iterator[str]:
    rows = [(stack, _of(report, stack.name)) for stack in report.checked if stack.cost is not None]
    if not rows:
        return
    yield from _table(
        ("stack", "USD/hour now", "at maximum", "with surge", "USD/month at maximum"),
        [(plain(stack.name), *_sums(stack, difference)) for stack, difference in rows],
    )
    missing = [f"{plain(stack.name)}, not counted: {plain(gap)}" for stack, _ in rows if stack.cost for gap in gaps(stack.cost)]
    yield from (f"- {line}" for line in missing[:MOST_ROWS])
    if len(missing) > MOST_ROWS:
        yield f"- and {len(missing) - MOST_ROWS} more that are not counted"
    yield from _ages(report)
    yield ""


def _sums(stack: StackPlan, difference: Difference | None) -> tuple[str, ...]:
    assert stack.cost is not None
    after = (stack.cost.now.hourly_usd, stack.cost.max.hourly_usd, stack.cost.surge.hourly_usd, stack.cost.max.monthly_usd)
    partial = (stack.cost.now.partial, stack.cost.max.partial, stack.cost.surge.partial, stack.cost.max.partial)
    before = _before(difference.before) if difference is not None and difference.before is not None else (None,) * 4
    formats = (",.2f", ",.2f", ",.2f", ",.0f")
    return tuple(_figure(*each) for each in zip(after, before, partial, formats, strict=True))


def _before(sums: Sums) -> tuple[float, float, float, float]:
    return sums.now, sums.maximum, sums.surge, sums.monthly


def _figure(after: float, before: float | None, partial: bool, form: str) -> str:
    text = f"{'at least ' if partial else ''}{after:{form}}"
    change = 0.0 if before is None else after - before
    return f"{text} ({change:+{form}})" if abs(change) >= 0.005 else text


def _ages(report: Report) -> Iterator[str]:
    """Where the figures come from and how old they are: a sum of old prices must not look fresh."""
    lines = [line for stack in report.checked if stack.cost is not None for line in stack.cost.lines]
    days = sorted(line.as_of for line in lines if line.as_of is not None)
    undated = sum(line.as_of is None for line in lines)
    if lines:
        span = f"of {days[0]} to {days[-1]}" if days else "without a date"
        yield ""
        yield f"List prices {span}{f', {undated} undated' if undated and days else ''}; the plan names the source of each."


def _quota(report: Report) -> Iterator[str]:
    rows = [(stack.name, line, _quota_change(report, stack.name, line)) for stack in report.checked for line in stack.quota]
    if not rows:
        return
    short = [row for row in rows if _short(row[1])]
    cells = [_quota_row(*row) for row in (short or rows)[:MOST_ROWS]]
    yield "**Quota too small**" if short else "**Quota demand at maximum with surge**"
    yield ""
    yield from _table(("stack", "quota", "needs", "limit", "free"), cells)
    yield from (_request(line) for _, line, _ in short)
    yield ""


def _quota_row(stack: str, line: QuotaLine, change: QuotaChange | None) -> tuple[str, ...]:
    demand = line.demand
    need = demand.need + demand.contested
    was = f" ({need - change.before:+g})" if change is not None and change.before is not None and need != change.before else ""
    quota = f"{plain(demand.name or 'unknown')} {plain(demand.code)}, {plain(demand.region)}"
    return plain(stack), quota, f"{need:g} {plain(demand.unit)}{was}", _maybe(line.limit), _maybe(line.room)


def _short(line: QuotaLine) -> bool:
    room = line.room
    return room is not None and not isinstance(room, Unknown) and line.demand.need + line.demand.contested > room


def _request(line: QuotaLine) -> str:
    """The exact request that would make room."""
    assert not isinstance(line.limit, Unknown | None)
    assert not isinstance(line.room, Unknown | None)
    wanted = line.limit + line.demand.need + line.demand.contested - line.room
    where = f"{plain(line.demand.name)} {plain(line.demand.code)} in {plain(line.demand.region)}"
    text = f"- Request: raise {where} from {line.limit:g} to at least {wanted:g} {plain(line.demand.unit)}"
    if not line.demand.code or isinstance(line.demand.region, Unknown):
        return f"{text}."
    return f"{text}: <code>{plain(ask_for(line.demand, line.demand.region, wanted).command())}</code>"


def _maybe(value: object) -> str:
    if value is None:
        return "unchecked"
    return "unknown" if isinstance(value, Unknown) else f"{value:g}"


def _findings(report: Report) -> Iterator[str]:
    for stack in report.checked:
        if stack.error is not None:
            yield f"**{plain(stack.name)} could not be judged:** {plain(stack.error)}"
            yield ""
            continue
        difference = _of(report, stack.name)
        fresh = {id(each) for each in difference.new} if difference is not None else set[int]()
        failing = [f for f in stack.findings if f.fails]
        groups = [(g, True) for g in alike([f for f in failing if id(f) in fresh])]
        groups += [(g, False) for g in alike([f for f in failing if id(f) not in fresh])]
        for group, new in groups[:MOST_ROWS]:
            yield _finding(stack, group, new=new)
        if len(groups) > MOST_ROWS:
            yield f"- and {sum(1 + len(g.others) for g, _ in groups[MOST_ROWS:])} more findings of {plain(stack.name)}"
    fixed = [(d.stack, f) for d in report.differences or () for f in d.fixed]
    yield from (f"- fixed: {plain(f.rule)} in {plain(stack)}{_at(f)}" for stack, f in fixed[:MOST_ROWS])
    yield ""


def _finding(stack: StackPlan, group: Alike, *, new: bool) -> str:
    finding, also = group.first, group.also()
    state = "unknown" if finding.status is Status.UNKNOWN else str(finding.status)
    return f"- **{plain(finding.rule)}** {state}{', new' if new else ''} in {plain(stack.name)}{_at(finding)}: {plain(said(finding))}{f' ({plain(also)})' if also else ''}"


def _at(finding: Finding) -> str:
    place = plain(where(finding))
    return f" {place}" if place else ""


def _folded(report: Report) -> Iterator[str]:
    for difference in report.differences or ():
        if difference.note:
            yield from _details(f"{plain(difference.stack)}: not compared", [plain(difference.note)])
        elif changes := list(_changes(difference)):
            count = f"{len(difference.added)} added, {len(difference.removed)} removed, {len(difference.changed)} changed"
            yield from _details(f"Resources of {plain(difference.stack)}: {count}", changes)
    for stack in report.checked:
        advice = [f for f in stack.findings if not f.fails]
        lines = [_finding(stack, group, new=False) for group in alike(advice)] + [f"- note: {plain(n)}" for n in stack.notes]
        if lines:
            yield from _details(f"Advice and notes on {plain(stack.name)}: {len(lines)}", lines)
    for stack in report.checked:
        if stack.cost is not None and stack.cost.lines:
            yield from _details(f"Cost lines of {plain(stack.name)}", _cost_lines(stack))


def _changes(difference: Difference) -> Iterator[str]:
    yield from (f"- added {plain(r.type)} {plain(r.name)}" for r in difference.added)
    yield from (f"- removed {plain(r.type)} {plain(r.name)}" for r in difference.removed)
    for change in difference.changed:
        yield f"- changed {plain(change.type)} {plain(change.name)}: {'; '.join(map(_property, change.properties))}"


def _property(change: PropertyChange) -> str:
    return f"{plain(change.path)} from {_value(change.before)} to {_value(change.after)}"


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    text = "unknown" if isinstance(value, Unknown) else str(value)
    return plain(text if len(text) <= 80 else f"{text[:77]}…")


def _cost_lines(stack: StackPlan) -> list[str]:
    assert stack.cost is not None
    rows = [
        (
            f"{plain(line.name)}: {plain(line.what)}",
            *(_maybe(count) for count in (line.now, line.maximum, line.surge)),
            f"{line.usd_per_hour:.4f}",
            f"{plain(line.source)}, {line.as_of or 'undated'}",
        )
        for line in stack.cost.lines
    ]
    return list(_table(("each", "now", "max", "surge", "USD/hour", "price of"), rows))


def _details(summary: str, lines: Sequence[str]) -> Iterator[str]:
    shown = [*lines[:400], *([f"- and {len(lines) - 400} more"] if len(lines) > 400 else [])]
    yield "\n".join(["<details>", f"<summary>{summary}</summary>", "", *shown, "", "</details>"])


_RIGHT = frozenset(
    {"USD/hour now", "at maximum", "with surge", "USD/month at maximum", "needs", "limit", "free", "now", "max", "surge", "USD/hour"}
)
"""Columns of figures."""


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---:' if heading in _RIGHT else '---' for heading in headings)} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _of(report: Report, stack: str) -> Difference | None:
    return next((d for d in report.differences or () if d.stack == stack), None)


def _quota_change(report: Report, stack: str, line: QuotaLine) -> QuotaChange | None:
    difference = _of(report, stack)
    return next((q for q in difference.quota if q.line is line), None) if difference is not None else None
