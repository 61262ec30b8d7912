from __future__ import annotations

from typing import Any

import pytest

from scripts.engine import gcp_identity, identity
from scripts.engine.gcp_session import NoCredentials
from scripts.errors import Failed, Refused

EMAIL = "platform@example.com"


class Google:
    """Stands for Google's APIs: the projects that the credentials open."""

    endpoint = None

    def __init__(self, projects: Any) -> None:
        self.projects = projects

    def token(self) -> str:
        if isinstance(self.projects, Exception):
            raise self.projects
        return "canary-token"

    def get(self, service: str, path: str, **_: str) -> dict[str, Any] | None:
        if service == "oauth2":
            return {"email": EMAIL}
        name = path.rsplit("/", 1)[-1]
        if name not in self.projects:
            raise Failed(f"Google refused to tell about {path}: Permission 'resourcemanager.projects.get' denied.")
        return {"projectId": name, "state": "ACTIVE"}


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("GOOGLE_CLOUD_PROJECT", "GOOGLE_PROJECT", "CLOUDSDK_CORE_PROJECT"):
        monkeypatch.delenv(name, raising=False)

    def put(projects: Any) -> None:
        monkeypatch.setattr(gcp_identity, "Google", lambda *_: Google(projects))

    return put


def refuse() -> identity.Caller:
    return identity.refuse_other_account(cloud="gcp", account="mine", region="us-central1", stack="dev")


def test_credentials_that_open_the_stacks_project_may_act(opens: Any) -> None:
    opens({"mine", "another"})
    assert refuse() == identity.Caller("mine", EMAIL)


def test_a_project_that_they_do_not_open_is_refused_and_named(opens: Any) -> None:
    opens({"another"})
    with pytest.raises(
        Refused, match=rf"project mine, but the credentials are {EMAIL} of .* \(none that is visible\)\. Nothing was changed"
    ):
        refuse()


def test_an_environment_that_means_another_project_is_refused_by_both_names(opens: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opens({"mine", "another"})
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "another")
    with pytest.raises(Refused, match=r"project mine, but .* project another\. Nothing was changed"):
        refuse()
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "mine")
    assert refuse().account == "mine"


def test_without_credentials_nothing_is_done(opens: Any) -> None:
    opens(NoCredentials())
    with pytest.raises(
        Refused, match=r"no credentials for it here\. Nothing was changed.*gcloud auth application-default login.*--sandbox"
    ):
        refuse()


def test_a_refusal_for_another_reason_is_a_failure(opens: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opens({"mine"})
    monkeypatch.setattr(Google, "get", lambda *_, **__: (_ for _ in ()).throw(Failed("Google did not answer.")))
    with pytest.raises(Failed, match="did not answer"):
        refuse()
