"""What a Pulumi.yaml says about program, interpreter, stacks and settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts.check.project import open_project, stack_config
from scripts.errors import BadInput

from .conftest import Write


def test_the_program_lies_beside_pulumi_yaml_unless_main_says_otherwise(project: Write) -> None:
    root = project({"infra/__main__.py": "", "Pulumi.yaml": "name: shop\nmain: infra\nruntime: python\n"})
    assert open_project(root).program == (root / "infra" / "__main__.py").resolve()
    (root / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    assert open_project(root).program == (root / "__main__.py").resolve()


def test_main_may_name_the_file(project: Write) -> None:
    root = project({"app.py": "", "Pulumi.yaml": "name: shop\nmain: app.py\nruntime: python\n"})
    assert open_project(root).program.name == "app.py"


@pytest.mark.parametrize("key", ["stackConfigDir", "config"])
def test_stack_files_may_lie_in_a_folder_of_their_own(project: Write, key: str) -> None:
    root = project(
        {"Pulumi.yaml": f"name: shop\n{key}: settings\nruntime: python\n", "settings/Pulumi.prod.yaml": "config:\n  size: big\n"}
    )
    found = stack_config(open_project(root), None)
    assert found.stack == "prod"
    assert found.config == {"shop:size": "big"}


def test_the_stack_file_goes_before_the_projects_defaults(project: Write) -> None:
    root = project(
        {
            "Pulumi.yaml": """
            name: shop
            runtime: {name: python}
            config:
              size: {type: string, default: small}
              count: 3
              aws:region: {value: eu-west-1}
              only-described: {type: string}
            """,
            "Pulumi.dev.yaml": "config:\n  shop:size: big\n",
        }
    )
    assert stack_config(open_project(root), "dev").config == {"shop:size": "big", "shop:count": "3", "aws:region": "eu-west-1"}


def test_secrets_of_a_stack_file_are_marked_and_not_read(project: Write) -> None:
    found = stack_config(open_project(project({"Pulumi.dev.yaml": "config:\n  shop:word: {secure: AAABcanary}\n"})), None)
    assert found.secret_keys == {"shop:word"}
    assert "canary" not in str(found)


def test_of_several_stacks_one_must_be_chosen(project: Write) -> None:
    several = open_project(project({"Pulumi.dev.yaml": "", "Pulumi.prod.yaml": ""}))
    with pytest.raises(BadInput, match=r"--stack \(dev, prod\)"):
        stack_config(several, None)
    assert stack_config(several, "prod").stack == "prod"
    with pytest.raises(BadInput, match="Did you mean prod"):
        stack_config(several, "prd")


def test_a_project_without_stack_files_runs_with_its_defaults(project: Write) -> None:
    found = stack_config(open_project(project()), None)
    assert found.stack == "dev"
    assert "no stack file: the program was run as a stack called dev" in found.note
    with pytest.raises(BadInput, match="no stack file"):
        stack_config(open_project(project()), "prod")


def test_the_virtual_environment_that_the_project_names_is_used(project: Write) -> None:
    root = project({"Pulumi.yaml": "name: shop\nruntime: {name: python, options: {virtualenv: venv}}\n"})
    with pytest.raises(BadInput, match="virtual environment venv, which is not there"):
        open_project(root)
    (root / "venv" / "bin").mkdir(parents=True)
    (root / "venv" / "bin" / "python").symlink_to(sys.executable)
    assert open_project(root).python == root.resolve() / "venv" / "bin" / "python"


def test_without_one_the_interpreter_of_gpukit_serves(project: Write) -> None:
    assert open_project(project()).python == Path(sys.executable)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: shop\nruntime: nodejs\n", "only Python programs"),
        ("runtime: python\n", "no `name`"),
        ("name: shop\nruntime: python\nmain: gone\n", "`main` leads there"),
        ("name: [\n", "line 2"),
        ("- a\n", "no mapping"),
    ],
)
def test_what_is_no_python_project_is_refused_with_the_reason(project: Write, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        open_project(project({"Pulumi.yaml": text}))


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no Pulumi\.yaml"):
        open_project(tmp_path)
