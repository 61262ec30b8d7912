"""Which Azure subscription the credentials open, and whose they are."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from typing import Any, cast

from scripts.engine.azure_session import Arm, NoCredentials, NotThere, token
from scripts.engine.identity import Caller

NOUN = "Azure subscription"
SIGN_IN = "`az login`"
_VERSION = "2022-12-01"
_NAMES = ("upn", "unique_name", "preferred_username", "app_displayname", "appid", "oid")
"""Claims of a token that tell whose it is, the plainest first."""


def caller(account: str, _region: str, environment: Mapping[str, str] | None = None) -> Caller | None:
    """The caller; None when nobody is signed in. Raises Failed when Azure refuses or does not answer.

    Credentials may open several subscriptions: `account` is looked for, and where it is none of them, another that is.
    """
    where = os.environ if environment is None else environment
    arm = Arm(where)
    try:
        name = _whose(token(where))
        found = _subscription(arm, account) or next((str(each["subscriptionId"]) for each in arm.list("/subscriptions", _VERSION)), "")
    except NoCredentials:
        return None
    return Caller(found or "(none that it may see)", name)


def _subscription(arm: Arm, account: str) -> str:
    """The subscription as the stack spells it, when the credentials open it."""
    if not account:
        return ""
    try:
        found = str(arm.get(f"/subscriptions/{account}", _VERSION)["subscriptionId"])
    except NotThere:
        return ""
    return account if found.lower() == account.lower() else found


def _whose(bearer: str) -> str:
    """The caller's name from the token's claims, which are only read, never trusted."""
    parts = bearer.split(".")
    if len(parts) != 3:
        return "simulated caller" if bearer == "simulated" else "unnamed caller"
    try:
        claims = cast("Mapping[str, Any]", json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))))
    except ValueError:
        return "unnamed caller"
    return next((str(claims[name]) for name in _NAMES if claims.get(name)), "unnamed caller")
