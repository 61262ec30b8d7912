"""What people have at hand: our records, Prometheus answers, dcgm-exporter's text. What a file does not hold is unknown."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.errors import BadInput
from scripts.idle import files, record
from scripts.idle.fold import Grid, folded
from scripts.idle.matrix import NotAMatrix, read_matrix
from scripts.idle.signals import SCHEMA, Cluster, Record
from scripts.idle.verdict import Status, verdict

from .traces import NOW, REST, TRAIN, cluster, series

EXPOSITION = """# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1",modelName="NVIDIA A100",Hostname="node-1",err="a\\"b"} 97
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-2",modelName="NVIDIA A100",Hostname="node-1"} 0
go_goroutines 12
"""


def answer(found: list[dict[str, Any]]) -> dict[str, Any]:
    shown = [{"metric": each["metric"], "values": [[at, str(value)] for at, value in each["values"]]} for each in found]
    return {"status": "success", "data": {"resultType": "matrix", "result": shown}}


def judged(path: Path) -> Status:
    record = files.load(path)
    return verdict(record.clusters[0], record.recorded_at).status


def test_a_record_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    record.save(path, Record(schema=SCHEMA, recorded_at=NOW, clusters=(cluster(),)))
    assert judged(path) is Status.IDLE


def test_work_in_a_range_query_is_active_and_rest_is_unknown_as_nothing_else_is_known(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer(series(TRAIN))))
    assert judged(path) is Status.ACTIVE
    path.write_text(json.dumps(answer(series(REST))))
    assert judged(path) is Status.UNKNOWN


def test_the_figures_of_gpus_that_rest_are_told_though_nothing_else_is_known(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer(series(REST))))
    found = files.load(path)
    (pool,) = verdict(found.clusters[0], found.recorded_at).pools
    told = {str(fact.signal): (fact.value, fact.against) for fact in pool.facts}
    assert pool.status is Status.UNKNOWN
    assert told["utilisation"] == ("at most 0", "on GPUs that sent samples")


def test_a_list_of_answers_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    one, two = series({"DCGM_FI_DEV_GPU_UTIL": lambda _: 0.0}), series({"DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda _: 0.9})
    path.write_text(json.dumps([answer(one), answer(two)], indent=2))
    assert judged(path) is Status.ACTIVE
    assert len(files.load(path).clusters[0].counters or ()) == 2


def test_text_of_the_exporter_shows_work_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    path.write_text(EXPOSITION)
    assert judged(path) is Status.ACTIVE
    path.write_text(EXPOSITION.replace("} 97", "} 0"))
    assert judged(path) is Status.UNKNOWN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "wrong is neither a record of gpukit idle --record, nor a Prometheus answer, nor DCGM text"),
        ("[]", "neither a record"),
        ('{"a":', "not valid JSON at line 1, column 6"),
        ('{\n "a": 1,,}', "not valid JSON at line 2, column 9"),
        ("[" * 200_000, "nested too deeply"),
        ('{"schema": "gpukit/signals/9", "clusters": []}', "schema gpukit/signals/9 is unknown: this version reads gpukit/signals/1"),
        ('{"clusters": [' + '"x",' * 2000 + '1], "schema": "gpukit/signals/9"}', "schema gpukit/signals/9 is unknown"),
        ('{"data":{"result":[{"metric":{},"values":[[1e300,"2"]]}]}}', "time of a sample is out of range: seconds since 1970"),
        ('{"data":{"result":[{"metric":{},"values":[[-5,"2"]]}]}}', "time of a sample is out of range"),
        ('DCGM_FI_DEV_GPU_UTIL{gpu="0"} 1 99999999999999999999\n', "line 1: the time of a sample is out of range: milliseconds since 1970"),
        ('DCGM_FI_DEV_GPU_UTIL{gpu="0"} 1 1e+\n', "line 1: the time of a sample is no number"),
        ('{"status":"error","errorType":"bad_data","error":"invalid parameter"}', "invalid parameter"),
        ('{"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]}]}}', "query_range"),
        ("not a metric line at all!", "line 1"),
        ("go_goroutines 12\n", "no counter of a GPU"),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', "no sample"),
        ('{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1,"2"]', "not valid JSON at line 1"),
    ],
)
def test_what_is_none_of_the_forms_is_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        files.load(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "hunter2-secret"}',
        '{"password": "hunter2-secret',
        '["hunter2-secret"]',
        '{"data":{"result":["hunter2-secret"]}}',
        '{"data":{"result":[{"metric":{},"values":["hunter2-secret"]}]}}',
        "password: hunter2-secret",
    ],
)
def test_a_wrong_file_is_never_repeated(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        files.load(path)
    assert "hunter2" not in str(refused.value)


def test_a_record_whose_schema_comes_last_is_read(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    whole = json.loads(record.of(NOW, (cluster(),)).model_dump_json(by_alias=True))
    path.write_text(json.dumps({name: whole[name] for name in ("clusters", "recorded_at", "schema")}))
    assert judged(path) is Status.IDLE


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("series", 0, "values", 0, 0), float("nan"), r"clusters\[0\]\.series\[0\]\.values\[0\]\[0\]"),
        (("series", 0, "values", 0, 0), 1e300, r"series\[0\]\.values\[0\]\[0\]: .*less than or equal to 100000000000"),
        (("series", 0, "values", 0, 0), -1.0, r"series\[0\]\.values\[0\]\[0\]: .*greater than or equal to 0"),
        (("pools", 0, "current"), 10**40, r"pools\[0\]\.current: .*less than or equal to 1000000"),
        (("pools", 0, "usd_per_node_hour"), 1e300, r"pools\[0\]\.usd_per_node_hour"),
    ],
)
def test_a_figure_of_a_record_that_cannot_be_is_refused_with_its_place(
    tmp_path: Path, place: tuple[str | int, ...], value: float, said: str
) -> None:
    path = tmp_path / "record.json"
    whole = json.loads(record.of(NOW, (cluster(),)).model_dump_json(by_alias=True))
    at: Any = whole["clusters"][0]
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    path.write_text(json.dumps(whole))
    with pytest.raises(BadInput, match=said):
        files.load(path)


def test_a_record_of_a_time_that_no_window_fits_into_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"schema": SCHEMA, "recorded_at": "0001-01-01T00:00:00Z", "clusters": []}))
    with pytest.raises(BadInput, match="recorded_at"):
        files.load(path)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        files.load(Path("nowhere.json"))


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
values = st.lists(st.tuples(st.floats(0, 1e10, allow_subnormal=False), st.sampled_from(["0", "1.5", "NaN", "+Inf", "-1e+06"])), max_size=6)


@given(st.lists(st.tuples(st.dictionaries(names, names, max_size=3), values), max_size=4), st.integers(1, 50))
def test_answers_are_read_the_same_in_whatever_pieces_they_come(found: list[Any], size: int) -> None:
    result = [{"metric": labels, "values": [list(sample) for sample in samples]} for labels, samples in found]
    text = json.dumps({"data": {"result": result}})
    parts = (text[at : at + size] for at in range(0, len(text), size))
    assert [(labels, list(samples)) for labels, samples in read_matrix(parts)] == found


@given(st.integers(0, 200))
def test_an_answer_that_is_cut_off_never_passes_for_a_whole(cut: int) -> None:
    text = json.dumps(answer(series({"DCGM_FI_DEV_GPU_UTIL": lambda _: 0.0}, gpus=2, minutes=4)))
    part = text[: max(len(text) - 4 - cut, 0)]
    with pytest.raises(NotAMatrix):
        _ = [list(samples) for _, samples in read_matrix([part])]


def peak(count: int) -> int:
    """Bytes held at most while a series of `count` samples within one hour is folded."""

    def pieces() -> Iterator[str]:
        yield '{"data":{"result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","Hostname":"n","gpu":"0"},"values":['
        for at in range(count):
            yield f'{"," if at else ""}[{3600 * at / count:.3f},"{at % 3}"]'
        yield "]}]}}"

    tracemalloc.start()
    for labels, samples in read_matrix(pieces()):
        found = folded(labels, samples, Grid(since=0, until=3600, step=60))
        assert found is not None
        assert len(found.values) == 60
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held


def test_memory_is_flat_in_the_number_of_samples() -> None:
    peak(1_000)  # what is made once
    assert peak(40_000) < 1.2 * peak(10_000)


def test_a_burst_of_one_second_is_kept_and_impossible_values_are_counted() -> None:
    samples = [(float(at), "100" if at == 1801 else "0") for at in range(3600)] + [(10.0, "4294967295"), (11.0, "NaN")]
    found = folded({"__name__": "DCGM_FI_DEV_GPU_UTIL"}, samples, Grid(since=0, until=3600, step=60))
    assert found is not None
    assert max(float(value) for _, value in found.values) == 100
    assert dict(found.least)[1859.0] == 0
    assert found.dropped == 2


def test_folded_series_give_the_verdict_of_the_whole_ones() -> None:
    whole = cluster()
    grid = Grid(since=NOW.timestamp() - 3600, until=NOW.timestamp(), step=60)
    thin = [found for each in whole.series if (found := folded(each.metric, each.values, grid)) is not None]
    again: Cluster = whole.model_copy(update={"series": tuple(thin)})
    assert verdict(again, NOW).status is verdict(whole, NOW).status is Status.IDLE
