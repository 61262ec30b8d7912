"""Stack files as the program will see them, and one paragraph for each file that is none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.errors import BadInput
from scripts.plan import stackfile
from stacks.settings import REGION_KEYS, parse

ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "stacks").mkdir()
    return tmp_path


def write(root: Path, content: str | bytes, stack: str = "dev") -> None:
    (root / "stacks" / f"Pulumi.{stack}.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())


def refused(root: Path, stack: str = "dev") -> str:
    with pytest.raises(BadInput) as error:
        stackfile.read(root, stack)
    text = str(error.value)
    assert "\n" not in text
    assert str(root) not in text
    return text


@pytest.mark.parametrize("stack", stackfile.stack_names(ROOT))
def test_every_shipped_stack_reads_into_settings(stack: str):
    file = stackfile.read(ROOT, stack)
    value = json.loads(file.config["gpukit:cluster"])
    settings = parse(value, stack=stack, region=file.config[REGION_KEYS[value["cloud"]]], file=file.path.name)
    assert settings.spec.name == stack
    assert settings.spec.environment == "prod" or all(pool.nodes.min == 0 for pool in settings.spec.pools)  # J7
    assert re.fullmatch(r"123456789012|00000000-0000-0000-0000-000000000000|ml-[a-z]+-(dev|prod)", settings.spec.account)  # nobody's
    assert not file.secret_keys


@pytest.mark.parametrize("stack", stackfile.stack_names(ROOT))
def test_every_shipped_stack_tells_editors_its_schema(stack: str):
    assert (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text().startswith("# yaml-language-server: $schema=schema.json\n")


def test_the_shapes_that_people_ask_for_are_shipped():
    shapes = {"aws-training-dev", "aws-training-p5", "aws-training-reserved", "aws-inference-dev", "aws-inference-prod"}
    shapes |= {"azure-training-dev", "azure-training-ndh100", "azure-inference-dev", "azure-inference-prod"}
    assert shapes <= set(stackfile.stack_names(ROOT))


def test_structured_values_become_json_text_and_bare_keys_belong_to_the_project(root: Path):
    write(root, "config:\n  cluster: {b: 1, a: [x, true]}\n  aws:region: us-east-1\n  gpukit:config:old: 2\n  gpukit:none:\n")
    assert stackfile.read(root, "dev").config == {
        "gpukit:cluster": '{"a":["x",true],"b":1}',
        "aws:region": "us-east-1",
        "gpukit:old": "2",
        "gpukit:none": "",
    }


def test_secrets_are_marked_and_never_read(root: Path):
    write(root, "config:\n  gpukit:token: {secure: v1:canary}\n  gpukit:cluster: {a: {secure: v1:canary}, b: [1, {secure: v1:canary}]}\n")
    file = stackfile.read(root, "dev")
    assert file.config == {"gpukit:token": "[secret]", "gpukit:cluster": '{"a":"[secret]","b":[1,"[secret]"]}'}
    assert file.secret_keys == {"gpukit:token", "gpukit:cluster"}
    assert "canary" not in repr(file)


def test_a_mapping_with_more_than_the_secret_is_none(root: Path):
    write(root, "config:\n  gpukit:a: {secure: x, note: y}\n  gpukit:b: {secure: 5}\n")
    assert stackfile.read(root, "dev").secret_keys == frozenset()


def test_what_the_engine_adds_to_the_file_is_tolerated(root: Path):
    write(root, "encryptionsalt: v1:abc\nsecretsprovider: passphrase\nconfig:\n  gpukit:a: 1\n")
    assert stackfile.read(root, "dev").config == {"gpukit:a": "1"}


@pytest.mark.parametrize("content", ["", "# only a comment\n", "config:\n", "encryptionsalt: v1:abc\n"])
def test_a_file_without_config_has_none(root: Path, content: str):
    write(root, content)
    assert stackfile.read(root, "dev").config == {}


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfconfig:\n  gpukit:a: x\n", b"config:\r\n  gpukit:a: x\r\n", "config: {gpukit:a: x}".encode("utf-16")]
)
def test_byte_order_marks_and_line_ends_of_windows_are_read(root: Path, content: bytes):
    write(root, content)
    assert stackfile.read(root, "dev").config == {"gpukit:a": "x"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('config:\n  a: "open\n', "stacks/Pulumi.dev.yaml, line 3: found unexpected end of stream"),
        ("config:\n  a: {x: 1, x: 2}\n", "line 2: the key 'x' is there already, on line 2"),
        ("config:\n  a: 1\n  b: 2\n  a: 3\n", "line 4: the key 'a' is there already, on line 2"),
        ("config:\n\ta: 1\n", "line 2: found character that cannot start any token (indent with blanks, never tabs"),
        ("config: [", "line 2: did not find expected node content (a value is missing, or a bracket before it is not closed)"),
        ("config:\n  a: @x\n", "line 2: found character that cannot start any token"),
        ("config:\n  a: &b [*b]\n", "line 2: anchor 'b' contains itself"),
        ("config:\n  a: *b\n", "line 2: unknown anchor 'b'"),
        ("config:\n  a: {<<: 3}\n", "line 2: `<<` takes a mapping"),
        ("config:\n  a: {[1]: 2}\n", "line 2: a list or a mapping cannot be a key"),
        ("config: {a: 1}\n---\nconfig: {a: 2}\n", "line 2: a second document starts here"),
        ("config:\n  a: .inf\n", "`gpukit:a`: inf is no number that JSON can hold"),
        ("config:\n  a: !!int x\n", "line 2: cannot read 'x' as !!int"),
        ("config:\n  a: !!binary '***'\n", "line 2: !!binary holds no base64"),
        ("[1]\n", "a mapping with `config:` is expected, not a list"),
        ("text\n", "a mapping with `config:` is expected, not text"),
        ("config: []\n", "`config` is a list: a mapping from key to value is expected"),
        ("config: true\n", "`config` is true or false"),
        ("config: 5\n", "`config` is a number"),
        ("config: {a:b:c:d: 1}\n", "'a:b:c:d' is no config key: write <namespace>:<name>"),
        ("config: {cluster: 1, gpukit:cluster: 2}\n", "'cluster' and 'gpukit:cluster' are the same key"),
        (b"config:\n  a: \xff\n", "line 2: not UTF-8 text"),
        (b"\x00\x01\x02", "holds binary data: that is no stack file"),
        ("confg: {a: 1}\n", "'confg' is no key that stands there, did you mean config?"),
        ("config: {a: 1}\ncluster: {}\n", "'cluster' is no key that stands there, write it under config"),
        (b"config:\n  a: b\x07\n", "control characters are not allowed"),
        ("config: " + "[" * 500, "nested deeper than 100 levels"),
        ("config:\n" + " a: " * 5 + "b\n", "mapping values are not allowed"),
        ("config: {a: " + "x" * (1 << 20) + "}\n", "is larger than 1 MiB"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_a_file_that_is_no_stack_file_ends_in_one_paragraph_with_its_line(root: Path, content: str | bytes, words: str):
    write(root, content)
    text = refused(root)
    assert words in text
    assert text.startswith("stacks/Pulumi.dev.yaml")
    assert text.lower().endswith("restore it from version control.")


def test_aliases_that_multiply_are_cut_short(root: Path):
    lines = ["config:", "  a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    write(root, "\n".join(lines))
    assert "the document expands to more than 100,000 values" in refused(root)


def test_a_folder_in_the_place_of_the_file_is_told(root: Path):
    (root / "stacks" / "Pulumi.dev.yaml").mkdir()
    assert "not a plain file" in refused(root)


def test_an_unknown_stack_is_told_with_the_nearest_and_those_that_are_there(root: Path):
    for name in ("aws-training-dev", "aws-inference-dev"):
        write(root, "", name)
    assert stackfile.stack_names(root) == ("aws-inference-dev", "aws-training-dev")
    text = refused(root, "aws-trainin-dev")
    assert "There is no stack 'aws-trainin-dev'" in text
    assert "Did you mean aws-training-dev?" in text
    assert "Stacks with a file: aws-inference-dev, aws-training-dev." in text


@pytest.mark.parametrize("name", ["../secret", "a/b", "", ".", "x" * 500])
def test_a_name_that_is_no_stack_reads_no_file(root: Path, name: str):
    (root / "Pulumi.secret.yaml").write_text("config: {a: canary}")
    assert "No stack has a file in stacks/ yet." in refused(root, name)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_content_ends_in_anything_but_config_or_a_paragraph(tmp_path_factory: pytest.TempPathFactory, content: bytes):
    path = tmp_path_factory.mktemp("any") / "Pulumi.dev.yaml"
    path.write_bytes(content)
    try:
        values = stackfile.read_file(path, stack="dev").config.values()
    except BadInput as error:
        values = [str(error)]
    assert all(isinstance(value, str) for value in values)


def test_a_number_that_json_cannot_hold_is_left_to_the_settings_which_tell_every_error(root: Path):
    write(root, "config:\n  gpukit:cluster: {budget: {hourly_usd: .nan, monthly_usd: -.inf}, quee: 1}\n")
    budget = json.loads(stackfile.read(root, "dev").config["gpukit:cluster"])["budget"]
    assert [str(budget[key]) for key in ("hourly_usd", "monthly_usd")] == ["nan", "-inf"]


def test_another_programs_file_with_such_a_number_is_refused_as_the_engine_does(root: Path):
    write(root, "config:\n  gpukit:cluster: {a: .nan}\n")
    with pytest.raises(BadInput, match="nan is no number that JSON can hold"):
        stackfile.read_file(root / "stacks" / "Pulumi.dev.yaml", stack="dev")


def test_what_holds_anchors_may_stand_beside_the_config(root: Path):
    write(root, "sizes: &sizes {min: 0, max: 4}\nconfig:\n  gpukit:cluster: {nodes: *sizes}\n")
    assert json.loads(stackfile.read(root, "dev").config["gpukit:cluster"]) == {"nodes": {"min": 0, "max": 4}}
