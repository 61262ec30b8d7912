"""Helm releases as every component here makes them: pinned, patient, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as kubernetes

from components.catalog import Chart

PATIENCE_SECONDS = 1800
"""H3: images of several gigabytes outlast Helm's default of 300 seconds, and what timed out stays locked."""


def release(
    name: str, chart: Chart, namespace: str, values: Mapping[str, object], opts: pulumi.ResourceOptions
) -> kubernetes.helm.v3.Release:
    """The release of `chart` under the chart's own name in `namespace`, which exists already."""
    return kubernetes.helm.v3.Release(
        name,
        name=chart.name,  # a random name would cost a migration later
        chart=f"{chart.oci}/{chart.name}" if chart.oci else chart.name,
        version=chart.version,
        repository_opts=kubernetes.helm.v3.RepositoryOptsArgs(repo=chart.repository) if chart.repository else None,
        namespace=namespace,
        values=dict(values),
        timeout=PATIENCE_SECONDS,
        atomic=True,
        cleanup_on_fail=True,
        opts=opts,
    )
