"""Leases: the stack file is their truth, and only ever its one date is changed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from scripts.errors import BadInput
from scripts.idle.leases.lease import extend, new_day

DAY = date(2027, 6, 30)
FILE = """# ours
config:
  aws:region: us-east-1
  gpukit:cluster:   # the cluster
    cloud: aws
    owner: ml-platform
    lease: {expires: '2027-03-01'}  # until the paper
    pools:
    - {name: a100, machine: p4d.24xlarge}
"""


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(text)
    extend(path, DAY)
    return path.read_text()


def test_only_the_date_changes(tmp_path: Path) -> None:
    assert written(tmp_path, FILE) == FILE.replace("'2027-03-01'", '"2027-06-30"')


@pytest.mark.parametrize("form", ["2027-03-01", '"2027-03-01"', "'2027-03-01'"])
def test_every_way_to_write_the_date_is_replaced_by_a_quoted_one(tmp_path: Path, form: str) -> None:
    block = FILE.replace("lease: {expires: '2027-03-01'}  # until the paper", f"lease:\n      expires: {form} # until the paper")
    assert 'expires: "2027-06-30" # until the paper' in written(tmp_path, block)


def test_a_cluster_without_a_lease_gets_one(tmp_path: Path) -> None:
    without = "".join(line for line in FILE.splitlines(keepends=True) if "lease" not in line)
    assert '    lease: {expires: "2027-06-30"}\n    cloud: aws\n' in written(tmp_path, without)


@pytest.mark.parametrize("text", ["config: {}\n", "config:\n  gpukit:cluster: {cloud: aws}\n", "a: [", "config:\n  gpukit:cluster:\n"])
def test_a_file_that_cannot_be_edited_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match="by hand"):
        extend(path, DAY)
    assert path.read_text() == text


@pytest.mark.parametrize(("text", "said"), [("soon", "give a date"), ("2026-01-01", "is past"), ("2027-02-01", "only ever extends")])
def test_a_day_that_extends_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        new_day(text, today=date(2026, 11, 30), now=date(2027, 3, 1))


def test_shipped_files_differ_in_one_line(tmp_path: Path) -> None:
    for path in Path("stacks").glob("Pulumi.*.yaml"):
        before = path.read_text()
        changed = [(a, b) for a, b in zip(before.splitlines(), written(tmp_path, before).splitlines(), strict=True) if a != b]
        assert len(changed) == 1, path
