"""Every row of every data file: it has a source and a date, its cells are what they should be, and its references exist."""

import json
import re
from collections import Counter
from datetime import UTC, date, datetime

import pytest

from components import catalog
from components.catalog import commitments, containers, drivers, gpus, storage, tpus
from components.catalog.tables import DATA, UNDATED, Row, rows
from scripts.catalog.refresh.sanity import LARGER_AND_CHEAPER, ROUNDING, outsizes

CLOUDS = ("aws", "gcp", "azure")
TABLES = sorted(path.stem for path in DATA.glob("*.csv"))
FACT_TABLES = [table for table in TABLES if table != "sources"]
CHART_FILES = sorted((DATA / "chart_values").glob("*.json"))
MACHINE_TABLES = [f"{cloud}{kind}_machines" for cloud in CLOUDS for kind in ("", "_cpu")]

PRICED_WITHOUT_A_SIZE_TABLE = {
    f"Standard_NC{size}_xl_RTXPRO6000BSE_v6"
    for size in ("8lds", "16lds", "32ds", "32lds", "64ds", "64lds", "132ds", "132lds", "264ds", "264lds", "324ds", "324lds")
}
"""Sizes that Azure's price list names and no size table describes: their prices are kept, their machines stay unknown."""

SPOT_ABOVE_ON_DEMAND_IN_ITS_DEAREST_ZONE = {
    ("ap-northeast-1", "g5.12xlarge"),
    ("eu-central-1", "p4d.24xlarge"),
    ("ap-southeast-1", "p4de.24xlarge"),
}
"""AWS let spot of one zone rise above on-demand; the cheapest zone stayed below."""


def names(cloud: str) -> set[str]:
    return {machine.name for machine in catalog.machines(cloud)}


@pytest.mark.parametrize("table", FACT_TABLES)
def test_every_row_names_a_source_that_is_described(table: str) -> None:
    described = {row["key"] for row in rows("sources")}

    assert {row["source"] for row in rows(table)} <= described


@pytest.mark.parametrize("table", FACT_TABLES)
def test_every_row_has_a_past_day_or_says_that_it_has_none(table: str) -> None:
    """Refreshed prices may be younger than the catalogue, but not of tomorrow."""
    dated = {row["as_of"] for row in rows(table)} - {UNDATED}
    youngest = max(catalog.AS_OF, datetime.now(UTC).date())

    assert all(date(2020, 1, 1) < date.fromisoformat(day) <= youngest for day in dated)


def test_every_source_is_used() -> None:
    used = {row["source"] for table in FACT_TABLES for row in rows(table)}
    for path in CHART_FILES:
        held = json.loads(path.read_text(encoding="utf-8"))
        used |= {held["source"], held["defaults_source"]}

    assert {row["key"] for row in rows("sources")} - used == set()


def test_sources_are_described_once_and_in_words() -> None:
    described = rows("sources")

    assert Counter(row["key"] for row in described).most_common(1)[0][1] == 1
    assert all(len(row["text"]) > 10 for row in described)


KEYS = {
    **dict.fromkeys(MACHINE_TABLES, ("name",)),
    **{f"{cloud}_prices": ("machine", "region", "market") for cloud in CLOUDS},
    **{f"{cloud}_services": ("service", "sku", "region") for cloud in CLOUDS},
    **{f"{cloud}_regions": ("regions", "source", "as_of") for cloud in CLOUDS},
    "charts": ("name",),
    "commitments": ("cloud", "family", "kind", "term"),
    "containers": ("image", "release"),
    "crds": ("component", "group", "kind", "version"),
    "cuda": ("version",),
    "cuda_architectures": ("compute_capability",),
    "cuda_majors": ("major",),
    "driver_branches": ("branch",),
    "frameworks": ("framework",),
    "gcp_attached_gpus": ("accelerator", "gpu_count"),
    "gpus": ("model",),
    "images": ("cloud", "kind"),
    "kubernetes_versions": ("cloud", "minor"),
    "quotas": ("cloud", "code"),
    "sources": ("key",),
    "storage_tiers": ("cloud", "service", "tier"),
    "tpus": ("machine",),
    "transports": ("cloud", "families", "transport"),
    "gcp_networks": ("family",),
    "grid_families": ("cloud", "family"),
    "plain_families": ("cloud", "family"),
    "gke_images": ("part",),
    "gke_machines": ("machines",),
}


def test_every_table_has_a_key() -> None:
    assert set(KEYS) >= set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_no_fact_has_two_rows(table: str) -> None:
    keys = Counter(tuple(row[column] for column in KEYS[table]) for row in rows(table))

    assert [key for key, count in keys.items() if count > 1] == []


def test_no_machine_is_in_two_tables() -> None:
    for cloud in CLOUDS:
        assert not {row["name"] for row in rows(f"{cloud}_machines")} & {row["name"] for row in rows(f"{cloud}_cpu_machines")}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_machines_have_plausible_sizes(cloud: str) -> None:
    for machine in catalog.machines(cloud):
        assert 1 <= machine.vcpus <= 2000, machine.name
        assert 0.5 <= machine.memory_gib <= 40_000, machine.name
        assert machine.nvme_gib is None or 0 <= machine.nvme_gib <= 400_000, machine.name
        assert machine.network_gbps is None or 0 < machine.network_gbps <= 10_000, machine.name
        assert machine.arch in ("x86_64", "arm64"), machine.name
        assert machine.nvlink in (None, "none", "nvlink", "nvswitch"), machine.name
        assert machine.fabric in (None, "efa", "tcpx", "tcpxo", "rdma", "infiniband"), machine.name


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_machine_has_accelerators_exactly_when_it_names_their_maker_and_model(cloud: str) -> None:
    for machine in catalog.machines(cloud):
        claims = {machine.vendor is not None, machine.gpu_model is not None, machine.gpu_count > 0}
        assert len(claims) == 1, machine.name


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_gpu_count_is_whole_or_a_share_of_one(cloud: str) -> None:
    shares = {0.125, 0.1667, 0.25, 0.3333, 0.5}

    for machine in catalog.machines(cloud):
        assert machine.gpu_count in shares or machine.gpu_count == int(machine.gpu_count) <= 16, machine.name


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_machine_without_fabric_has_no_fabric_interfaces(cloud: str) -> None:
    for machine in catalog.machines(cloud):
        assert machine.fabric or machine.rdma_interfaces == 0, machine.name
        assert not machine.fabric or machine.rdma_interfaces is None or machine.rdma_interfaces > 0, machine.name


def test_every_aws_machine_says_how_many_efa_interfaces_it_takes() -> None:
    for machine in catalog.machines("aws"):
        takers = sum(card.efa for card in machine.cards)
        assert machine.rdma_interfaces is not None, machine.name
        assert machine.rdma_interfaces <= takers, machine.name
        assert bool(takers) == (machine.fabric == "efa"), machine.name
        assert [card.index for card in machine.cards] == list(range(len(machine.cards))), machine.name


def test_every_nvidia_or_amd_gpu_of_a_machine_is_a_known_model_with_like_memory() -> None:
    for machine in catalog.machines():
        if machine.vendor in ("NVIDIA", "AMD"):
            gpu = gpus.gpu(machine.gpu_model or "")
            assert machine.gpu_memory_gib is not None, machine.name
            whole = machine.gpu_memory_gib / min(machine.gpu_count, 1)
            assert whole == pytest.approx(gpu.memory_gib, rel=0.08), machine.name


@pytest.mark.parametrize("cloud", CLOUDS)
def test_mig_is_claimed_only_for_gpus_that_have_it(cloud: str) -> None:
    for machine in catalog.machines(cloud):
        if machine.vendor == "NVIDIA" and machine.mig:
            assert gpus.gpu(machine.gpu_model or "").mig_instances, machine.name


def test_every_quota_of_a_machine_is_known_and_lists_its_family() -> None:
    for machine in catalog.machines():
        for code in filter(None, (machine.quota_on_demand, machine.quota_spot)):
            families = catalog.quota(machine.cloud, code).families
            letters = re.match(r"[a-z]+", machine.family)
            assert machine.family in families or (letters and letters.group() in families), (machine.name, code)


def test_every_listed_accelerator_machine_of_aws_has_its_on_demand_quota() -> None:
    without = {
        m.family for m in catalog.machines("aws") if m.vendor in ("NVIDIA", "AMD", "AWS Neuron") and not catalog.quotas_for(m, "on_demand")
    }

    assert without == set()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_prices_are_positive_and_ranges_ordered(cloud: str) -> None:
    for row in rows(f"{cloud}_prices"):
        assert 0 < float(row["usd"]) < 1000, row
        assert not row["usd_high"] or float(row["usd_high"]) >= float(row["usd"]), row
        assert row["market"] in ("on_demand", "spot", "capacity_block", "flex_start", "calendar"), row


@pytest.mark.parametrize("cloud", CLOUDS)
def test_prices_are_of_known_machines(cloud: str) -> None:
    unknown = {row["machine"] for row in rows(f"{cloud}_prices")} - names(cloud)

    assert unknown == (PRICED_WITHOUT_A_SIZE_TABLE if cloud == "azure" else set())


@pytest.mark.parametrize("cloud", CLOUDS)
def test_spot_costs_no_more_than_on_demand(cloud: str) -> None:
    dearer: set[tuple[str, str]] = set()
    for region, machine in catalog.priced(cloud):
        price = catalog.price(cloud, region, machine)
        assert price is not None
        if price.on_demand and price.spot_low:
            assert price.spot_low.usd <= price.on_demand.usd or (region, machine) in accepted(cloud), (region, machine)
            if price.spot_high and price.spot_high.usd > price.on_demand.usd:
                dearer.add((region, machine))

    assert dearer <= (SPOT_ABOVE_ON_DEMAND_IN_ITS_DEAREST_ZONE if cloud == "aws" else set()) | accepted(cloud)


def accepted(cloud: str) -> set[tuple[str, str]]:
    """Prices that someone took over with a reason (`gpukit catalog refresh --accept`), which stands last in the note."""
    return {
        (row["region"], row["machine"])
        for row in rows(f"{cloud}_prices")
        if row["source"].startswith("live-")
        and (row["notes"].partition("; ")[2] if row["notes"].startswith("whole machine") else row["notes"])
    }


@pytest.mark.parametrize("cloud", CLOUDS)
def test_within_a_family_and_region_a_machine_with_no_less_of_anything_costs_no_less(cloud: str) -> None:
    """Sizes with fewer GPUs than a smaller one (g5.16xlarge beside g5.12xlarge) are no exception: they have less of something."""
    wrong: set[tuple[str, str]] = set()
    for members in offers_by_region_and_family(cloud):
        wrong |= {
            (small, big)
            for small, low in members
            for big, high in members
            if outsizes(catalog.machine(cloud, big), catalog.machine(cloud, small)) and high < low * ROUNDING
        }

    assert wrong == (set(LARGER_AND_CHEAPER) if cloud == "azure" else set())


def offers_by_region_and_family(cloud: str) -> list[list[tuple[str, float]]]:
    groups: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for row in rows(f"{cloud}_prices"):
        machine = catalog.find_machine(cloud, row["machine"])
        if machine and row["market"] == "on_demand":
            groups.setdefault((row["region"], machine.family, row["source"]), []).append((row["machine"], float(row["usd"])))
    return list(groups.values())


@pytest.mark.parametrize("cloud", CLOUDS)
def test_service_prices_are_positive_but_for_the_one_credit(cloud: str) -> None:
    units = {
        "hour", "gb", "gib", "gb-month", "gib-month", "gb-hour", "gib-hour", "disk-month", "cluster-hour", "instance-hour", "ultraserver-hour",
        "gpu-hour", "chip-hour", "vcpu-hour", "rule-hour", "lcu-hour", "iops-month", "mbps-month", "billing-account-month",
    }  # fmt: skip
    for row in rows(f"{cloud}_services"):
        assert row["unit"] in units, row
        assert float(row["usd"]) > 0, row


@pytest.mark.parametrize("cloud", CLOUDS)
def test_regions_are_of_known_machines_and_not_empty(cloud: str) -> None:
    attached = {gpu.accelerator for gpu in gpus.attached_gpus()} if cloud == "gcp" else set()

    listed = [name for row in rows(f"{cloud}_regions") for name in row["machines"].split()]

    assert set(listed) <= names(cloud) | attached
    assert len(listed) == len(set(listed))
    assert all(row["regions"] for row in rows(f"{cloud}_regions"))


REGION = {"aws": r"[a-z]{2}(-gov)?-[a-z]+-\d(-[a-z]{3}-\d[a-z]?)?(-wl\d(-[a-z]{3}\d)?)?", "gcp": r"[a-z]+-[a-z]+\d+", "azure": r"[a-z]+\d?"}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_regions_are_spelt_as_the_cloud_spells_them(cloud: str) -> None:
    spelt = {row["region"] for row in rows(f"{cloud}_prices")} | {r for row in rows(f"{cloud}_regions") for r in row["regions"].split()}

    assert {region for region in spelt if not re.fullmatch(REGION[cloud], region)} == set()


def test_every_tpu_host_is_a_machine() -> None:
    assert {tpu.machine for tpu in tpus.tpus()} == {m.name for m in catalog.machines("gcp") if m.vendor == "Google"}


def test_attached_gpus_are_known_models_with_known_quotas() -> None:
    for attached in gpus.attached_gpus():
        assert gpus.gpu(attached.gpu_model)
        assert catalog.quota("gcp", attached.quota_on_demand)
        assert catalog.quota("gcp", attached.quota_spot)


def test_gpu_throughput_falls_as_precision_rises() -> None:
    for gpu in gpus.gpus():
        ladder = [tflops for tflops in (gpu.fp16_tflops, gpu.fp8_tflops, gpu.fp4_tflops) if tflops]
        assert ladder == sorted(ladder), gpu.model


def test_discounts_are_percentages_and_longer_terms_save_more() -> None:
    for cloud in CLOUDS:
        by_term = {(c.family, c.kind, c.term): c.discount_percent for c in commitments.commitments(cloud)}
        assert all(0 < percent < 100 for percent in by_term.values())
        for (family, kind, term), percent in by_term.items():
            if term == "1y" and (family, kind, "3y") in by_term:
                assert percent < by_term[family, kind, "3y"], (cloud, family, kind)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_storage_tier_sells_its_smallest_size(cloud: str) -> None:
    for tier in storage.storage_tiers(cloud):
        smallest = tier.sizes_near(0)[0]
        assert tier.allows(smallest), tier.tier
        assert not tier.allows(smallest / 2), tier.tier


def test_driver_versions_are_numbers() -> None:
    stated = [r.min_driver_minor_compat for r in drivers.cuda_releases()] + [r.driver for r in drivers.cuda_releases()]
    stated += [f.min_driver for f in drivers.frameworks()]

    assert all(re.fullmatch(r"\d{3}(\.\d+){0,2}", version) for version in stated if version)


def test_every_framework_runs_on_the_driver_that_its_row_asks_for() -> None:
    for framework in drivers.frameworks():
        assert drivers.driver_runs(framework.min_driver, framework.cuda), framework.name


def test_containers_are_built_on_cuda_releases_that_are_known() -> None:
    minors = {".".join(release.version.split()[0].split(".")[:2]) for release in drivers.cuda_releases()}

    for built in containers.containers():
        assert ".".join(built.cuda.split(".")[:2]) in minors, (built.image, built.release)
        assert re.fullmatch(r"\d\d\.\d\d", built.release), built.image
        assert built.printed_driver is None or re.fullmatch(r"\d{3}", built.printed_driver), built.image
        assert list(built.forward_branches) == sorted(built.forward_branches), built.image


def test_drivers_in_images_are_of_known_branches_and_only_where_there_is_a_driver() -> None:
    branches = {str(branch.branch) for branch in drivers.driver_branches()}

    for image in catalog.images():
        assert image.driver_branch is None or (image.driver and image.driver_branch in branches), image.kind


def test_families_of_images_are_families_of_machines() -> None:
    known = {machine.family for machine in catalog.machines("aws")}

    for image in catalog.images("aws"):
        assert set(image.families) <= known, image.kind


@pytest.mark.parametrize("path", CHART_FILES, ids=lambda path: path.stem)
def test_value_paths_belong_to_the_pinned_version_of_a_chart(path) -> None:
    held = json.loads(path.read_text(encoding="utf-8"))

    assert held["chart"] == path.stem
    assert held["version"] == catalog.chart(path.stem).version
    assert set(held["defaults"]) <= set(held["values"])


def test_every_chart_comes_from_somewhere_or_says_why_not() -> None:
    for chart in catalog.charts():
        assert chart.repository or chart.oci or chart.notes, chart.name


def padded(row: Row) -> bool:
    return any(cell != cell.strip() for cell in row.values())


@pytest.mark.parametrize("table", TABLES)
def test_no_cell_has_blanks_around_it(table: str) -> None:
    assert [row for row in rows(table) if padded(row)] == []
