"""RECORD.md: its example is judged as it says, and its tables are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.idle import files, record_table
from scripts.idle.verdict import Status, Verdict, verdict

TEXT = record_table.DOCUMENT.read_text(encoding="utf-8")


def example() -> dict[str, Any]:
    (block,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    return json.loads(block)


def judged(path: Path, document: dict[str, Any]) -> Verdict:
    path.write_text(json.dumps(document))
    loaded = files.load(path)
    return verdict(loaded.clusters[0], loaded.recorded_at)


def test_the_example_is_a_cluster_at_rest(tmp_path: Path) -> None:
    found = judged(tmp_path / "example.json", example())
    assert (found.status, found.resting) == (Status.IDLE, True)
    assert found.at_stake_usd_per_hour == pytest.approx(0.8048)


@pytest.mark.parametrize("field", ["tags", "sources", "pools", "nodes", "pods", "queues", "counters", "series", "step_seconds"])
def test_without_any_of_what_it_needs_it_is_not(tmp_path: Path, field: str) -> None:
    document = example()
    del document["clusters"][0][field]
    assert judged(tmp_path / "less.json", document).status is Status.UNKNOWN


def test_its_tables_are_up_to_date() -> None:
    assert record_table.renewed(TEXT) == TEXT, "run: python -m scripts.idle.record_table"
