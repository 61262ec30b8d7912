"""A pull request that doubles a pool of p5: what it costs at most now, the quota that is missing with the request for it, and exit code 1."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from components.catalog import price
from components.clock import CATALOGUE_DATE
from policies import Limits
from scripts.check import picture, report_json
from scripts.check.formats.junit import junit
from scripts.check.formats.markdown import markdown
from scripts.check.formats.sarif import sarif
from scripts.check.model import Report
from scripts.check.report_json import report_json as as_json
from scripts.check.sources import Sources, report
from scripts.engine import checkout
from scripts.errors import Exit
from scripts.plan.build import plan_stacks
from scripts.plan.judgement import Yardsticks
from scripts.plan.plan_json import plan_json
from tests.plan.checkout import copy_of_stacks

from .test_base import git

FIXTURE = Path(__file__).parent / "fixtures" / "lab"
STACK, MACHINE, CODE = picture.STACK, "p5.48xlarge", "L-417A185B"
VCPUS = 192
SCHEMA = json.loads(Path(report_json.__file__).with_name("schema.json").read_text(encoding="utf-8"))


def by(limit: float) -> Yardsticks:
    """No ceilings; a snapshot in which only the quota of P instances is short."""
    return Yardsticks(now=CATALOGUE_DATE, limits=Limits(), snapshot=picture.snapshot(limit))


@dataclass(frozen=True)
class Change:
    """The report on the change, and how many nodes an update adds for a while."""

    after: Report
    surge: int


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Change:
    """Our own stack file, bought on demand; its base is the plan that was saved before."""
    root = copy_of_stacks(tmp_path_factory.mktemp("checkout"))
    picture.edited(root, *picture.EDITS)
    yardsticks = by(4 * VCPUS)
    saved = root / "base.json"
    saved.write_text(json.dumps(plan_json(plan_stacks(root, [STACK], yardsticks))), encoding="utf-8")
    picture.edited(root, picture.GROWTH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkout, "here", lambda: checkout.Checkout(root))
        after = report(Sources(stacks=(STACK,), base=str(saved)), yardsticks)
    return Change(after, surge=0)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Change:
    """Someone's program of raw resources; its base is the last commit. EKS brings two nodes more while it updates a group."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(FIXTURE, root, dirs_exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "four nodes")
    yardsticks = by(6 * VCPUS)
    program = root / "__main__.py"
    program.write_text(program.read_text(encoding="utf-8").replace("MOST_NODES = 4", "MOST_NODES = 8"), encoding="utf-8")
    return Change(report(Sources(program=str(root), base="main"), yardsticks), surge=2)


@pytest.fixture(params=["own", "raw"])
def change(request: pytest.FixtureRequest) -> Change:
    return request.getfixturevalue(request.param)


@pytest.mark.failure("J1")
def test_the_base_passes_and_the_change_fails_for_its_quota_alone(change: Change) -> None:
    assert change.after.exit is Exit.NO
    assert change.after.differences is not None
    [difference] = change.after.differences
    assert not [f for f in (*difference.fixed, *difference.still) if f.fails]
    [stack] = change.after.checked
    assert [(f.rule, f.status) for f in stack.failing] == [("GPU-QUOTA-01", "violated")]


def test_the_maximum_grows_by_four_machines(change: Change) -> None:
    prices = price("aws", "us-east-1", MACHINE)
    assert prices is not None
    assert prices.on_demand is not None
    assert change.after.differences is not None
    [difference] = change.after.differences
    assert difference.before is not None
    assert difference.after is not None
    assert difference.after.maximum - difference.before.maximum == pytest.approx(4 * prices.on_demand.usd, abs=1)
    assert difference.after.now == pytest.approx(difference.before.now)


def test_the_comment_says_the_maximum_its_change_and_the_exact_request(change: Change) -> None:
    text = markdown(change.after)
    [stack] = change.after.checked
    assert stack.cost is not None
    assert f"{stack.cost.max.hourly_usd:,.2f} (+" in text
    wanted = (8 + change.surge) * VCPUS
    command = f"aws service-quotas request-service-quota-increase --service-code ec2 --quota-code {CODE} --desired-value {wanted}"
    assert command in text.replace("\\", "")
    assert f"needs {wanted} vCPU" in text
    assert f"(+{4 * VCPUS})" in text


def test_the_figures_carry_source_and_day(change: Change) -> None:
    [stack] = change.after.checked
    assert stack.cost is not None
    assert all(line.source for line in stack.cost.lines)
    machine = next(line for line in stack.cost.lines if MACHINE in line.what)
    assert machine.as_of is not None
    assert f"{machine.as_of}" in markdown(change.after)


def test_only_the_maximum_is_changed(change: Change) -> None:
    assert change.after.differences is not None
    [difference] = change.after.differences
    assert not difference.added
    assert not difference.removed
    paths = {p.path for each in difference.changed for p in each.properties if not re.search("tags", p.path)}
    assert "scalingConfig.maxSize" in paths
    assert [f.rule for f in difference.new if f.fails] == ["GPU-QUOTA-01"]


def test_every_form_of_the_report_is_valid(change: Change) -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(as_json(change.after), allow_nan=False)))
    Sarif.model_validate(sarif(change.after))
    assert JUnitXml.fromstring(junit(change.after)).failures == 1


def words(text: str) -> list[str]:
    """The picture's text with every figure alike and white space gone: prices may be renewed, columns grow with them."""
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", text)
    return re.sub(r"[\d.,]+", "0", " ".join(shown)).split()


def test_the_picture_in_the_readme_is_the_comment_of_this_change(own: Change) -> None:
    current = picture.svg(markdown(replace(own.after, base="main")))
    committed = picture.PICTURE.read_text(encoding="utf-8")
    ET.fromstring(committed)  # noqa: S314 - our own file
    assert words(committed) == words(current), "run: python -m scripts.check.picture"


def test_the_picture_hides_what_is_folded_and_the_marks_of_markdown(own: Change) -> None:
    said = [line.text for line in picture.lines(markdown(own.after))]
    assert any(line.startswith("▸ Cost lines") for line in said)
    assert not any("price of" in line or "<" in line or "**" in line or "\\" in line for line in said)
    assert max(map(len, said)) <= picture.COLUMNS
