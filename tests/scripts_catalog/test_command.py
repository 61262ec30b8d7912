"""`gpukit catalog refresh` from end to end: real clients, servers on the loopback."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from components import catalog
from components.catalog.tables import DATA, rows
from scripts.catalog.refresh import command, report
from scripts.catalog.refresh.command import Addresses, run
from scripts.catalog.refresh.report import SHOWN
from scripts.catalog.refresh.table import prices_of
from scripts.errors import BadInput, Exit

from .doubles import Aws, Azure, Google, meter, product
from .server import Answer
from .test_google import A3

pytestmark = pytest.mark.usefixtures("aws_credentials")

RISE = 1.02
P5 = prices_of(rows("aws_prices"))["p5.48xlarge", "us-east-1", "on_demand"]
FEW = {"aws": ("p4d.24xlarge", "p5.48xlarge", "g5.xlarge", "g5.2xlarge"), "azure": ("Standard_ND96isr_H100_v5",)}
"""Machines that these tests ask for; which ones are asked for really is a test of its own."""


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_prices_are_asked_for_every_accelerator_machine_and_for_what_has_a_price(cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    asked = {machine.name for machine in command._machines(cloud)}

    assert asked >= {machine.name for machine in catalog.machines(cloud) if machine.accelerated}
    assert asked >= {name for _, name in catalog.priced(cloud) if catalog.find_machine(cloud, name)}


def aws_double(**prices: float) -> Aws:
    """Everything of us-east-1 a little dearer than in the catalogue; `prices` (g5_xlarge=0) replaces single ones."""
    listed = {
        row["machine"]: float(row["usd"]) * RISE
        for row in rows("aws_prices")
        if (row["region"], row["market"]) == ("us-east-1", "on_demand")
    }
    listed |= {name.replace("_", "."): usd for name, usd in prices.items()}
    return Aws([product(machine, "us-east-1", usd) for machine, usd in listed.items()])


def refresh(serve, *clouds: str, aws=None, azure=None, google=None, **options: Any) -> Exit:
    where = {
        "aws": serve(aws) if aws else None,
        "azure": serve(azure) if azure else "http://127.0.0.1:1",
        "google": serve(google) if google else "",
    }
    if isinstance(azure, Azure):
        azure.base = where["azure"]
    given = {"regions": [], "out": None, "write": False, "accept": [], "as_json": True, **options}
    return run(clouds=clouds, addresses=Addresses(**where, sleep=lambda _: None), **given)


def table(folder: Path, cloud: str = "aws") -> dict[tuple[str, str, str], dict[str, str]]:
    with (folder / f"{cloud}_prices.csv").open(encoding="utf-8", newline="") as file:
        return {(row["machine"], row["region"], row["market"]): row for row in csv.DictReader(file)}


@pytest.fixture(autouse=True)
def few_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    every = command._machines
    monkeypatch.setattr(command, "_machines", lambda cloud: [m for m in every(cloud) if m.name in FEW.get(cloud, (m.name,))])


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalogue that `--write` writes to."""
    copy = shutil.copytree(DATA, tmp_path / "data")
    monkeypatch.setattr(command, "DATA", copy)
    return copy


def test_without_write_or_out_it_shows_and_writes_nothing(serve, data: Path, capsys) -> None:
    before = {path: path.read_bytes() for path in data.glob("*.csv")}

    assert refresh(serve, "aws", aws=aws_double()) is Exit.FINE

    (document,) = json.loads(capsys.readouterr().out)["clouds"]
    assert document["written"] is None
    assert {change["percent"] for change in document["changes"]} == {2.0}
    assert {path: path.read_bytes() for path in data.glob("*.csv")} == before


def test_write_updates_the_catalogue_with_source_and_day(serve, data: Path) -> None:
    assert refresh(serve, "aws", aws=aws_double(), write=True) is Exit.FINE

    row = table(data)["p5.48xlarge", "us-east-1", "on_demand"]
    assert (float(row["usd"]), row["source"], row["as_of"]) == (pytest.approx(P5 * RISE), "live-aws-price-list", "2026-11-30")
    assert table(data)["p5.48xlarge", "us-east-1", "capacity_block"]["source"] == "capacity-blocks"
    assert "live-aws-price-list" in (data / "sources.csv").read_text(encoding="utf-8")


def test_out_writes_complete_tables_into_a_folder(serve, data: Path, tmp_path: Path) -> None:
    before = (data / "aws_prices.csv").read_bytes()

    assert refresh(serve, "aws", aws=aws_double(), out=str(tmp_path / "new")) is Exit.FINE

    assert len(table(tmp_path / "new")) == len(rows("aws_prices"))
    assert (data / "aws_prices.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"g5_xlarge": 0.0}, "g5.xlarge in us-east-1, on-demand: 0 USD is no price."),
        ({"g5_xlarge": -1.0}, "-1 USD is no price"),
        ({"p5_48xlarge": 10 * P5}, f"{P5:g} before, {10 * P5:g} now: more than 2 times apart"),
        ({"g5_2xlarge": 0.7}, "less than the smaller g5.xlarge"),
    ],
)
def test_one_absurd_price_stops_the_whole_cloud(serve, data: Path, capsys, prices: dict[str, float], said: str) -> None:
    before = (data / "aws_prices.csv").read_bytes()

    assert refresh(serve, "aws", aws=aws_double(**prices), write=True) is Exit.NO

    told = capsys.readouterr()
    assert said in told.err
    assert "so its table stays as it is" in told.err
    assert json.loads(told.out)["clouds"][0]["refused"]
    assert (data / "aws_prices.csv").read_bytes() == before


def test_spot_above_on_demand_stops_the_cloud_until_a_reason_is_given(serve, data: Path, capsys) -> None:
    double = aws_double()
    double.spot = {("p4d.24xlarge", "us-east-1"): {"us-east-1a": 10.0, "us-east-1b": 60.0}}

    assert refresh(serve, "aws", aws=double, write=True) is Exit.NO
    assert "spot 60 above on-demand" in capsys.readouterr().err

    assert refresh(serve, "aws", aws=double, write=True, accept=["p4d.24xlarge=one zone is short of it"]) is Exit.FINE
    row = table(data)["p4d.24xlarge", "us-east-1", "spot"]
    assert (row["usd"], row["usd_high"], row["notes"]) == ("10", "60", "one zone is short of it")
    assert table(data)["p5.48xlarge", "us-east-1", "on_demand"]["notes"] == ""


def test_one_cloud_that_fails_leaves_the_others_to_go_on(serve, data: Path, capsys) -> None:
    h100 = "Standard_ND96isr_H100_v5"
    denied = Answer({"__type": "AccessDeniedException", "message": "no"}, 400)

    code = refresh(serve, "aws", "azure", aws=lambda _: denied, azure=Azure([meter(h100, "eastus", 99.0)]), write=True)
    before = prices_of(rows("azure_prices"))[h100, "eastus", "on_demand"]

    told = capsys.readouterr()
    failed, fine = json.loads(told.out)["clouds"]
    percent = round(100 * (99.0 / before - 1), 1)
    assert code is Exit.FAILED
    assert "pricing:GetProducts" in failed["error"]
    assert failed["written"] is None
    assert fine["changes"] == [
        {"machine": h100, "region": "eastus", "market": "on_demand", "before_usd": before, "after_usd": 99.0, "percent": percent},
    ]
    assert table(data, "azure")[h100, "eastus", "on_demand"]["usd"] == "99"
    assert (data / "aws_prices.csv").read_bytes() == (DATA / "aws_prices.csv").read_bytes()


def test_google_reads_the_families_that_it_knows_and_names_the_rest(serve, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "canary-key")
    double = Google(A3)

    assert refresh(serve, "gcp", google=double) is Exit.FINE

    told = capsys.readouterr()
    (document,) = json.loads(told.out)["clouds"]
    assert {change["machine"] for change in document["changes"]} <= {m.name for m in catalog.machines("gcp") if m.family == "a3-highgpu"}
    assert "a4-highgpu" in document["notes"][0]
    assert double.asked[0].headers["x-goog-api-key"] == "canary-key"
    assert "key" not in double.asked[0].query
    assert "canary-key" not in told.out + told.err


def test_a_refused_key_is_in_no_output(serve, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "canary-key")

    assert refresh(serve, "gcp", google=lambda _: Answer({"error": {"message": "API disabled"}}, 403)) is Exit.FAILED

    told = capsys.readouterr()
    assert "the Cloud Billing API to be enabled" in told.err
    assert "canary-key" not in told.out + told.err


def test_without_a_google_credential_nothing_is_asked(serve, capsys) -> None:
    double = Google(A3)

    assert refresh(serve, "gcp", google=double) is Exit.FAILED
    assert "GOOGLE_API_KEY" in capsys.readouterr().err
    assert double.asked == []


def test_a_price_list_without_any_of_the_machines_is_a_failure(serve, data: Path, capsys) -> None:
    assert refresh(serve, "azure", azure=Azure([]), write=True) is Exit.FAILED
    assert "has nothing for the machines of the catalogue" in capsys.readouterr().err
    assert (data / "azure_prices.csv").read_bytes() == (DATA / "azure_prices.csv").read_bytes()


@pytest.mark.parametrize("item", [{}, {"retailPrice": "much"}, {"effectiveStartDate": "soon"}, {"effectiveStartDate": "2026-01-01"}])
def test_a_price_list_that_changed_its_form_is_a_failure_of_that_cloud_alone(serve, data: Path, capsys, item: dict) -> None:
    odd = {**meter("Standard_ND96isr_H100_v5", "eastus", 98.0), **item}
    if not item:
        del odd["armRegionName"]

    assert refresh(serve, "azure", "aws", azure=Azure([odd]), aws=aws_double(), write=True) is Exit.FAILED

    azure, aws = json.loads(capsys.readouterr().out)["clouds"]
    assert "a form that this version does not read" in azure["error"]
    assert aws["written"]
    assert (data / "azure_prices.csv").read_bytes() == (DATA / "azure_prices.csv").read_bytes()


def test_a_folder_that_cannot_be_written_is_said_and_the_old_table_stays(serve, data: Path, tmp_path: Path, capsys) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    assert refresh(serve, "aws", aws=aws_double(), out=str(blocked)) is Exit.FAILED
    assert "The old table is untouched" in capsys.readouterr().err


def test_the_sandbox_asks_no_real_price_list(capsys) -> None:
    assert run(clouds=[], regions=[], out=None, write=False, accept=[], as_json=True) is Exit.NO

    documents = json.loads(capsys.readouterr().out)["clouds"]
    assert [document["cloud"] for document in documents] == ["aws", "gcp", "azure"]
    assert all("leave --sandbox out" in document["error"] for document in documents)


def test_people_see_the_largest_changes_and_what_happened(serve, capsys) -> None:
    assert refresh(serve, "aws", aws=aws_double(g5_xlarge=1.1), as_json=False) is Exit.FINE

    said = capsys.readouterr().out
    assert "changed, 0 confirmed" in said
    assert said.splitlines()[2].startswith("g5.xlarge")
    assert "nothing was written" in said
    assert max(map(len, said.splitlines())) <= 100


def test_of_many_changes_people_see_the_largest_and_how_many_more_there_are(serve, capsys) -> None:
    h100 = "Standard_ND96isr_H100_v5"
    dearer = [
        meter(h100, row["region"], float(row["usd"]) * RISE)
        for row in rows("azure_prices")
        if (row["machine"], row["market"]) == (h100, "on_demand")
    ]

    assert len(dearer) > SHOWN
    assert refresh(serve, "azure", azure=Azure(dearer), as_json=False) is Exit.FINE
    assert f"{len(dearer) - SHOWN} more; --json lists them all" in capsys.readouterr().out


def test_whoever_writes_into_the_catalogue_is_told_to_renew_its_readme(serve, data: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "DATA", data)

    assert refresh(serve, "aws", aws=aws_double(), write=True, as_json=False) is Exit.FINE
    assert "now run python -m scripts.catalog.readme" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"out": "x", "write": True}, "--out and --write were given together"),
        ({"accept": ["p5.48xlarge"]}, "gives no reason"),
        ({"accept": ["p5.48xlarg=cut"]}, "nearest: p5.48xlarge"),
        ({"regions": ["us-east-1' or 1 eq 1"]}, "is no region"),
        ({"clouds": ["awz"]}, "unknown cloud 'awz'"),
    ],
)
def test_options_that_make_no_sense_are_wrong_usage(options: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"clouds": ["aws"], "regions": [], "out": None, "write": False, "accept": [], "as_json": True, **options}

    with pytest.raises(BadInput, match=said):
        run(**given)
