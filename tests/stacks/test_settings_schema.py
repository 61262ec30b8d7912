"""schema.json and the table of keys: current, accepting what is shipped, refusing what the models refuse for its shape."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from scripts.plan import engine_yaml
from stacks import key_table, schema
from tests.spec.documents import MAKERS, changed

SHIPPED = sorted(schema.HERE.glob("Pulumi.*.yaml"))
VALIDATOR = Draft7Validator(json.loads(schema.SCHEMA.read_text()))
REGION_KEYS = {"aws": "aws:region", "gcp": "gcp:region", "azure": "azure-native:location"}


def file_of(document: dict[str, Any]) -> dict[str, Any]:
    return {"config": {REGION_KEYS[document["cloud"]]: "us-east-1", "gpukit:cluster": document}}


def test_the_committed_files_are_current(capsys: pytest.CaptureFixture[str]):
    assert schema.main(["--check"]) == 0
    assert not capsys.readouterr().err


def test_a_stale_file_is_told_and_then_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{schema.BEGIN}\nold\n{schema.END}\nafter\n")
    monkeypatch.setattr(schema, "SCHEMA", tmp_path / "schema.json")
    monkeypatch.setattr(schema, "README", readme)
    assert schema.main(["--check"]) == 1
    assert "stacks/schema.json is not current: run python -m stacks.schema" in capsys.readouterr().err
    assert "old" in readme.read_text()
    assert schema.main([]) == 0
    assert schema.main(["--check"]) == 0
    assert readme.read_text().startswith("before\n")
    assert readme.read_text().endswith("after\n")


def test_lost_markers_are_told():
    with pytest.raises(ValueError, match="has lost its markers"):
        schema.readme_text("nothing here")


def test_the_table_can_be_printed(capsys: pytest.CaptureFixture[str]):
    assert schema.main(["--table"]) == 0
    assert capsys.readouterr().out in schema.README.read_text()


def test_the_schema_is_one():
    Draft7Validator.check_schema(schema.file_schema())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_file_is_valid(path: Path):
    VALIDATOR.validate(engine_yaml.load(path.read_text()))


@pytest.mark.parametrize("maker", MAKERS)
def test_files_of_every_cloud_are_valid(maker: str):
    VALIDATOR.validate(file_of(MAKERS[maker]()))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("quee", {}, "'quee' was unexpected"),
        ("pools.0.machne", "x", "'machne' was unexpected"),
        ("pools.0.capacity", {"mode": "spot", "id": "x"}, "'id' was unexpected"),
        ("pools.0.capacity", {"mode": "sopt"}, "'sopt' is not one of"),
        ("pools.0.nodes", {"min": 0}, "'max' is a required property"),
        ("pools.0.nodes.max", 0, "0 is less than the minimum of 1"),
        ("pools", [], "[]"),
        ("workload", "trainin", "'trainin' is not one of ['inference', 'training']"),
        ("serving", {}, "'serving' was unexpected"),
        ("kubernetes_version", 1.35, "1.35 is not of type 'string'"),
        ("lease.expires", 20270301, "is not of type 'string'"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_file_is_marked_where_it_is_wrong(path: str, value: object, words: str):
    found = [error.message for error in VALIDATOR.iter_errors(file_of(changed(MAKERS["aws"](), path, value)))]
    assert any(words in message for message in found), found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gpukit:clustr": {}}, "'gpukit:clustr' does not match"),
        ({"cluster": {}}, "'cluster' does not match"),
        ({"aws:region": None}, "is not of type 'string'"),
    ],
    ids=str,
)
def test_wrong_config_beside_the_cluster_is_marked(change: dict[str, object], words: str):
    file = file_of(MAKERS["aws"]())
    file["config"].update(change)
    assert any(words in error.message for error in VALIDATOR.iter_errors(file))


@pytest.mark.parametrize("maker", ["aws", "gcp", "azure"])
def test_the_region_belongs_to_the_cloud(maker: str):
    file = file_of(MAKERS[maker]())
    key = REGION_KEYS[maker]
    del file["config"][key]
    assert [error.message for error in VALIDATOR.iter_errors(file)] == [f"{key!r} is a required property"]


def test_other_namespaces_and_the_engines_own_keys_are_allowed():
    file = copy.deepcopy(file_of(MAKERS["aws"]()))
    file["config"]["aws:profile"] = "x"
    VALIDATOR.validate({**file, "encryptionsalt": "v1:abc", "secretsprovider": "passphrase"})
    assert not VALIDATOR.is_valid({**file, "confg": {}})


def test_every_key_has_a_meaning_and_a_row_of_its_own():
    rows = key_table.rows(schema.cluster_schema())
    assert not [row.path for row in rows if not row.meaning]
    assert len({row.path for row in rows}) == len(rows)


def test_every_field_of_the_schema_has_a_description_for_editors():
    silent = [
        f"{name}.{key}"
        for name, definition in schema.cluster_schema()["$defs"].items()
        for key, field in definition.get("properties", {}).items()
        if "const" not in field and "$ref" not in field and not field.get("description")
    ]
    assert silent == []
