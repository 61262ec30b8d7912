"""Each form of the report: valid by its own schema, and closed to whatever a program writes into its names."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from junitparser import JUnitXml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif
from rich.console import Console

from components.clock import CATALOGUE_DATE
from components.demand import QuotaDemand
from components.inventory import Market
from components.resource import Resource, ResourceSet
from components.unknown import Unknown
from policies import Limits
from policies.finding import Finding, Level, Status, Suppressed
from scripts.check import printing, report_json
from scripts.check.difference import differences
from scripts.check.formats.junit import junit
from scripts.check.formats.markdown import MARKER, MOST_CHARACTERS, markdown, plain
from scripts.check.formats.sarif import sarif
from scripts.check.model import Report, checked
from scripts.check.report import print_report
from scripts.errors import BadInput, Exit
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import QuotaLine, StackPlan

HOSTILE = "x|<script>alert(1)</script>[a](http://evil.example)`$@team\n# head\x1b[31m ~~s~~ <!-- -->"
BY = Yardsticks(now=CATALOGUE_DATE, limits=Limits())
SCHEMA = json.loads((Path(report_json.__file__).with_name("schema.json")).read_text(encoding="utf-8"))


def finding(message: str = "m", status: Status = Status.VIOLATED, level: Level = Level.MANDATORY, name: str = "node") -> Finding:
    urn = f"urn:pulumi:dev::lab::aws:ec2/instance:Instance::{name}"
    return Finding(rule="GPU-EFA-01", status=status, level=level, urn=urn, path="a.b", message=message, failures=("A1",))


def stack(*findings: Finding, machine: str = "p5.48xlarge", name: str = "dev", **changes: Any) -> StackPlan:
    type_ = "aws:ec2/instance:Instance"
    node = Resource(
        urn=f"urn:pulumi:dev::lab::{type_}::node", type=type_, name="node", inputs={"instanceType": machine, "region": "us-east-1"}
    )
    plan = checked(ResourceSet(project="lab", stack="dev", resources=(node,)), BY, source="program")
    code = Exit.NO if any(f.fails for f in findings) else Exit.FINE
    return replace(plan, name=name, findings=findings, exit=code, **changes)


def compared(before: StackPlan, after: StackPlan) -> Report:
    return Report(checked=(after,), base="main (0123456789)", differences=differences((before,), (after,)))


def short_of(limit: float, free: float, need: float) -> QuotaLine:
    demand = QuotaDemand(
        cloud="aws", region="us-east-1", code="L-417A185B", name="Running On-Demand P instances", unit="vCPU",
        market=Market.ON_DEMAND, need=need, pools=("h100",),
    )  # fmt: skip
    return QuotaLine(demand=demand, limit=limit, room=free)


SUPPRESSED = replace(
    finding("Suppressed until 2027-03-01 (cards are kept for storage): m", level=Level.ADVISORY),
    suppressed=Suppressed("cards are kept for storage", date(2027, 3, 1)),
)
REPORTS = {
    "plain": Report(checked=(stack(),)),
    "findings": Report(checked=(stack(finding(), finding(status=Status.UNCHECKED), finding(level=Level.ADVISORY)),)),
    "hostile": Report(checked=(stack(finding(HOSTILE, name=HOSTILE), name=HOSTILE, notes=(HOSTILE,)),)),
    "broken": Report(checked=(StackPlan(name="dev", project="lab", error=HOSTILE, exit=Exit.USAGE),)),
    "compared": compared(stack(finding()), stack(machine="p5en.48xlarge")),
    "quota": Report(checked=(replace(stack(), quota=(short_of(192, 0, 384),)),)),
    "empty": Report(checked=()),
    "suppressed": Report(checked=(stack(SUPPRESSED),)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_sarif_is_valid(name: str) -> None:
    document = sarif(REPORTS[name])
    Sarif.model_validate(document)
    used = {result["ruleId"] for result in document["runs"][0]["results"]}
    assert used == {rule["id"] for rule in document["runs"][0]["tool"]["driver"]["rules"]}


@pytest.mark.parametrize("name", REPORTS)
def test_json_is_valid_by_the_committed_schema(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(report_json.report_json(REPORTS[name]), allow_nan=False)))


@pytest.mark.parametrize("name", REPORTS)
def test_junit_counts_what_it_holds(name: str, tmp_path: Path) -> None:
    text = junit(REPORTS[name])
    (tmp_path / "report.xml").write_text(text, encoding="utf-8")
    read = JUnitXml.fromfile(str(tmp_path / "report.xml"))
    assert sum(1 for suite in read for _ in suite) == read.tests
    assert (read.failures > 0) == any(s.failing for s in REPORTS[name].checked)
    assert (read.errors > 0) == any(s.error for s in REPORTS[name].checked)


def test_a_suppressed_finding_shows_reason_and_last_day_in_every_form() -> None:
    report = REPORTS["suppressed"]
    assert report.exit is Exit.FINE
    console = Console(file=StringIO(), width=200)
    print_report(report, console)
    printed = console.file.getvalue()
    forms = [printed, junit(report), markdown(report), json.dumps(report_json.report_json(report)), json.dumps(sarif(report))]
    assert [form for form in forms if "2027-03-01" not in form or "cards are kept for storage" not in form] == []
    (result,) = sarif(report)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "cards are kept for storage (until 2027-03-01)"}]
    assert not any("suppressions" in other for other in sarif(REPORTS["findings"])["runs"][0]["results"])


def test_an_unknown_that_counts_is_an_error_in_sarif_and_an_unchecked_thing_a_note() -> None:
    results = sarif(Report(checked=(stack(finding(status=Status.UNKNOWN), finding(status=Status.UNCHECKED)),)))["runs"][0]["results"]
    assert [r["level"] for r in results] == ["error", "note"]


def test_a_stack_that_could_not_be_judged_is_no_success_in_any_form() -> None:
    broken = REPORTS["broken"]
    assert sarif(broken)["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert "could not be judged" in markdown(broken)
    assert JUnitXml.fromstring(junit(broken)).errors == 1


@pytest.mark.parametrize("name", ["hostile", "broken"])
def test_a_comment_holds_no_markup_of_the_program(name: str) -> None:
    text = markdown(REPORTS[name])
    assert text.startswith(MARKER)
    for part in ("<script", "](http", "@team", "\n# head", "\x1b", "~~s~~", "<!-- -->"):
        assert part not in text.removeprefix(MARKER)


@given(st.text(max_size=80))
def test_escaped_text_is_one_line_without_markup(text: str) -> None:
    made = plain(text)
    assert "\n" not in made
    assert "<" not in made
    assert "@" not in made
    assert "://" not in made
    assert not any(c in made.replace(f"\\{c}", "") for c in "`|[]*_")


def test_a_comment_never_grows_beyond_what_github_takes_and_says_what_it_lost() -> None:
    many = Report(checked=tuple(stack(*(finding(f"{i}" + "m" * 900, name=f"n{i}") for i in range(60)), name=f"s{n}") for n in range(6)))
    text = markdown(many)
    assert len(text) <= MOST_CHARACTERS
    assert "comments may not be longer" in text


def test_the_change_of_cost_stands_beside_the_cost() -> None:
    report = REPORTS["compared"]
    assert report.differences is not None
    difference = report.differences[0]
    assert difference.before is not None
    assert difference.after is not None
    assert f"({difference.after.maximum - difference.before.maximum:+,.2f})" in markdown(report)


def test_new_and_fixed_findings_are_told_apart() -> None:
    text = markdown(compared(stack(finding()), stack(replace(finding(), path="other"))))
    assert "violated, new" in text
    assert "fixed: GPU-EFA-01" in text
    assert "(1 new)" in text


def test_a_quota_that_is_too_small_comes_with_the_exact_request() -> None:
    text = markdown(REPORTS["quota"])
    assert "Quota too small" in text
    assert "from 192 to at least 576 vCPU" in text


def test_an_unknown_count_is_never_shown_as_a_number() -> None:
    unknown = replace(stack(), quota=(replace(short_of(192, 0, 1), limit=Unknown("limit"), room=Unknown("limit")),))
    row = next(line for line in markdown(Report(checked=(unknown,))).splitlines() if "L-417A185B" in line)
    assert row.endswith("| unknown | unknown |")


def test_files_hold_what_standard_output_would(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {ending: str(tmp_path / f"report{ending}") for ending in printing.ENDINGS}
    printing.write(REPORTS["compared"], list(files.values()))
    for ending, form in printing.ENDINGS.items():
        printing.print_as(form, REPORTS["compared"])
        assert Path(files[ending]).read_text(encoding="utf-8") == capsys.readouterr().out


@pytest.mark.parametrize(("file", "said"), [("report.pdf", "the ending says the form"), ("nowhere/report.md", "is not there")])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_planned(file: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said):
        printing.refuse_unwritable([str(tmp_path / file)])


def test_a_floor_says_what_it_leaves_out() -> None:
    report = Report(checked=(stack(machine="p99.48xlarge"),))
    out = StringIO()
    print_report(report, Console(file=out, width=300))
    assert "at least " in out.getvalue()
    assert "not counted: node: no price for p99.48xlarge" in out.getvalue()
    assert "not counted: node: no price for p99.48xlarge" in markdown(report)


def test_sarif_shows_nothing_that_a_terminal_would_obey() -> None:
    text = json.dumps(sarif(Report(checked=(stack(finding("a\x1b[31m\x07b", name="c\x1bd")),))), ensure_ascii=False)
    assert not any(escape in text for escape in ("\\u001b", "\\u0007"))


def test_a_name_with_the_separator_of_urns_is_shown_whole() -> None:
    report = Report(checked=(stack(finding(name="b::error::x")),))
    out = StringIO()
    print_report(report, Console(file=out, width=300))
    assert " at b::error::x, a.b" in out.getvalue()
    assert " at b::error::x" in junit(report)
    location = sarif(report)["runs"][0]["results"][0]["locations"][0]["logicalLocations"][0]
    assert location["name"] == "b::error::x"


def test_equal_findings_are_told_once_for_people_and_each_for_machines() -> None:
    many = [finding(f"n{at}: too few", name=f"n{at}") for at in range(500)]
    report = Report(checked=(stack(*many, finding("n0: another", name="n0")),))
    out = StringIO()
    print_report(report, Console(file=out, width=300))
    for told in (out.getvalue(), markdown(report)):
        assert told.count("too few") == 1
        assert "also at n1, n2, n3, n4, n5 and 494 more places" in told
        assert "another" in told
    assert "501 findings must be repaired" in out.getvalue()
    assert len(sarif(report)["runs"][0]["results"]) == len(report_json.report_json(report)["stacks"][0]["findings"]) == 501


def test_a_line_names_its_resource_once() -> None:
    report = Report(checked=(stack(finding("node: 0 interfaces")),))
    for told in (markdown(report), junit(report)):
        assert " at node, a.b: 0 interfaces" in told
