"""The config of one stack, read once: the file's errors, foreign keys, secrets and the region, all at once."""

from __future__ import annotations

import contextvars
import dataclasses
import json
import subprocess
import sys
from collections.abc import Mapping

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi.runtime.config import set_all_config

from components.refusals import SpecErrors
from components.spec import InferenceSpec, TrainingSpec
from scripts.plan.stackfile import SECRET as SECRET_OF_FILES
from stacks.settings import SECRET, Settings, load, parse
from tests.spec.documents import MAKERS, REGIONS, aws_inference, aws_training, azure_training, changed, gcp_training
from tests.spec.test_every_error_at_once import Json


def parsed(value: object, *, region: str | None = "us-east-1", stack: str = "aws-training-dev") -> Settings:
    return parse(value, stack=stack, region=region, file=f"stacks/Pulumi.{stack}.yaml")


def refused(value: object, **how: str | None) -> str:
    with pytest.raises(SpecErrors) as error:
        parsed(value, **how)  # type: ignore[arg-type]
    return str(error.value)


def loaded(config: Mapping[str, str], *, secret_keys: tuple[str, ...] = (), stack: str = "aws-training-dev") -> Settings:
    """What a program of `stack` reads when the engine hands it `config`."""

    def program() -> Settings:
        pulumi.runtime.settings.configure(pulumi.runtime.Settings(project="gpukit", stack=stack))
        set_all_config(dict(config), list(secret_keys))
        return load()

    return contextvars.Context().run(program)


def config_of(document: object, **more: str) -> dict[str, str]:
    return {"aws:region": "us-east-1", "gpukit:cluster": json.dumps(document), **more}


def test_the_workload_decides_the_kind_of_spec():
    assert isinstance(parsed(aws_training()).spec, TrainingSpec)
    assert isinstance(parsed(aws_inference()).spec, InferenceSpec)


def test_the_cluster_takes_the_name_of_its_stack():
    assert parsed(aws_training()).spec.name == "aws-training-dev"
    assert parsed(changed(aws_training(), "name", "blue")).spec.name == "blue"


def test_a_stack_whose_name_cannot_be_the_clusters_needs_one_in_the_file():
    assert "the stack's name 'Team_A' cannot be the cluster's" in refused(aws_training(), stack="Team_A")
    assert parsed(changed(aws_training(), "name", "team-a"), stack="Team_A").spec.name == "team-a"


@pytest.mark.parametrize(
    ("document", "key", "example"),
    [
        (aws_training(), "aws:region", "us-east-1"),
        (gcp_training(), "gcp:region", "us-central1"),
        (azure_training(), "azure-native:location", "eastus"),
    ],
    ids=REGIONS,
)
def test_a_missing_region_is_named_by_its_key_beside_the_other_errors(document: dict[str, object], key: str, example: str):
    text = refused(changed(document, "owner", 5), region=None)
    assert f"{key}: is missing: give the region beside gpukit:cluster, such as {example}" in text
    assert "owner = 5" in text


def test_an_unknown_cloud_asks_for_no_region():
    text = refused(changed(aws_training(), "cloud", "awz"), region=None)
    assert "did you mean aws?" in text
    assert "region" not in text


def test_settings_cannot_change():
    settings = parsed(aws_training())
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.region = "us-west-2"  # type: ignore[misc]


@given(Json, st.none() | st.text(max_size=10), st.text(min_size=1, max_size=10))
def test_no_json_value_ends_in_anything_but_refusals(value: object, region: str | None, stack: str):
    with pytest.raises(SpecErrors) as error:
        parse(value, stack=stack, region=region, file="stacks/Pulumi.x.yaml")
    assert str(error.value).startswith("stacks/Pulumi.x.yaml: ")


def test_a_bottomless_value_is_refused():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert "nested too deeply" in refused({"pools": value})


def test_what_is_no_mapping_is_refused_at_the_key_itself():
    assert "gpukit:cluster = 5: a mapping from key to value is expected" in refused(5)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_program_reads_its_config_once_it_runs(maker: str):
    document = MAKERS[maker]()
    region = REGIONS[document["cloud"]]
    regions = {"aws:region": "us-east-1", "gcp:region": "us-central1", "azure-native:location": "eastus"}
    settings = loaded({**regions, "gpukit:cluster": json.dumps(document)}, stack="blue")
    assert settings == parse(document, stack="blue", region=region, file="")


def test_config_beside_pulumis_own_may_be_handed_in():
    def program() -> Settings:
        pulumi.runtime.settings.configure(pulumi.runtime.Settings(project="gpukit", stack="blue"))
        return load(config_of(aws_training()))

    assert contextvars.Context().run(program).stack == "blue"


def test_config_in_the_environment_counts_as_the_sdk_reads_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps(config_of(aws_training())))
    assert loaded({}).region == "us-east-1"


def test_unknown_keys_of_our_namespace_are_refused_with_the_nearest():
    config = config_of(changed(aws_training(), "owner", 5), **{"gpukit:clustr": "{}", "aws:profile": "x", "other:key": "y"})
    with pytest.raises(SpecErrors) as error:
        loaded(config)
    assert [e.path for e in error.value.errors] == ["gpukit:clustr", "owner"]
    assert "did you mean gpukit:cluster?" in str(error.value)


@pytest.mark.parametrize("text", ["", "null", "5", "[]", "{", '"text"'])
def test_a_value_that_is_no_cluster_is_refused(text: str):
    with pytest.raises(SpecErrors, match="gpukit:cluster"):
        loaded({"aws:region": "us-east-1", "gpukit:cluster": text})


def test_a_missing_cluster_is_told_with_where_to_read_on():
    with pytest.raises(SpecErrors, match=r"gpukit:cluster: is missing: describe the cluster there \(stacks/README.md shows how\)"):
        loaded({"aws:region": "us-east-1"})


def test_a_decrypted_secret_in_the_cluster_is_refused_and_not_shown():
    config = config_of(changed(aws_training(), "owner", "canary-51c2"))
    with pytest.raises(SpecErrors, match="holds a Pulumi secret") as error:
        loaded(config, secret_keys=("gpukit:cluster",))
    assert "canary" not in str(error.value)


def test_a_masked_secret_in_the_cluster_is_named_by_its_path():
    config = config_of(changed(aws_training(), "owner", SECRET))
    with pytest.raises(SpecErrors, match="owner: is a Pulumi secret"):
        loaded(config, secret_keys=("gpukit:cluster",))


def test_a_secret_region_is_refused():
    with pytest.raises(SpecErrors, match="aws:region: is a Pulumi secret: write the region in plain text"):
        loaded(config_of(aws_training()), secret_keys=("aws:region",))


def test_secrets_of_other_namespaces_are_none_of_our_business():
    assert loaded(config_of(aws_training(), **{"other:token": "x"}), secret_keys=("other:token",)).region == "us-east-1"


def test_files_and_settings_mask_secrets_alike():
    assert SECRET == SECRET_OF_FILES


def test_the_pure_part_loads_no_pulumi():
    code = "import sys; import stacks.settings; assert not [m for m in sys.modules if m.partition('.')[0].startswith('pulumi')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_the_family_does_not_build_is_told_beside_the_files_errors():
    document = changed(changed(aws_training(), "owner", 5), "queue", {"teams": [{"name": "research", "gpus": 8}]})
    text = refused(changed(document, "monitoring", {"metrics": "prometheus"}))
    assert {"owner", "queue.teams", "monitoring.metrics"} == {line[4:].split(":")[0].split(" ")[0] for line in text.splitlines()[1:]}


def test_a_region_that_is_none_does_not_hide_what_is_not_built():
    text = refused(changed(aws_training(), "monitoring", {"metrics": "prometheus"}), region="us-west-9")
    assert "aws:region = us-west-9" in text
    assert "monitoring.metrics = prometheus: not built" in text


def test_nothing_is_said_of_what_is_not_built_where_the_same_field_is_wrong():
    text = refused(changed(aws_training(), "queue", {"teams": [{"name": "Research", "gpus": 8}]}))
    assert "queue.teams[0].name" in text
    assert "not built" not in text


def test_a_file_without_errors_is_left_to_the_family():
    assert parsed(changed(aws_training(), "monitoring", {"metrics": "prometheus"})).spec.monitoring.metrics == "prometheus"
