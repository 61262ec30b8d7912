from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from kubernetes import client

from scripts.sandbox.doors import control, kubernetes
from scripts.sandbox.doors.aws import door as aws
from scripts.sandbox.doors.http import DoorServer
from tests.sandbox.cloud import REGION, Cloud

TOKEN = "door-token"


@pytest.fixture
def address(cloud: Cloud) -> Iterator[str]:
    """The doors of the cloud's world, served in this process."""
    doors = {"/aws": aws.door(cloud.world), "/eks": kubernetes.door(cloud.world), "/gpukit": control.door(cloud.world, TOKEN, lambda: None)}
    server = DoorServer(0, doors)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def boto(address: str) -> Callable[..., Any]:
    def make(service: str, region: str = REGION) -> Any:
        return boto3.client(
            service, region_name=region, endpoint_url=f"{address}/aws", aws_access_key_id="simulated", aws_secret_access_key="simulated",
            config=Config(retries={"max_attempts": 0}, proxies={}),
        )  # fmt: skip

    return make


@pytest.fixture
def api(cloud: Cloud, address: str) -> client.ApiClient:
    """A Kubernetes client of the cluster `lab`."""
    cloud.cluster()
    return client.ApiClient(client.Configuration(host=f"{address}/eks/{REGION}/lab"))
