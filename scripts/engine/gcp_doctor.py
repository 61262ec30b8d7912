"""What this machine has and lacks for real Google Cloud."""

from __future__ import annotations

import os
import shutil

from scripts.engine.examined import Health, Item, asked
from scripts.engine.gcp_identity import SIGN_IN
from scripts.engine.gcp_session import Google, NoCredentials

PLUGIN = "gke-gcloud-auth-plugin"
_BUDGETS = "a budget needs the id of a billing account that these credentials may use: give billing_account in the stack file"


def items() -> tuple[Item, ...]:
    return (asked("google credentials", _credentials), _plugin(), Item("google billing account", Health.UNKNOWN, "not looked at", _BUDGETS))


def _credentials() -> Item:
    """Whose they are; a project is named by each stack, so none is asked for here."""
    google = Google(os.environ)
    try:
        google.token()
    except NoCredentials:
        return Item("google credentials", Health.OPTIONAL, "", f"only for real clouds: sign in, for example {SIGN_IN}")
    return Item("google credentials", Health.OK, "application default credentials")


def _plugin() -> Item:
    """Kubeconfigs of GKE call it for a token; the sandbox brings a stand-in."""
    found = shutil.which(PLUGIN)
    if found is not None:
        return Item(PLUGIN, Health.OK, found)
    advice = f"only for real GKE clusters: `gcloud components install {PLUGIN}`, or the package of that name"
    return Item(PLUGIN, Health.OPTIONAL, "", advice)
