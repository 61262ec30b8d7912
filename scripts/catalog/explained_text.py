"""One machine's document for people: a few headed blocks, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from scripts.plan.terminal import shown

from .listing import Column, Listing, cell, table

INDENT = (0, 0, 0, 2)


def print_explained(document: Mapping[str, Any], console: Console) -> None:
    machine = document["machine"]
    console.print(shown(f"{machine['name']} ({machine['cloud']}, family {machine['family']})", "bold"))
    for line in document["good_for"]:
        console.print(shown(f"  good for {line}"))
    for heading, body in _blocks(document):
        console.print()
        console.print(shown(heading, "bold"))
        console.print(Padding(body, INDENT))


def _blocks(document: Mapping[str, Any]) -> Iterator[tuple[str, RenderableType]]:
    machine = document["machine"]
    yield "Made of", _pairs(_made_of(machine))
    if document["accelerator"]:
        yield "Accelerator", _pairs(_accelerator(document["accelerator"]))
    yield "Network", _pairs(_network(document))
    for market, rows in document["quotas"].items():
        yield (
            f"Quota, {market.replace('_', '-')}",
            _quota_table(rows) if rows else shown("none known: that is no promise that there is none", "yellow"),
        )
    yield "Node images", _images(document["images"])
    if document["containers"]:
        yield "Containers on its default image", _containers(document["containers"])
    yield "Offered in", shown(", ".join(document["regions"]) or "no list of regions known")
    yield (
        "List prices, USD an hour",
        _prices(document["prices"])
        if document["prices"]
        else shown("none known: a cost gate fails rather than count it as free", "yellow"),
    )
    if document["commitments"]:
        yield "Commitments of the family", _commitments(document["commitments"])


def _pairs(pairs: Sequence[tuple[str, object]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for key, value in pairs:
        grid.add_row(shown(key), shown(cell(value)))
    return grid


def _made_of(machine: Mapping[str, Any]) -> list[tuple[str, object]]:
    gpus = f"{cell(machine['gpu_count'])} x {machine['vendor']} {machine['gpu_model']}, {cell(machine['gpu_memory_gib']) or '?'} GiB each"
    pairs = [
        ("accelerators", gpus if machine["vendor"] else "none"),
        ("vCPU, memory", f"{machine['vcpus']}, {cell(machine['memory_gib'])} GiB, {machine['arch']}"),
        *((name, machine[key]) for name, key in (("local NVMe, GiB", "nvme_gib"), ("NVLink", "nvlink"), ("MIG", "mig"), ("spot", "spot"))),
        ("capacity block", machine["capacity_block"]),
        ("needs image", machine["min_image"]),
        ("listed", machine["status"]),
        ("notes", machine["notes"]),
        ("source", _sourced(machine)),
    ]
    return [(key, value) for key, value in pairs if value not in (None, "")]


def _sourced(row: Mapping[str, Any]) -> str:
    aged = "" if row["age_days"] is None else f", {row['age_days']} days old"
    return f"{row['source']}; {row['as_of']}{aged}"


def _accelerator(row: Mapping[str, Any]) -> list[tuple[str, object]]:
    known = [(key.replace("_", " "), value) for key, value in row.items() if value not in (None, "") and key not in _SAID_AS_SOURCE]
    return [*known, ("source", _sourced(row))]


_SAID_AS_SOURCE = ("source", "as_of", "age_days", "notes")


def _network(document: Mapping[str, Any]) -> list[tuple[str, object]]:
    machine, network = document["machine"], document["network"]
    pairs: list[tuple[str, object]] = [("ordinary, Gbps", machine["network_gbps"] or "not established")]
    pairs.append(("fabric", f"{machine['fabric']}, {machine['rdma_interfaces'] or '?'} interfaces" if machine["fabric"] else "none"))
    if network["interfaces"]:
        pairs.append(("launched with", _layout(network["interfaces"])))
    if wired := network["gcp_networks"]:
        pairs.append(
            ("extra networks", f"{wired['gpu_networks']} GPU, {wired['gvnic_networks']} gVNIC, {wired['rdma_subnets']} RDMA subnets")
        )
        pairs.append(("MTU", wired["mtu"]))
    if moved := network["transport"]:
        floor = (
            f"at least {cell(moved['floor_gb_s'])} GB/s all-reduce bus bandwidth"
            if moved["floor_gb_s"]
            else "bandwidth floor not established"
        )
        pairs += [("NCCL transport", moved["transport"]), ("proof in the log", moved["log_marker"]), ("gate", floor)]
        pairs += [(f"env {name}", value) for name, value in moved["env"].items()]
    return pairs


def _layout(slots: Sequence[Mapping[str, Any]]) -> str:
    """`card 0: interface + efa-only; cards 1-31: efa-only`."""
    by_card = [(card, " + ".join(s["kind"] for s in on_card)) for card, on_card in groupby(slots, key=lambda slot: slot["card"])]
    parts: list[str] = []
    for kinds, run in groupby(by_card, key=lambda pair: pair[1]):
        cards = [card for card, _ in run]
        parts.append(f"card {cards[0]}: {kinds}" if len(cards) == 1 else f"cards {cards[0]}-{cards[-1]}: {kinds}")
    return f"{len(slots)} interfaces; {'; '.join(parts)}"


def _quota_table(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    columns = (
        Column("code", "code", folds=True),
        Column("name", "name", folds=True),
        Column("unit", "unit"),
        Column("default", "new account", "number"),
        Column("ambiguous", "unclear"),
        Column("as_of", "as of"),
    )
    return table(Listing(kind="quotas", columns=columns, rows=tuple(rows)))


def _images(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Those that run, with what is to be known about them; then why the others do not."""
    ordered = sorted(rows, key=lambda row: row["runs"] is not True)
    return _verdicts(
        (row["runs"], f"{row['reason']}: {row['notes']}" if row["runs"] and row["notes"] else row["reason"]) for row in ordered
    )


def _containers(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    return _verdicts((row["runs"], f"{row['image']} {row['release']}: {row['reason']}") for row in rows)


def _verdicts(verdicts: Iterable[tuple[bool | None, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for runs, reason in verdicts:
        grid.add_row({True: "yes", False: "no", None: "?"}[runs], shown(reason))
    return grid


def _prices(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Sources are numbered, as they are long."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    columns = (
        Column("region", "region"),
        Column("market", "market"),
        Column("usd", "USD/h", "usd"),
        Column("usd_high", "dearest", "usd"),
        Column("as_of", "as of"),
        Column("age_days", "age", "age"),
        Column("from", "source"),
    )
    numbered = tuple({**row, "from": f"[{sources.index(row['source']) + 1}]"} for row in rows)
    named = (shown(f"[{number}] {source}", "dim") for number, source in enumerate(sources, 1))
    return Group(table(Listing(kind="prices", columns=columns, rows=numbered)), *named)


def _commitments(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    columns = (
        Column("kind", "kind", folds=True),
        Column("term", "term"),
        Column("discount_percent", "% off", "number"),
        Column("as_of", "as of"),
    )
    return table(Listing(kind="commitments", columns=columns, rows=tuple(rows)))
