"""Whether the Google credentials open a project, and whose they are."""

from __future__ import annotations

import os
from collections.abc import Mapping

from scripts.engine.gcp_session import Google, NoCredentials
from scripts.engine.identity import Caller
from scripts.errors import Failed

NOUN = "Google Cloud project"
SIGN_IN = "`gcloud auth application-default login`"
_NAMED = ("GOOGLE_CLOUD_PROJECT", "GOOGLE_PROJECT", "CLOUDSDK_CORE_PROJECT")
"""Variables by which a person says which project is meant; Google's libraries and its provider read them."""


def caller(account: str, region: str, environment: Mapping[str, str] | None = None) -> Caller | None:
    """The caller in the project `account`; None without credentials. Raises Failed when Google does not answer.

    One set of credentials opens many projects. It counts as another's where the environment names another project, or where Google says that
    the project is not there for these credentials.
    """
    del region
    environment = os.environ if environment is None else environment
    google = Google(environment)
    try:
        name = _name(google)
        elsewhere = next((environment[variable] for variable in _NAMED if environment.get(variable) not in (None, "", account)), None)
        if elsewhere is not None:
            return Caller(elsewhere, name)
        return Caller(account, name) if _opens(google, account) else Caller("(none that is visible)", name)
    except NoCredentials:
        return None


def _name(google: Google) -> str:
    query = {} if google.endpoint else {"access_token": google.token()}
    found = google.get("oauth2", "/tokeninfo" if google.endpoint is None else "/oauth2/v3/tokeninfo", **query) or {}
    return str(found.get("email") or "somebody whose address the token does not tell")


def _opens(google: Google, project: str) -> bool:
    """Google answers 403 for a project that is not there as for one that is not ours."""
    try:
        found = google.get("projects", f"/v3/projects/{project}")
    except Failed as error:
        if "resourcemanager.projects.get" in str(error):
            return False
        raise
    return found is not None and found.get("projectId") == project
