"""Stacks against their accounts: own usage, shared accounts, accounts that do not answer, and what is asked for once."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from components.demand import Ask, QuotaSnapshot
from components.inventory import Market, NodePool
from policies.finding import Status
from scripts.cli import app
from scripts.errors import BadInput, Exit, Failed, Refused
from scripts.plan.build import plan_stacks
from scripts.plan.model import Plan
from scripts.quota.commands import Options
from scripts.quota.door import Extras, InUse, OpenRequest
from scripts.quota.filing import filed
from scripts.quota.nodes_in_use import RunningNodes
from scripts.quota.quota_json import report_json
from scripts.quota.readings import Gap, Reading, Readings, Wanted, wanted_of, with_own
from scripts.quota.recording import document, save
from scripts.quota.report import QuotaReport, live, quota_findings, recorded
from scripts.quota.text import print_report
from tests.plan.checkout import NOW, ROOT, by_default, copy_of_stacks, edit
from tests.scripts_quota.accounts import P_SPOT, STANDARD, wanting

TRAINING, INFERENCE, ACCOUNT = "aws-training-dev", "aws-inference-dev", "123456789012"
G = "L-DB2E81BA"


@dataclass
class FakeDoor:
    """An account by what it has; asks and requests are counted."""

    limits: dict[str, float]
    usage: dict[str, float] = field(default_factory=dict)
    running: tuple[RunningNodes, ...] = ()
    held: dict[str, OpenRequest] = field(default_factory=dict)
    sent: list[Ask] = field(default_factory=list)
    asked: list[Wanted] = field(default_factory=list)
    refusal: Exception | None = None

    def read(self, wanted: Wanted) -> Readings:
        self.asked.append(wanted)
        if self.refusal is not None:
            raise self.refusal
        found = [
            Reading(cloud="aws", region=region, code=code, name=code, unit="vCPU", limit=self.limits[code], usage=self.usage.get(code, 0.0))
            for region, codes in wanted.items()
            for code in codes
            if code in self.limits
        ]
        missing = [code for codes in wanted.values() for code in codes if code not in self.limits]
        return Readings(
            readings=tuple(found), gaps=tuple(Gap(where="us-east-1", reason=f"no {code}", fix="Look it up.") for code in missing)
        )

    def in_use(self, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
        return InUse(nodes=tuple(nodes for nodes in self.running if nodes.stack in stacks and nodes.region in regions))

    def extras(self, pools: Iterable[NodePool]) -> Extras:
        return Extras(lines=tuple(f"{pool.name}: offered" for pool in pools))

    def open_request(self, ask: Ask) -> OpenRequest | None:
        return self.held.get(ask.code)

    def send(self, ask: Ask) -> OpenRequest:
        self.sent.append(ask)
        self.held[ask.code] = OpenRequest(id="r-1", status="PENDING", value=ask.value)
        return self.held[ask.code]


def plenty(**limits: float) -> FakeDoor:
    return FakeDoor({P_SPOT: 10_000, STANDARD: 10_000, G: 10_000, **{code.replace("_", "-"): limit for code, limit in limits.items()}})


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_stacks(ROOT, [TRAINING, INFERENCE], by_default())


@pytest.fixture
def alone(plan: Plan) -> Plan:
    return replace(plan, stacks=plan.stacks[:1])


def asked(plan: Plan, door: FakeDoor) -> QuotaReport:
    return live(plan, by_default(), lambda *_: door)


def short(report: QuotaReport) -> list[list[str]]:
    return [[f.path for f in quota_findings(stack) if f.status is Status.VIOLATED] for stack in report.stacks]


def printed(report: QuotaReport, *, requests: bool = True) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=300, markup=False, highlight=False), requests=requests)
    return out.getvalue()


def test_room_for_everything_is_fine(plan: Plan) -> None:
    report = asked(plan, plenty())
    assert (report.exit, short(report), report.requests) == (Exit.FINE, [[], []], ())


def test_only_the_quotas_that_stacks_draw_on_are_asked_for_and_once_an_account(plan: Plan) -> None:
    door = plenty()
    asked(plan, door)
    (wanted,) = door.asked
    assert {region: set(codes) for region, codes in wanted.items()} == {"us-east-1": {P_SPOT, STANDARD, G}}


@pytest.mark.failure("J1")
def test_a_shortage_is_a_no_with_the_exact_request(alone: Plan) -> None:
    report = asked(alone, plenty(L_7212CCBC=100))
    assert (report.exit, short(report)) == (Exit.NO, [[P_SPOT]])
    (request,) = report.requests
    assert request.command == (
        "aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-7212CCBC --desired-value 384 --region us-east-1"
    )


@pytest.mark.failure("J1")
def test_nodes_of_the_stack_itself_stand_in_nobodys_way(alone: Plan) -> None:
    own = RunningNodes(stack=TRAINING, cloud="aws", region="us-east-1", machine="p4d.24xlarge", market=Market.SPOT, count=4)
    full = replace(plenty(L_7212CCBC=384), usage={P_SPOT: 384})
    assert short(asked(alone, full)) == [[P_SPOT]]
    assert short(asked(alone, replace(full, running=(own,)))) == [[]]


def test_what_others_use_is_added_to_the_request(alone: Plan) -> None:
    (request,) = asked(alone, replace(plenty(L_7212CCBC=384), usage={P_SPOT: 96})).requests
    assert request.ask.value == 384 + 96


def test_stacks_of_one_account_are_judged_and_asked_for_together(plan: Plan) -> None:
    report = asked(plan, plenty(L_1216C47A=20))
    assert short(report) == [[STANDARD], [STANDARD]]
    (request,) = report.requests
    assert request.ask.value == 32


def test_a_quota_that_was_not_told_is_unknown_and_no_pass(alone: Plan) -> None:
    report = asked(alone, FakeDoor({STANDARD: 100}))
    assert [f.status for f in quota_findings(report.stacks[0])] == [Status.UNKNOWN]
    assert report.exit is Exit.NO
    assert f"not told: us-east-1: no {P_SPOT}. Look it up." in printed(report)


def test_an_account_that_tells_nothing_is_a_failure_and_not_room(alone: Plan) -> None:
    report = asked(alone, FakeDoor({}))
    assert report.exit is Exit.FAILED
    assert f"no {P_SPOT}" in str(report.accounts[0].error)


def test_expired_credentials_of_one_account_take_nothing_from_the_other(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, INFERENCE, 'account: "123456789012"', 'account: "210987654321"')
    both = plan_stacks(root, [TRAINING, INFERENCE], by_default())
    doors = {ACCOUNT: plenty(L_7212CCBC=100), "210987654321": replace(plenty(), refusal=Failed("expired"))}
    report = live(both, by_default(), lambda _, account, __: doors[account])
    assert (report.exit, short(report)) == (Exit.FAILED, [[P_SPOT], []])
    assert [f.status for f in quota_findings(report.stacks[1])] == [Status.UNCHECKED]


def test_what_is_recorded_judges_as_the_account_itself(alone: Plan, tmp_path: Path) -> None:
    own = RunningNodes(stack=TRAINING, cloud="aws", region="us-east-1", machine="p4d.24xlarge", market=Market.SPOT, count=1)
    report = asked(alone, replace(plenty(L_7212CCBC=200), usage={P_SPOT: 96}, running=(own,)))
    snapshot = report.accounts[0].snapshot
    assert snapshot is not None
    save(snapshot, str(tmp_path / "quotas.json"))
    by = replace(by_default(), snapshot=QuotaSnapshot.load(tmp_path / "quotas.json"))
    again = recorded(plan_stacks(ROOT, [TRAINING], by), by)
    assert [f.message for f in quota_findings(again.stacks[0])] == [f.message for f in quota_findings(report.stacks[0])]
    assert [r.command for r in again.requests] == [r.command for r in report.requests]


def test_a_snapshot_holds_limits_and_usage_and_nothing_else_of_the_account(alone: Plan, tmp_path: Path) -> None:
    report = asked(alone, plenty())
    save(report.accounts[0].snapshot or {}, str(tmp_path / "quotas.json"))
    written = json.loads((tmp_path / "quotas.json").read_text())
    assert set(written) == {"schema", "taken", "account", "source", "quotas"}
    assert all(set(row) == {"cloud", "region", "code", "name", "unit", "limit", "usage", "stacks"} for row in written["quotas"])
    assert [path.name for path in tmp_path.iterdir()] == ["quotas.json"]


def test_a_snapshot_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"--save .* cannot be written"):
        save({}, str(tmp_path / "missing" / "quotas.json"))


# --- requests


def test_an_undecided_request_is_not_filed_again(alone: Plan) -> None:
    door = plenty(L_7212CCBC=100)
    door.held[P_SPOT] = OpenRequest(id="r-0", status="PENDING", value=384)
    report = filed(asked(alone, door), contact=None, confirm=lambda _: pytest.fail("nothing is left to ask"))
    assert door.sent == []
    assert "Asked for already for 384: r-0 (PENDING); no second one is filed." in printed(report)


def test_all_requests_are_confirmed_in_one_question_and_filed_as_shown(plan: Plan) -> None:
    door, questions = plenty(L_7212CCBC=100, L_1216C47A=20), list[str]()
    report = asked(plan, door)

    def yes(question: str) -> bool:
        questions.append(question)
        return True

    done = filed(report, contact="ml@example.com", confirm=yes)
    assert questions == ["File 2 quota requests in 123456789012?"]
    assert [(a.code, a.value, a.contact) for a in door.sent] == [(r.ask.code, r.ask.value, "ml@example.com") for r in report.requests]
    assert "Filed: r-1 (PENDING)." in printed(done)


def test_a_no_files_nothing(alone: Plan) -> None:
    door = plenty(L_7212CCBC=100)
    with pytest.raises(Refused, match="nothing was filed: 1 quota request"):
        filed(asked(alone, door), contact=None, confirm=lambda _: False)
    assert door.sent == []


def test_a_request_that_someone_else_filed_meanwhile_is_not_filed_again(alone: Plan) -> None:
    door = plenty(L_7212CCBC=100)
    report = asked(alone, door)
    door.held[P_SPOT] = OpenRequest(id="r-9", status="PENDING", value=500)
    assert filed(report, contact=None, confirm=lambda _: True).requests[0].open == door.held[P_SPOT]
    assert door.sent == []


def test_showing_requests_files_nothing(alone: Plan) -> None:
    door = plenty(L_7212CCBC=100)
    text = printed(asked(alone, door))
    assert "Not filed: add --send to file it." in text
    assert "--desired-value 384" in text
    assert door.sent == []


# --- options and output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"live": True, "snapshot": "x"}, "choose one"),
        ({"save": "x"}, "add --live"),
        ({"send": True}, "give all three"),
        ({"send": True, "request": True}, "give all three"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, object], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUKIT_WORLD")
    with pytest.raises(BadInput, match=told):
        Options(**options)  # pyright: ignore[reportArgumentType] # options by name


def test_the_simulated_world_asks_no_real_account() -> None:
    result = CliRunner().invoke(app, ["quota", TRAINING, "--live"], prog_name="gpukit")
    assert result.exit_code == Exit.USAGE
    assert "--live asks real accounts" in result.output


def test_the_command_prints_json_of_demands_and_requests(tmp_path: Path) -> None:
    rows = [{"cloud": "aws", "region": "us-east-1", "code": code, "limit": 100, "usage": 0} for code in (P_SPOT, STANDARD)]
    file = tmp_path / "quotas.json"
    file.write_text(json.dumps({"schema": "gpukit/quota/1", "taken": "2026-11-30", "account": ACCOUNT, "quotas": rows}))
    result = CliRunner().invoke(app, ["quota", TRAINING, "--snapshot", str(file), "--request", "--json"], prog_name="gpukit")
    document = json.loads(result.stdout)
    assert result.exit_code == Exit.NO
    assert (document["schema"], document["snapshot_of"], document["live"]) == ("gpukit/quota-report/1", "2026-11-30", False)
    assert [(r["code"], r["value"]) for r in document["requests"]] == [(P_SPOT, 384)]


def test_json_of_a_live_report_is_plain(alone: Plan) -> None:
    document = report_json(asked(alone, plenty(L_7212CCBC=100)))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["accounts"][0]["capacity"]


def test_without_a_source_nothing_is_said_to_be_missing(alone: Plan) -> None:
    report = recorded(alone, by_default())
    assert (report.exit, report.requests) == (Exit.FINE, ())
    assert "not known: give --live or --snapshot FILE" in printed(report)


# --- readings


def test_demands_without_a_quota_ask_for_nothing() -> None:
    assert wanted_of([wanting("", 1), wanting(P_SPOT, 1), wanting(P_SPOT, 2), wanting("X", 1, region="us-west-2")]) == {
        "us-east-1": (P_SPOT,),
        "us-west-2": ("X",),
    }


@given(st.floats(0, 1e6), st.dictionaries(st.sampled_from(["a", "b", "c"]), st.floats(0, 1e6)))
@example(0.3, {"a": 0.1, "b": 0.1, "c": 0.1})
def test_own_usage_is_never_more_than_the_account_tells(usage: float, own: dict[str, float]) -> None:
    """Usage metrics come minutes late: a snapshot with more of it than there is would be refused."""
    reading = Reading(cloud="aws", region="r", code="c", name="c", unit="vCPU", limit=1e6, usage=usage)
    (found,) = with_own(Readings(readings=(reading,)), {("r", "c"): own}).readings
    assert sum(found.own.values()) <= usage + 1e-6
    QuotaSnapshot.from_json(document(Readings(readings=(found,)), account="1", taken=NOW.date()))
