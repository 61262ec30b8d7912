"""A real Prometheus on the loopback, with a past that is given to it and a present that it scrapes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import httpx

from tests.real.process import Server, free_ports
from tests.real.programs import needed


class Prometheus:
    """Runs in `home`. `history`: lines of OpenMetrics with times; `targets`: `host:port` of exporters, scraped each second."""

    def __init__(self, home: Path, *, history: Iterable[str], targets: Iterable[str] = ()) -> None:
        program, tool = needed("prometheus", "promtool")
        data, config, past = home / "data", home / "prometheus.yml", home / "past.txt"
        past.write_text("".join(f"{line}\n" for line in (*history, "# EOF")))
        filled = subprocess.run(
            [tool, "tsdb", "create-blocks-from", "openmetrics", past, data], capture_output=True, text=True, check=False
        )
        assert filled.returncode == 0, filled.stderr
        scrape = {"job_name": "dcgm", "scrape_interval": "1s", "scrape_timeout": "1s", "static_configs": [{"targets": [*targets]}]}
        config.write_text(json.dumps({"scrape_configs": [scrape]}))  # JSON is YAML
        (port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        self._server = Server(
            [program, f"--config.file={config}", f"--storage.tsdb.path={data}", f"--web.listen-address=127.0.0.1:{port}"],
            home / "prometheus.log",
        )
        try:
            self._server.wait(self._ready)
        except BaseException:
            self._server.stop()
            raise

    def _ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/-/ready", trust_env=False).is_success
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        self._server.stop()
