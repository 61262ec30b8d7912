"""Tables that lose nothing, however narrow the terminal."""

from __future__ import annotations

import io
import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from scripts.plan.tables import PlainTable, fitting
from scripts.plan.terminal import shown

CODE = "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_RTX_PRO_6000"
Columns = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 60)).map(lambda pair: (pair[0], sum(pair))), min_size=1, max_size=8)


def printed(width: int, *cells: str) -> str:
    table = PlainTable("code", "needs", "limit", "free", "region", "quota")
    table.add_row(*map(shown, cells))
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def test_no_figure_is_cut_beside_a_long_code():
    text = printed(98, CODE, "16 GPU", "unchecked", "unchecked", "us-central1", "GPUs per family")
    assert {"16 GPU", "us-central1", "gpu_family=NVIDIA_RTX_PRO_6000"} <= set(re.split(r"\s{2,}|\n", text))
    assert text.count("unchecked") == 2


def test_a_table_that_fits_stays_on_one_line():
    assert len(printed(98, "CPUS", "20 vCPU", "unchecked", "unchecked", "us-central1", "CPUs").splitlines()) == 2


@given(Columns, st.integers(8, 160))
def test_columns_fit_where_a_cell_each_fits_and_no_word_is_cut_needlessly(columns: list[tuple[int, int]], room: int):
    widths = fitting(columns, room)
    assert sum(widths) <= max(room, len(columns))
    if sum(least for least, _ in columns) <= room:
        assert all(least <= width <= most for width, (least, most) in zip(widths, columns, strict=True))


def test_nothing_disappears_on_the_narrowest_terminal():
    text = printed(40, CODE, "16 GPU", "unchecked", "unchecked", "us-central1", "GPUs")
    assert not any(line.rstrip().endswith("\u2026") for line in text.splitlines())
    assert sorted(c for c in text if c.isdigit()) == sorted(c for c in f"{CODE} 16 us-central1" if c.isdigit())
