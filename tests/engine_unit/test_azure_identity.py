from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import Any

import pytest

from scripts.engine import azure_doctor, azure_identity, azure_session, identity
from scripts.engine.azure_session import NoCredentials, NotThere
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.engine.examined import Health
from scripts.errors import Failed, Refused

OURS, OTHER = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"


def bearer(**claims: str) -> str:
    return f"x.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.x"


class Subscriptions:
    """Stands for Resource Manager: the subscriptions that the credentials open."""

    def __init__(self, *opened: str) -> None:
        self.opened = opened

    def get(self, path: str, _version: str) -> dict[str, Any]:
        name = path.rsplit("/", 1)[-1]
        if name not in self.opened:
            raise NotThere(path)
        return {"subscriptionId": name}

    def list(self, _path: str, _version: str) -> list[dict[str, Any]]:
        return [{"subscriptionId": name} for name in self.opened]


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(*opened: str, token: str | Exception = "") -> None:
        def give(_environment: Any) -> str:
            if isinstance(token, Exception):
                raise token
            return token or bearer(upn="canary@example.com")

        monkeypatch.setattr(azure_identity, "token", give)
        monkeypatch.setattr(azure_identity, "Arm", lambda _environment: Subscriptions(*opened))

    return put


def refuse() -> Any:
    return identity.refuse_other_account(cloud="azure", account=OURS, region="eastus", stack="dev")


def test_the_stacks_own_subscription_may_be_changed(signed_in: Any) -> None:
    signed_in(OTHER, OURS)
    assert refuse() == identity.Caller(OURS, "canary@example.com")


def test_credentials_of_another_subscription_are_refused_by_both(signed_in: Any) -> None:
    signed_in(OTHER)
    with pytest.raises(Refused, match=rf"subscription {OURS}, but .* subscription {OTHER}\. Nothing was changed"):
        refuse()


def test_credentials_that_open_nothing_are_refused(signed_in: Any) -> None:
    signed_in()
    with pytest.raises(Refused, match="none that it may see"):
        refuse()


def test_without_a_sign_in_nothing_is_done(signed_in: Any) -> None:
    signed_in(token=NoCredentials())
    with pytest.raises(Refused, match=rf"Azure subscription {OURS}, and there are no credentials.*az login"):
        refuse()


def test_a_token_that_tells_no_name_is_still_somebodys(signed_in: Any) -> None:
    signed_in(OURS, token="opaque")
    assert refuse().name == "unnamed caller"


def test_nobody_signed_in_and_a_wrong_secret_are_two_things(monkeypatch: pytest.MonkeyPatch) -> None:
    from azure.core.exceptions import ClientAuthenticationError

    class Refuses:
        def get_token(self, *_: str) -> Any:
            raise ClientAuthenticationError("no way in\nand how it was tried")

    monkeypatch.setattr(azure_session, "credential", lambda _environment: Refuses())
    with pytest.raises(NoCredentials):
        azure_session.token({})
    with pytest.raises(Failed, match=r"refused the service principal's credentials \(ARM_\*\): no way in\. Nothing"):
        azure_session.token({"ARM_CLIENT_ID": "x"})


def test_the_sandbox_asks_for_no_real_token() -> None:
    assert azure_session.token({AZURE_ENDPOINT: "http://127.0.0.1:1/azure", "ARM_CLIENT_ID": "real"}) == "simulated"


def test_the_doctor_names_the_feature_that_infiniband_needs_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_SUBSCRIPTION_ID", OURS)
    monkeypatch.setattr(azure_identity, "caller", lambda *_: None)

    def look(state: str) -> Any:
        class Features:
            def get(self, *_: str) -> Any:
                return {"properties": {"state": state}}

        monkeypatch.setattr(azure_doctor, "Arm", Features)
        return {each.name: each for each in azure_doctor.items()}

    missing = look("NotRegistered")
    assert missing["azure credentials"].health is Health.OPTIONAL
    assert missing["azure infiniband feature"].health is Health.OPTIONAL
    assert (
        "az feature register --namespace Microsoft.ContainerService --name AKSInfinibandSupport"
        in missing["azure infiniband feature"].advice
    )
    assert look("Registered")["azure infiniband feature"].health is Health.OK


def test_without_a_subscription_the_feature_is_unknown_not_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARM_SUBSCRIPTION_ID", "AZURE_SUBSCRIPTION_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(azure_identity, "caller", lambda *_: identity.Caller(OURS, "canary"))
    items = {each.name: each for each in azure_doctor.items()}
    assert items["azure infiniband feature"].health is Health.UNKNOWN
    assert OURS in items["azure credentials"].found


def test_looking_things_up_loads_no_management_sdk() -> None:
    code = "import sys, scripts.engine.azure_lookup, scripts.engine.azure_identity; print([m for m in sys.modules if m.startswith(('azure.mgmt', 'pulumi_azure'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
