"""What NVIDIA's Network Operator is told to run, in whatever form the program writes its policies."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Manifest, NicPolicy
from components.resource import name_of
from components.unknown import Maybe, Unknown
from policies.readers.kubernetes.objects import manifests
from policies.readers.program import Program
from policies.readers.values import text

GROUP = "mellanox.com"
KINDS = ("NicClusterPolicy", "NicNodePolicy")


def read_nic_policies(program: Program) -> Iterator[NicPolicy]:
    for manifest in program.once(manifests):
        if manifest.group == GROUP and manifest.kind in KINDS:
            yield NicPolicy(
                urn=manifest.urn,
                name=manifest.name if isinstance(manifest.name, str) else name_of(manifest.urn),
                at=manifest.path,
                cluster=manifest.cluster,
                shared=_plugin(manifest, "rdmaSharedDevicePlugin"),
                exclusive=_plugin(manifest, "sriovDevicePlugin"),
            )


def _plugin(manifest: Manifest, key: str) -> Maybe[str | None]:
    """The plugin's configuration; None without the plugin, "" for one that is left to its defaults."""
    plugin = manifest.read("spec", key)
    if plugin is None or isinstance(plugin, Unknown):
        return plugin
    config = text(manifest.read("spec", key, "config"), manifest.at(f"spec.{key}.config"))
    return "" if config is None else config
