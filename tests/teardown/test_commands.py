"""What is typed, and what a person has to say."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.errors import BadInput, Refused
from scripts.teardown.asking import Person, confirm
from scripts.teardown.commands import minutes
from scripts.teardown.model import Target, Thing, usd_text
from scripts.teardown.preparing import Wanted

TARGET = Target(cloud="aws", account="123456789012", region="us-east-1", cluster="lab", world="sandbox", stack="lab-dev")
NOBODY = Person(there=False, answer=lambda _: "")


def somebody(*answers: str) -> Person:
    given = list(answers)
    return Person(there=True, answer=lambda _: given.pop(0))


def wanted(**changes: Any) -> Wanted:
    given: dict[str, Any] = {"stack": None, "cluster": None, "cloud": None, "region": None, "account": None, "world": "sandbox", **changes}
    return Wanted(**given)


def test_the_targets_own_name_confirms() -> None:
    confirm(TARGET, somebody("lab-dev"), given=None, data=frozenset())
    confirm(TARGET, NOBODY, given="lab-dev", data=frozenset())


@pytest.mark.parametrize("said", ["", "yes", "y", "lab", "LAB-DEV"])
def test_nothing_else_does(said: str) -> None:
    with pytest.raises(Refused, match="Not confirmed"):
        confirm(TARGET, somebody(said), given=None, data=frozenset())
    with pytest.raises(Refused, match="Not confirmed"):
        confirm(TARGET, NOBODY, given=said, data=frozenset())


def test_without_a_terminal_the_name_has_to_be_given() -> None:
    with pytest.raises(BadInput, match="--confirm lab-dev"):
        confirm(TARGET, NOBODY, given=None, data=frozenset())


def test_the_question_names_account_and_place() -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "lab-dev"

    confirm(TARGET, Person(there=True, answer=answer), given=None, data=frozenset())
    assert "cluster lab in aws account 123456789012, us-east-1" in asked[0]


def test_data_is_deleted_by_a_person_alone_and_each_by_its_name() -> None:
    with pytest.raises(Refused, match="never for an unattended run"):
        confirm(TARGET, NOBODY, given="lab-dev", data=frozenset({"checkpoints"}))
    with pytest.raises(Refused, match="Deleting checkpoints was not confirmed"):
        confirm(TARGET, somebody("yes"), given="lab-dev", data=frozenset({"checkpoints"}))
    confirm(TARGET, somebody("lab-dev", "checkpoints"), given=None, data=frozenset({"checkpoints"}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Give the STACK"),
        ({"stack": "a", "cluster": "b"}, "are both given"),
        ({"cluster": "b"}, "--cluster b needs --cloud"),
        ({"cluster": "b", "cloud": "oracle"}, "one of aws, gcp, azure"),
        ({"cluster": "b", "cloud": "aws"}, "needs --region"),
        ({"stack": "a", "region": "us-east-1"}, "go with --cluster"),
    ],
)
def test_half_a_target_is_refused_with_what_is_missing(changes: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        wanted(**changes)


@pytest.mark.parametrize("name", ["../../etc", "a b", "lab;rm", "-lab", "lab\n", "l" * 101, "läb"])
def test_a_name_that_no_cloud_gives_is_refused_before_it_becomes_a_path_or_a_request(name: str) -> None:
    with pytest.raises(BadInput, match=r"--cluster .* is no name that a cloud gives"):
        wanted(cluster=name, cloud="aws", region="us-east-1")


@pytest.mark.parametrize("changes", [{"region": "us east"}, {"region": "../x"}, {"account": "12/34"}, {"account": "a b"}])
def test_region_and_account_are_looked_at_too(changes: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="is no name that a cloud gives"):
        wanted(**{"cluster": "lab", "cloud": "aws", "region": "us-east-1", **changes})


@pytest.mark.parametrize("account", ["123456789012", "my-project", "example.com:old-project", "00000000-0000-0000-0000-000000000000"])
def test_the_clouds_own_spellings_of_accounts_are_taken(account: str) -> None:
    assert wanted(cluster="Lab_1", cloud="gcp", region="us-central1-a", account=account).account == account


def test_waits_are_set_by_step() -> None:
    assert minutes(["balancers=5", "data=0"]) == {"balancers": 5, "data": 0}


@pytest.mark.parametrize("pair", ["balancers", "balancers=long", "balancers=-1", "balancers=nan", "balancers=9999", "coffee=5"])
def test_a_wait_that_means_nothing_is_refused_with_the_steps_that_there_are(pair: str) -> None:
    with pytest.raises(BadInput, match=r"Steps: .*balancers"):
        minutes([pair])


def test_a_price_that_is_missing_is_never_nothing() -> None:
    free, billed, unknown = (Thing(kind="a", id=str(usd), monthly_usd=usd) for usd in (0.0, 12.5, None))
    assert usd_text((free,)) == ""
    assert usd_text((free, billed)) == "about 12.50 USD a month"
    assert usd_text((billed, unknown)) == "at least 12.50 USD a month"
    assert usd_text((unknown,)) == "at a price that is not known"
