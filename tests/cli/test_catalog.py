"""`gpukit catalog`: filters, order, both forms of output, and what a wrong name gets."""

import json
import re

import pytest
import typer
from typer.testing import CliRunner, Result

from components import catalog
from scripts.catalog.commands import app as catalog_app
from scripts.cli_group import Gpukit

ROOT = typer.Typer(cls=Gpukit, rich_markup_mode=None)
ROOT.add_typer(catalog_app, name="catalog")
ROOT.callback()(lambda: None)

LISTS = ("machines", "gpus", "prices", "quotas", "drivers", "charts")
WIDTH = 100


def run(*arguments: str) -> Result:
    return CliRunner().invoke(ROOT, ["catalog", *arguments])


def rows(*arguments: str) -> list[dict]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["rows"]


@pytest.mark.parametrize("listing", LISTS)
def test_a_table_fits_a_terminal_of_100_columns(listing: str) -> None:
    done = run(listing)

    assert done.exit_code == 0, done.output
    assert max(len(line) for line in done.stdout.splitlines()) <= WIDTH


@pytest.mark.parametrize(
    ("listing", "headings"),
    [
        ("machines", ["accelerator", "count", "GiB each", "vCPU", "fabric", "USD/h from", "age"]),
        ("gpus", ["model", "architecture", "CC", "GiB", "GB/s", "BF16", "FP8", "NVLink", "MIG", "W", "age"]),
        ("prices", ["machine", "region", "market", "USD/h", "dearest", "as of", "age"]),
        ("quotas", ["code", "name", "unit", "market", "new account", "age"]),
        ("charts", ["chart", "version", "newer seen", "repository", "age"]),
    ],
)
def test_no_column_is_squeezed_out(listing: str, headings: list[str]) -> None:
    assert re.search(r" +".join(headings) + "$", run(listing).stdout.splitlines()[0].rstrip())


def test_no_price_is_cut_to_fit() -> None:
    """Half a number is a wrong one: names fold, figures do not."""
    printed = run("prices", "--cloud", "azure").stdout
    shown = {line.split()[-3] for line in printed.splitlines() if line.startswith("azure")}

    assert shown
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in shown)
    figures = {f"{row['usd']:.4f}" for row in rows("prices", "--cloud", "azure") if row["usd"] < 10}
    assert figures <= set(printed.split())


@pytest.mark.parametrize("listing", LISTS)
def test_json_has_a_versioned_schema_and_every_row_says_how_old_it_is(listing: str) -> None:
    document = json.loads(run(listing, "--json").stdout)

    assert document["schema"] == f"gpukit/catalog/{listing}/1"
    assert document["rows"]
    assert all(row["source"] and (row["as_of"] == "undated") == (row["age_days"] is None) for row in document["rows"])


def test_a_table_says_undated_where_a_source_gives_no_day() -> None:
    assert "undated" in run("gpus").stdout


def test_a_machine_without_a_price_has_no_age_of_one() -> None:
    line = next(line for line in run("machines", "--cloud", "aws").stdout.splitlines() if " f2.6xlarge " in line)

    assert "undated" not in line


def test_every_accelerator_machine_is_listed_and_no_other() -> None:
    assert {row["name"] for row in rows("machines")} == {m.name for m in catalog.machines() if m.accelerated}


def test_cpu_machines_are_listed_when_asked_for() -> None:
    assert "m7i.large" in {row["name"] for row in rows("machines", "--cloud", "aws", "--cpu")}


def test_filters_narrow_together() -> None:
    found = rows("machines", "--cloud", "aws", "--gpu", "h100", "--rdma", "--region", "us-east-1", "--spot")

    assert found
    for row in found:
        machine = catalog.machine("aws", row["name"])
        assert machine.fabric == "efa"
        assert "H100" in (machine.gpu_model or "")
        assert machine.spot
        assert row["price_region"] in ("us-east-1", None)


def test_memory_is_that_of_each_accelerator() -> None:
    assert {row["gpu_memory_gib"] >= 180 for row in rows("machines", "--min-memory", "180")} == {True}


def test_an_unknown_price_is_not_below_any_bound() -> None:
    names = {row["name"] for row in rows("machines", "--max-usd", "5")}

    assert "g5.xlarge" in names
    assert "p6e-gb200.36xlarge" not in names
    assert all(row["usd_per_hour"] <= 5 for row in rows("machines", "--max-usd", "5"))


def test_spot_prices_are_those_of_the_dearest_zone() -> None:
    price = catalog.price("aws", "us-east-1", "p4d.24xlarge")
    found = {row["name"]: row for row in rows("machines", "--cloud", "aws", "--gpu", "A100", "--spot", "--region", "us-east-1")}

    assert price is not None
    assert price.spot_high is not None
    assert found["p4d.24xlarge"]["usd_per_hour"] == price.spot_high.usd


def test_where_a_row_does_not_say_whether_spot_is_sold_a_spot_price_does() -> None:
    found = {row["name"] for row in rows("machines", "--cloud", "azure", "--spot")}

    assert "Standard_ND96isr_H100_v5" in found
    assert "Standard_ND128isr_GB300_v6" not in found


def test_rows_are_ordered_by_any_key_and_unknown_values_come_last() -> None:
    prices = [row["usd_per_hour"] for row in rows("machines", "--sort", "usd_per_hour")]
    known = [usd for usd in prices if usd is not None]

    assert known == sorted(known)
    assert prices[len(known) :] == [None] * (len(prices) - len(known))
    assert len(known) < len(prices)


def test_a_minus_turns_the_order_around() -> None:
    counts = [row["vcpus"] for row in rows("machines", "--cloud", "gcp", "--sort", "-vcpus")]

    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("machines", "--cloud", "awz"), "--cloud: unknown cloud 'awz'; nearest: aws, azure; allowed: aws, gcp, azure"),
        (("machines", "--gpu", "H1000"), "unknown accelerator 'H1000'; nearest: .*H100"),
        (("prices", "--region", "us-east-9"), "unknown region 'us-east-9'; nearest: us-east"),
        (("machines", "--sort", "usd"), "unknown column 'usd'.*allowed: cloud, name"),
        (("prices", "p5.48xlarg"), "unknown machine 'p5.48xlarg'; nearest: p5.48xlarge"),
        (("quotas", "p5.48xlarg"), "nearest: p5.48xlarge"),
        (("explain", "a3-highgpu-8"), "nearest: a3-highgpu-8g"),
        (("explain", "p5.48xlarge", "--cloud", "gcp"), "unknown machine 'p5.48xlarge'"),
        (("drivers", "--driver", "R580"), "'R580' is no driver version"),
    ],
)
def test_a_wrong_name_is_wrong_usage_and_gets_the_nearest(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)

    assert done.exit_code == 2
    assert re.search(said, done.stderr)
    assert done.stdout == ""


def test_prices_of_a_machine_name_each_way_of_buying_it() -> None:
    found = {row["market"]: row for row in rows("prices", "p5.48xlarge", "--region", "us-east-1")}

    assert set(found) == {"on_demand", "spot", "capacity_block"}
    price = catalog.price("aws", "us-east-1", "p5.48xlarge")
    assert price is not None
    assert price.on_demand is not None
    assert found["on_demand"]["usd"] == price.on_demand.usd
    assert found["spot"]["usd_high"] is None or found["spot"]["usd_high"] > found["spot"]["usd"]


def test_prices_without_a_price_are_listed_as_missing() -> None:
    listed = {row["machine"]: row["missing"] for row in rows("prices", "--missing")}
    priced = {(cloud, name) for cloud in ("aws", "gcp", "azure") for _, name in catalog.priced(cloud)}
    without = {m.name for m in catalog.machines() if m.accelerated and (m.cloud, m.name) not in priced}

    assert {name for name, gap in listed.items() if gap == "of any kind"} == without
    assert listed["p5e.48xlarge"] == "on demand"
    assert "p5.48xlarge" not in listed


def test_missing_prices_of_a_cpu_machine_can_be_asked_for_by_name() -> None:
    assert [row["machine"] for row in rows("prices", "a1.large", "--missing")] == ["a1.large"]


def test_services_of_a_region_are_listed_with_their_units() -> None:
    found = {(row["service"], row["sku"]): row for row in rows("prices", "--services", "--cloud", "aws", "--region", "us-east-1")}

    assert found["nat_gateway", "hour"]["unit"] == "hour"
    assert found["eks_control_plane", "standard"]["usd"] == 0.1
    assert max(map(len, run("prices", "--services").stdout.splitlines())) <= WIDTH


def test_commitments_say_what_they_take_off() -> None:
    assert {row["term"] for row in rows("prices", "--commitments", "--cloud", "aws")} == {"1y", "3y"}
    assert max(map(len, run("prices", "--commitments").stdout.splitlines())) <= WIDTH


def test_two_lists_at_once_are_wrong_usage() -> None:
    done = run("prices", "--missing", "--services")

    assert done.exit_code == 2
    assert "choose one" in done.stderr


def test_gpus_that_gcp_attaches_to_n1_are_gpus_of_gcp() -> None:
    assert "T4" in {row["model"] for row in rows("gpus", "--cloud", "gcp", "--region", "us-central1")}
    assert "T4" not in {row["model"] for row in rows("gpus", "--cloud", "gcp", "--rdma")}


def test_quotas_of_a_machine_are_the_caps_that_it_counts_against() -> None:
    assert {row["code"] for row in rows("quotas", "Standard_ND96isr_H100_v5")} == {"standardNDSH100v5Family", "cores", "lowPriorityCores"}


def test_quotas_that_sources_disagree_about_are_named() -> None:
    assert "Sources disagree which one applies: L-7212CCBC, L-C4BD4855." in run("quotas", "p6-b200.48xlarge", "--spot").stdout


def test_a_machine_without_known_quota_is_no_promise() -> None:
    assert "no promise that there is none" in run("quotas", "f2.6xlarge").stdout


def test_drivers_tell_what_a_driver_runs() -> None:
    document = json.loads(run("drivers", "--driver", "570.26", "--json").stdout)

    assert {row["major"]: row["runs"] for row in document["rows"]} == {13: False, 12: True, 11: True}
    assert {row["runs"] for row in document["containers"] if row["cuda"].startswith("13")} == {False}
    assert document["branches"]
    assert document["frameworks"]


def test_charts_are_those_of_the_catalogue() -> None:
    assert {(row["name"], row["version"]) for row in rows("charts")} == {(c.name, c.version) for c in catalog.charts()}


def test_gpus_of_a_cloud_are_those_that_its_machines_carry() -> None:
    carried = {m.gpu_model for m in catalog.machines("gcp")} | {a.gpu_model for a in catalog.gpus.attached_gpus()}
    assert {row["model"] for row in rows("gpus", "--cloud", "gcp")} <= carried
    assert "H200 SXM" in {row["model"] for row in rows("gpus", "--cloud", "gcp")}


@pytest.mark.parametrize("command", [*LISTS, "explain", "refresh"])
def test_help_shows_an_example(command: str) -> None:
    assert f"Example: gpukit catalog {command}" in run(command, "--help").stdout
