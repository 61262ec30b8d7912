"""Every reader and every rule of every cloud, whatever a program holds: no crash, no silent pass, no secret in any form of the report."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml
from rich.console import Console

from components.resource import ResourceSet, Secret
from policies import Level, Limits, Status
from policies.readers import READERS
from policies.readers.tokens import read_as
from scripts.check import printing
from scripts.check.model import Report, checked
from scripts.check.report import print_report
from scripts.plan.judgement import Yardsticks
from tests.policies.hostile import CANARY, VALUES, alone, hostile, judged, plausible, seeds, tangled
from tests.policies.mutation import Path, changed, hidden, places
from tests.policies.raw import NOW

TOKENS = sorted(READERS)
BY = Yardsticks(now=NOW, limits=Limits())


def spots(token: str) -> list[tuple[str, Path]]:
    """Every place of the resources of one type, in the program that stands for it."""
    of_type = {r.urn for r in seeds()[token] if read_as(r.type) == token}
    return [spot for spot in places(seeds()[token]) if spot[0] in of_type]


@given(data=st.data(), token=st.sampled_from(TOKENS), value=hostile)
def test_no_value_anywhere_breaks_a_reader_or_rule(data: st.DataObject, token: str, value: Any) -> None:
    judged(changed(seeds()[token], *data.draw(st.sampled_from(spots(token))), value))


@pytest.mark.long
@pytest.mark.parametrize("token", TOKENS)
def test_no_hostile_value_breaks_any_property_of_a_type(token: str) -> None:
    for i, (urn, path) in enumerate(spots(token)):
        for value in VALUES[i % 4 :: 4] if len(path) > 2 else VALUES:
            judged(changed(seeds()[token], urn, path, value))


@given(token=st.sampled_from(TOKENS), data=st.data())
def test_no_resource_beside_others_breaks_a_rule(token: str, data: st.DataObject) -> None:
    keys = st.sampled_from(sorted(plausible(token)))
    stranger = alone(token).resources[0]
    inputs = data.draw(st.dictionaries(keys, hostile, max_size=5))
    host = seeds()[data.draw(st.sampled_from(TOKENS))]
    made = ResourceSet(
        project=host.project, stack=host.stack, resources=(*host, replace(stranger, inputs=inputs, outputs=inputs)), config=host.config
    )
    judged(made)


@pytest.mark.parametrize("part", range(4))
def test_references_in_circles_or_to_nothing_break_no_reader(part: int) -> None:
    for token in TOKENS[part::4]:
        for program in tangled(seeds()[token]):
            judged(program)


@given(data=st.data(), token=st.sampled_from(TOKENS))
def test_what_a_mandatory_rule_cannot_tell_counts_as_a_failure(data: st.DataObject, token: str) -> None:
    for finding in judged(hidden(seeds()[token], *data.draw(st.sampled_from(spots(token))))):
        assert finding.status is not Status.UNKNOWN or finding.fails or finding.level is Level.ADVISORY


@given(data=st.data(), token=st.sampled_from(TOKENS))
@settings(max_examples=20)
def test_a_secret_is_shown_in_no_form_of_the_report(data: st.DataObject, token: str) -> None:
    urn, path = data.draw(st.sampled_from(spots(token)))
    forms = written(changed(seeds()[token], urn, path, data.draw(st.sampled_from([Secret(CANARY), {"name": Secret([CANARY])}]))))
    assert [name for name, text in forms.items() if CANARY in text] == []


@given(data=st.data(), token=st.sampled_from(TOKENS), value=hostile)
@settings(max_examples=20)
def test_every_form_of_the_report_can_be_read_whatever_was_judged(data: st.DataObject, token: str, value: Any) -> None:
    forms = written(changed(seeds()[token], *data.draw(st.sampled_from(spots(token))), value))
    json.loads(forms["json"])
    json.loads(forms["sarif"])
    JUnitXml.fromstring(forms["junit"])
    assert "\x1b" not in "".join(forms.values())
    assert all(text.encode() for text in forms.values())


def written(resources: ResourceSet) -> dict[str, str]:
    """The report on a program in every form."""
    report = Report(checked=(checked(resources, BY, source="program"),))
    console = Console(file=StringIO(), width=200)
    print_report(report, console)
    assert isinstance(console.file, StringIO)
    return {"text": console.file.getvalue()} | {form: printing.text_of(form, report) for form in printing.ENDINGS.values()}
