"""The program that runs in a cluster: look, tell, sleep. `gpukit heartbeat`."""

from __future__ import annotations

import base64
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from scripts.errors import BadInput, Exit, Failed, GpukitError
from scripts.idle.collect import kubernetes, prometheus
from scripts.idle.collect.found import Endpoint
from scripts.idle.heartbeat.beat import STEP_SECONDS, WINDOW_MINUTES, Beat, beats
from scripts.idle.heartbeat.send import Sender, send
from scripts.idle.rules import Rules

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where Kubernetes puts a pod's token and the API's certificate."""


@dataclass
class Heart:
    """Remembers when each pool was last at work."""

    sender: Sender
    api: Endpoint
    metrics: prometheus.Metrics
    environment: Mapping[str, str]
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    rules: Rules = field(default_factory=Rules)
    last: dict[str, float] = field(default_factory=dict[str, float])

    def beat(self) -> list[Beat]:
        """Look and tell once. Raises Failed when a source or the cloud does not answer: then nothing is told, which is not rest."""
        now = self.now()
        seen = kubernetes.look(self.api, self.sender.cluster, self.sender.cloud, {}, now)
        told = prometheus.look(self.metrics, now=now, window_minutes=WINDOW_MINUTES, step=STEP_SECONDS, requests_hours=1.0)
        try:
            found = beats(seen, told, now, self.last, self.rules)
        except ValueError as error:
            raise Failed(f"the counters of cluster {self.sender.cluster} say nothing: {error}") from error
        self.last.update({beat.pool: beat.last_active for beat in found if beat.last_active is not None})
        send(self.sender, found, now, self.environment)
        return found


def heartbeat(  # noqa: PLR0913 # one parameter an option
    *, cloud: str, account: str, region: str, cluster: str, resource: str = "", every_seconds: float = 60.0, once: bool = False
) -> int:
    """Tell of the cluster that this runs in, until it is ended."""
    if cloud not in ("aws", "gcp", "azure"):
        raise BadInput(f"--cloud is {cloud!r}: give aws, gcp or azure.")
    if cloud == "azure" and not resource.startswith("/subscriptions/"):
        raise BadInput(f"--resource is {resource!r}: on Azure give the cluster's path, /subscriptions/…, which its metrics are kept under.")
    if not 30 <= every_seconds <= 60:
        raise BadInput(f"--every is {every_seconds:g} seconds: give 30 to 60, since a gap of more than a minute is silence.")
    metrics = prometheus.named(cluster, cluster)
    if metrics is None:
        raise BadInput(
            f"{prometheus.URL} names no endpoint: give the address of a Prometheus in the cluster that holds dcgm-exporter's counters."
        )
    sender = Sender(cloud=cloud, account=account, region=region, cluster=cluster, resource=resource)
    heart = Heart(sender, here(os.environ, ACCOUNT), metrics, dict(os.environ))
    return run(heart, every_seconds=every_seconds, once=once, sleep=time.sleep)


def run(heart: Heart, *, every_seconds: float, once: bool, sleep: Callable[[float], None]) -> int:
    """Beat on after a failure, which is said: the next one may succeed."""
    while True:
        try:
            found = heart.beat()
            sys.stderr.write("".join(f"{beat.pool}: {beat.busy_gpus} of {beat.gpus} GPUs busy, {beat.gpu_pods} pods\n" for beat in found))
        except GpukitError as error:
            sys.stderr.write(f"nothing told: {error}\n")
            if once:
                return Exit.FAILED
        if once:
            return Exit.FINE
        sleep(every_seconds)


def here(environment: Mapping[str, str], account: Path) -> Endpoint:
    """The API of the cluster that a pod runs in. Raises BadInput outside of one."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST"), environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not host or not (account / "token").is_file():
        raise BadInput(
            "this is no pod with a service account: `gpukit heartbeat` runs inside a cluster; see scripts/idle/heartbeat/README.md."
        )
    address = f"[{host}]" if ":" in host else host
    authority = base64.b64encode((account / "ca.crt").read_bytes()).decode()
    return Endpoint(url=f"https://{address}:{port}", authority=authority, token=lambda: (account / "token").read_text().strip())
