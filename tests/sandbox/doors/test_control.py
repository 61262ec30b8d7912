from __future__ import annotations

from typing import Any

import httpx

from tests.sandbox.cloud import Cloud
from tests.sandbox.doors.conftest import TOKEN


def ask(address: str, action: str, token: str = TOKEN, **given: Any) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.post(f"{address}/gpukit/{action}", json=given, headers={"Authorization": f"Bearer {token}"})


def test_without_the_token_nothing_is_told_or_done(cloud: Cloud, address: str):
    assert ask(address, "advance", token="wrong", duration="2h").status_code == 401
    assert ask(address, "status", token=TOKEN[:-1]).status_code == 401


def test_time_passes_when_told(cloud: Cloud, address: str):
    before = cloud.world.clock.text()
    now = ask(address, "advance", duration="1d").json()["now"]
    assert now[:10] > before[:10]


def test_a_mistake_is_told_with_its_exit_code(address: str):
    answer = ask(address, "advance", duration="soon")
    assert answer.status_code == 400
    assert answer.json()["exit"] == 2
    assert "'soon' is not a duration" in answer.json()["error"]


def test_an_action_that_is_none_names_those_that_are(address: str):
    assert "fault/add" in ask(address, "explode").json()["error"]


def test_a_declared_account_and_quota_hold(cloud: Cloud, address: str):
    ask(address, "declare", accounts={"aws": "999999999999"}, quotas={"L-417A185B": 96})
    assert cloud.restarted().world.account("aws") == "999999999999"
    assert ask(address, "declare", colour="red").status_code == 400


def test_the_status_counts_what_is_there_and_says_that_it_is_simulated(cloud: Cloud, address: str):
    cloud.group(cloud.cluster(), desired=3)
    told = ask(address, "status").json()
    assert told["simulated"] is True
    assert told["instances"] == {"m7i.large": 3}
    assert [c["name"] for c in told["clusters"]] == ["lab"]
