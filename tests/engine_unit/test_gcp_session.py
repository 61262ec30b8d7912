from __future__ import annotations

import pytest

from scripts.engine import gcp_doctor, gcp_session
from scripts.engine.examined import Health
from scripts.engine.gcp_session import Google, NoCredentials
from scripts.errors import Failed


def test_the_sandbox_needs_no_credentials_and_reads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gcp_session, "_fresh_token", lambda: pytest.fail("credentials were read"))
    assert Google({"GPUKIT_GCP_ENDPOINT": "http://127.0.0.1:1/gcp"})._headers() == {}


def test_a_real_call_carries_one_token_that_is_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = iter(["canary"])
    monkeypatch.setattr(gcp_session, "_fresh_token", lambda: next(tokens))
    google = Google({})
    assert google._headers() == google._headers() == {"Authorization": "Bearer canary"}


def test_missing_and_refused_credentials_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from google import auth
    from google.auth.exceptions import DefaultCredentialsError, RefreshError

    class Expired:
        def refresh(self, _: object) -> None:
            raise RefreshError("canary expired")

    def without(**_: object) -> object:
        raise DefaultCredentialsError("none were found")

    monkeypatch.setattr(auth, "default", without)
    with pytest.raises(NoCredentials):
        Google({}).token()
    monkeypatch.setattr(auth, "default", lambda **_: (Expired(), None))
    with pytest.raises(Failed, match="gcloud auth application-default login"):
        Google({}).token()


def test_doctor_names_credentials_and_the_kubeconfigs_plugin_and_shows_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gcp_session, "_fresh_token", lambda: "canary")
    monkeypatch.delenv("GPUKIT_GCP_ENDPOINT", raising=False)
    monkeypatch.setattr(gcp_doctor.shutil, "which", lambda _: None)
    items = {item.name: item for item in gcp_doctor.items()}
    assert items["google credentials"].health is Health.OK
    assert "canary" not in str(items)
    assert (items["gke-gcloud-auth-plugin"].health, "gcloud components install" in items["gke-gcloud-auth-plugin"].advice) == (
        Health.OPTIONAL,
        True,
    )
    assert items["google billing account"].health is Health.UNKNOWN


def test_doctor_says_how_to_get_credentials_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise NoCredentials

    monkeypatch.setattr(gcp_session, "_fresh_token", none)
    monkeypatch.delenv("GPUKIT_GCP_ENDPOINT", raising=False)
    [item] = [each for each in gcp_doctor.items() if each.name == "google credentials"]
    assert (item.health, "gcloud auth application-default login" in item.advice) == (Health.OPTIONAL, True)
