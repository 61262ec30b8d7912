"""A checkout of its own with the shipped stacks, its own simulated world, and the real engine on it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from scripts.engine.changes import Change
from scripts.engine.checkout import Checkout
from scripts.engine.outcome import Outcome
from scripts.engine.prepare import Order, job_of
from scripts.engine.run import Action, act
from scripts.engine.show import Show
from scripts.sandbox.client import Endpoints, World

ROOT = Path(__file__).parents[2]


def copy_of_the_project(target: Path) -> Checkout:
    target.mkdir(parents=True)
    shutil.copy(ROOT / "Pulumi.yaml", target)
    for name in ("stacks", "policies"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    (target / ".venv").symlink_to(sys.prefix)
    return Checkout(target)


@dataclass
class Asked:
    """Says yes, and keeps what the preview said of things that exist."""

    to_change: tuple[Change, ...] = ()

    def __call__(self, preview: Outcome) -> bool:
        self.to_change = preview.to_change
        return True

    @property
    def nodes(self) -> dict[str, str]:
        """What becomes of the nodes of each pool that changes."""
        return {change.name: change.nodes for change in self.to_change if change.nodes}

    @property
    def properties(self) -> dict[str, tuple[str, ...]]:
        """What differs in each thing that changes."""
        return {change.name: change.properties for change in self.to_change}


@dataclass
class Clouds:
    """Runs gpukit's actions on the shipped stacks of one checkout."""

    checkout: Checkout
    said: StringIO = field(default_factory=StringIO)

    @property
    def world(self) -> World:
        return World.at(self.checkout.root, speed=0)

    @property
    def endpoints(self) -> Endpoints:
        return self.world.start()

    def act(self, action: Action, stack: str, approve: Callable[[Outcome], bool] = lambda _: True, **files: str) -> Outcome:
        """`files` are those to judge by: `quota_snapshot`, `limits`, `prices`."""
        self.world.start()
        order = Order(action=action, stack=stack, world="sandbox", files=files)
        return act(job_of(self.checkout, order, show=Show("[sandbox]", self.said), approve=approve))

    def edit(self, stack: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the stack file's `gpukit:cluster` in place."""
        yaml, path = YAML(), self.checkout.stack_file(stack)
        document = yaml.load(path.read_text())
        change(document["config"]["gpukit:cluster"])
        with path.open("w") as file:
            yaml.dump(document, file)

    def boto3(self, service: str, region: str) -> Any:
        import boto3

        return boto3.client(
            service,
            region_name=region,
            endpoint_url=self.endpoints.aws,
            aws_access_key_id="simulated",
            aws_secret_access_key="simulated",
        )

    def google(self, client: type, **options: Any) -> Any:
        """One of Google's own clients at the world's door."""
        from google.api_core.client_options import ClientOptions
        from google.auth.credentials import AnonymousCredentials

        at = ClientOptions(api_endpoint=f"{self.endpoints.http}/gcp")
        return client(credentials=AnonymousCredentials(), client_options=at, **options)

    def azure(self, make: Callable[..., Any]) -> Any:
        """A client of an azure-mgmt package on the simulated subscription."""
        from scripts.engine.azure_session import management_client
        from scripts.engine.environment import AZURE_ENDPOINT
        from scripts.sandbox.place import ACCOUNTS

        return management_client(make, ACCOUNTS["azure"], {AZURE_ENDPOINT: f"{self.endpoints.http}/azure"})

    def kubernetes(self, kubeconfig: str) -> Any:
        """An API client on the cluster that `kubeconfig` points at; the token helper is the sandbox's own."""
        from kubernetes import client

        server = YAML(typ="safe").load(kubeconfig)["clusters"][0]["cluster"]["server"]
        return client.ApiClient(client.Configuration(host=server))
