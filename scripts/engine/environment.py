"""The environment of sandbox runs: no real credential in it, no way off the machine, the simulated clouds' addresses instead."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from scripts.engine import host_wrapper
from scripts.engine.checkout import Checkout

WORLD = "GPUKIT_WORLD"
SANDBOX = "sandbox"
PASSPHRASE = "simulated"
"""Encrypts the sandbox's state, which holds nothing real. Never used outside of the sandbox."""

GCP_ENDPOINT = "GPUKIT_GCP_ENDPOINT"
AZURE_ENDPOINT = "GPUKIT_AZURE_ENDPOINT"
"""Addresses of the simulated Google APIs and Resource Manager: their client libraries take an endpoint, but know no variable for it."""

LOOPBACK = "localhost,127.0.0.1,::1"

_CREDENTIAL_PREFIXES = (
    "AWS_",
    "GOOGLE_",
    "GCLOUD_",
    "GCP_",
    "CLOUDSDK_",
    "AZURE_",
    "ARM_",
    "KUBE",
    "HELM_",
    "PULUMI_",
    "GPUKIT_GCP_",
    "GPUKIT_AZURE_",
)
_CREDENTIAL_WORDS = re.compile(
    r"(^|_)(TOKEN|SECRET|SECRETS|PASSWORD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY|PRIVATE_KEY)(_|$)", re.IGNORECASE
)
_SLOW = "PYTHONDONTWRITEBYTECODE"
"""With it and uncompiled SDKs the smallest preview takes three times as long."""
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class Endpoints(Protocol):
    """Where the simulated world listens: a gRPC port for each provider package, one HTTP address for the clouds' APIs."""

    @property
    def providers(self) -> Mapping[str, int]: ...

    @property
    def http(self) -> str: ...


def is_credential(name: str) -> bool:
    """Whether a variable may name or hold a real credential, or point at a real account."""
    return name.upper().startswith(_CREDENTIAL_PREFIXES) or _CREDENTIAL_WORDS.search(name) is not None


def environment(checkout: Checkout, world: Endpoints, *, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """`base` (default: this process's environment) for running the engine on the simulated clouds.

    Names that `base` holds and the result does not are to be unset by whoever evaluates it in a shell.
    """
    base = os.environ if base is None else base
    dropped = {*_PROXIES, "NO_PROXY", _SLOW}
    kept = {name: value for name, value in base.items() if not is_credential(name) and name.upper() not in dropped}
    return kept | _isolation(world) | _clouds(checkout, world) | _engine(checkout, world) | {"PATH": _path(checkout, base), WORLD: SANDBOX}


def unset_names(base: Mapping[str, str], result: Mapping[str, str]) -> tuple[str, ...]:
    """Names to unset in a shell that has `base`, sorted."""
    return tuple(sorted(base.keys() - result.keys()))


def _isolation(world: Endpoints) -> dict[str, str]:
    """The world is the proxy of every call: it refuses all but its own addresses, so that nothing reaches a real cloud.

    A proxy that answers nothing would do for most, but the Kubernetes client asks it for the loopback too: it drops NO_PROXY
    (kubernetes 35, client/configuration.py).
    """
    names = [spelling for name in _PROXIES for spelling in (name, name.lower())]
    return dict.fromkeys(names, world.http) | {"NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}


def _clouds(checkout: Checkout, world: Endpoints) -> dict[str, str]:
    """Addresses and obviously simulated credentials; configuration files of the real tools are hidden."""
    nowhere = str(checkout.sandbox / "no-configuration")
    return {
        GCP_ENDPOINT: f"{world.http}/gcp",
        AZURE_ENDPOINT: f"{world.http}/azure",
        "STORAGE_EMULATOR_HOST": f"{world.http}/gcp",  # google-cloud-storage's own variable
        "NO_GCE_CHECK": "true",  # google-auth asks the metadata server of the machine otherwise
        "AWS_ENDPOINT_URL": f"{world.http}/aws",
        "AWS_ACCESS_KEY_ID": "simulated",
        "AWS_SECRET_ACCESS_KEY": "simulated",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CLOUDSDK_CONFIG": nowhere,
        "AZURE_CONFIG_DIR": nowhere,
        "KUBECONFIG": os.devnull,
    }


def _engine(checkout: Checkout, world: Endpoints) -> dict[str, str]:
    return {
        "PULUMI_HOME": str(checkout.sandbox / "pulumi-home"),
        "PULUMI_BACKEND_URL": f"file://{checkout.sandbox_state}",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_DEBUG_PROVIDERS": ",".join(f"{package}:{port}" for package, port in sorted(world.providers.items())),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_DEBUG_COMMANDS": "1",  # without it `--event-log` is an unknown flag
        host_wrapper.PYTHON_VARIABLE: sys.executable,
    }


def _path(checkout: Checkout, base: Mapping[str, str]) -> str:
    """The sandbox's commands first, then this project's own (`gpukit`, its `python`), then what was there."""
    own = [str(tools(checkout)), str(checkout.root / ".venv" / "bin")]
    return os.pathsep.join([*own, *(entry for entry in base.get("PATH", os.defpath).split(os.pathsep) if entry not in own)])


def tools(checkout: Checkout) -> Path:
    """Directory of the sandbox's commands, first on its PATH."""
    return checkout.sandbox / "bin"
