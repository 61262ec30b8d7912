from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from scripts.engine import aws_identity, identity
from scripts.errors import Failed, Refused


class Sts:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def get_caller_identity(self) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"Account": self.answer, "Arn": f"arn:aws:iam::{self.answer}:user/canary"}


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(answer: Any) -> None:
        monkeypatch.setattr(aws_identity, "client", lambda *_: Sts(answer))

    return put


def refuse(cloud: str = "aws") -> Any:
    return identity.refuse_other_account(cloud=cloud, account="123456789012", region="us-east-1", stack="dev")


def test_the_stacks_own_account_may_act(caller: Any) -> None:
    caller("123456789012")
    assert refuse().account == "123456789012"


def test_another_account_is_refused_by_both_numbers(caller: Any) -> None:
    caller("999999999999")
    with pytest.raises(Refused, match=r"account 123456789012, but .* account 999999999999\. Nothing was changed"):
        refuse()


def test_without_credentials_nothing_is_done(caller: Any) -> None:
    caller(NoCredentialsError())
    with pytest.raises(
        Refused, match=r"AWS account 123456789012, and there are no credentials for it here\. Nothing was changed.*--sandbox"
    ):
        refuse()


def test_expired_credentials_are_a_failure(caller: Any) -> None:
    caller(ClientError({"Error": {"Code": "ExpiredToken", "Message": "expired"}}, "GetCallerIdentity"))
    with pytest.raises(Failed, match=r"ExpiredToken.*Nothing was changed"):
        refuse()


@pytest.mark.parametrize("cloud", ["elsewhere"])
def test_a_cloud_that_is_not_built_is_refused_by_name(caller: Any, cloud: str) -> None:
    caller("123456789012")
    with pytest.raises(Refused, match=f"{cloud}, which is not built yet"):
        refuse(cloud)
