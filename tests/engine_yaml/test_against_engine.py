"""Our reading of stack files is the engine's: on its recorded answers always, on the engine itself where there is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.engine import locate
from scripts.errors import BadInput
from scripts.plan import stackfile
from tests.engine_yaml.engine import DOCUMENTS, RECORDED, REFUSED, SECRET, Config, ThrowAwayProject

ROOT = Path(__file__).parents[2]
SHIPPED = {path.stem: path for path in sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))}
ANSWERS: dict[str, Config | str] = json.loads(RECORDED.read_text())["answers"]


def ours(path: Path) -> Config | str:
    """As the engine's answer: secrets masked whole."""
    try:
        file = stackfile.read_file(path, stack="dev")
    except BadInput:
        return REFUSED
    return {key: SECRET if key in file.secret_keys else value for key, value in file.config.items()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> ThrowAwayProject:
    engine = locate.find()
    if engine is None:
        pytest.skip("no Pulumi engine here: `python -m scripts.engine.locate` builds one")
    return ThrowAwayProject(engine.command, tmp_path_factory.mktemp("engine") / "project")


def test_every_document_has_a_recorded_answer():
    assert set(ANSWERS) == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_reads_as_the_engine_read_it(name: str):
    assert ours(DOCUMENTS[name]) == ANSWERS[name]


@pytest.mark.engine
@pytest.mark.parametrize("name", [*DOCUMENTS, *SHIPPED])
def test_a_document_reads_as_the_engine_reads_it(name: str, project: ThrowAwayProject):
    path = {**DOCUMENTS, **SHIPPED}[name]
    project.stack_file.write_bytes(path.read_bytes())
    assert project.config() == ours(path)


SCALARS = st.lists(st.text("0123456789.-+_eExXoObBtTZ:~nNaiflu", min_size=1, max_size=12), min_size=50, max_size=200)


@pytest.mark.engine
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(SCALARS)
def test_whatever_looks_like_a_number_or_a_time_reads_as_the_engine_reads_it(project: ThrowAwayProject, scalars: list[str]):
    lines = [f"    - {text}x" if text.endswith((":", "-")) else f"    - {text}" for text in scalars]
    project.stack_file.write_text("\n".join(["config:", "  gpukit:list:", *lines, ""]))
    assert project.config() == ours(project.stack_file)
