from __future__ import annotations

import json
import os
import subprocess

import pytest

from scripts.engine import sandbox_project
from scripts.engine.checkout import Checkout
from scripts.errors import BadInput

SALT = "encryptionsalt: v1:abc\n"


def test_the_copy_holds_the_project_and_links_its_environment(checkout: Checkout) -> None:
    copy = sandbox_project.refresh(checkout)
    assert (copy / "Pulumi.yaml").read_text() == (checkout.root / "Pulumi.yaml").read_text()
    assert (copy / "stacks" / "Pulumi.dev.yaml").exists()
    assert (copy / "policies" / "PulumiPolicy.yaml").exists()
    assert (copy / ".venv").resolve() == checkout.root / ".venv"


def test_the_copy_follows_the_checkout(checkout: Checkout) -> None:
    copy = sandbox_project.refresh(checkout)
    checkout.stack_file("dev").write_text("config: {a: b}\n")
    checkout.stack_file("prod").write_text("config: {}\n")
    (checkout.root / "policies" / "PulumiPolicy.yaml").unlink()
    sandbox_project.refresh(checkout)
    assert (copy / "stacks" / "Pulumi.dev.yaml").read_text() == "config: {a: b}\n"
    assert (copy / "stacks" / "Pulumi.prod.yaml").exists()
    assert not (copy / "policies" / "PulumiPolicy.yaml").exists()


def test_the_salt_that_the_engine_gave_the_copy_survives_a_new_copy(checkout: Checkout) -> None:
    copied = sandbox_project.refresh(checkout) / "stacks" / "Pulumi.dev.yaml"
    copied.write_text(copied.read_text() + SALT)
    checkout.stack_file("dev").write_text("config:\n  aws:region: eu-west-1")
    sandbox_project.refresh(checkout)
    assert copied.read_text() == "config:\n  aws:region: eu-west-1\n" + SALT


def test_the_users_own_files_are_never_written(checkout: Checkout) -> None:
    before = checkout.stack_file("dev").read_bytes()
    copied = sandbox_project.refresh(checkout) / "stacks" / "Pulumi.dev.yaml"
    copied.write_text(copied.read_text() + SALT)
    sandbox_project.refresh(checkout)
    assert checkout.stack_file("dev").read_bytes() == before


def test_a_stack_file_that_the_engine_deleted_comes_back(checkout: Checkout) -> None:
    copied = sandbox_project.refresh(checkout) / "stacks" / "Pulumi.dev.yaml"
    copied.unlink()
    sandbox_project.refresh(checkout)
    assert copied.read_bytes() == checkout.stack_file("dev").read_bytes()


@pytest.mark.parametrize(
    "text", ["config:\n  k:\n    secure: v1:xyz\n", "config: {k: {secure: v1:xyz}}\n", "secretsprovider: awskms://a\n"]
)
def test_values_encrypted_elsewhere_are_refused_by_file(checkout: Checkout, text: str) -> None:
    checkout.stack_file("dev").write_text(text)
    with pytest.raises(BadInput, match=r"Pulumi\.dev\.yaml holds values that Pulumi has encrypted"):
        sandbox_project.refresh(checkout)


def test_the_users_salt_alone_means_nothing_in_the_sandbox(checkout: Checkout) -> None:
    checkout.stack_file("dev").write_text("config: {}\nencryptionsalt: v1:real\n")
    assert "real" not in (sandbox_project.refresh(checkout) / "stacks" / "Pulumi.dev.yaml").read_text()


def test_the_token_helper_answers_for_clusters_and_refuses_everything_else(checkout: Checkout) -> None:
    sandbox_project.refresh(checkout)
    aws = checkout.sandbox / "bin" / "aws"
    answer = subprocess.run([aws, "eks", "get-token", "--cluster-name", "c", "--output", "json"], capture_output=True, check=True)
    credential = json.loads(answer.stdout)
    assert credential["kind"] == "ExecCredential"
    assert "simulated" in credential["status"]["token"]
    assert subprocess.run([aws, "s3", "ls"], capture_output=True, check=False).returncode == 2


def test_of_the_engines_logs_only_the_newest_stay(checkout: Checkout) -> None:
    logs = checkout.sandbox / "pulumi-home" / "logs"
    logs.mkdir(parents=True)
    for number in range(sandbox_project.LOGS + 5):
        (logs / f"{number}.log").touch()
        os.utime(logs / f"{number}.log", (number, number))
    sandbox_project.refresh(checkout)
    left = {int(path.stem) for path in logs.iterdir()}
    assert left == set(range(5, sandbox_project.LOGS + 5))
