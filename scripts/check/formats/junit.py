"""The report as JUnit XML, which build servers show as tests: a suite a stack, a case a rule that spoke, one case for all others."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as ET

from policies.finding import Finding
from scripts.check.model import Report
from scripts.plan.alike import said
from scripts.plan.findings_text import where
from scripts.plan.model import StackPlan


def junit(report: Report) -> str:
    root = ET.Element("testsuites", name="gpukit check")
    for stack in report.checked:
        _suite(root, stack)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, stack: StackPlan) -> None:
    suite = ET.SubElement(root, "testsuite", name=_text(stack.name))
    if stack.error is not None:
        case = ET.SubElement(suite, "testcase", classname=_text(stack.name), name="judged")
        ET.SubElement(case, "error", message="not judged").text = _text(stack.error)
    else:
        ET.SubElement(suite, "testcase", classname=_text(stack.name), name="every other rule")
    for rule, found in groupby(sorted(stack.findings, key=lambda f: f.rule), key=lambda f: f.rule):
        _case(suite, stack, rule, list(found))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


def _case(suite: ET.Element, stack: StackPlan, rule: str, found: list[Finding]) -> None:
    """A rule that fails is a failure; one that nobody could check is skipped; advice passes, with its words."""
    case = ET.SubElement(suite, "testcase", classname=_text(stack.name), name=rule)
    failing = [f for f in found if f.fails]
    if failing:
        failure = ET.SubElement(case, "failure", message=_text(f"{len(failing)} to repair"), type=str(failing[0].status))
        failure.text = "\n".join(map(_line, failing))
    elif all(f.status == "unchecked" for f in found):
        ET.SubElement(case, "skipped", message=_text(_line(found[0])))
    advice = [f for f in found if not f.fails]
    if advice:
        ET.SubElement(case, "system-out").text = "\n".join(map(_line, advice))


def _line(finding: Finding) -> str:
    return _text(f"{finding.status} ({finding.level}){where(finding)}: {said(finding)}")


def _text(text: str) -> str:
    """XML 1.0 knows no other control characters than these three, not even escaped."""
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff") else "\ufffd" for c in text
    )
