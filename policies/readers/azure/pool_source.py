"""One agent pool wherever it stands: a resource of its own, or a part of its cluster; in the words of either provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from components.resource import Resource, Value, read
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import flag, text, whole

from .references import meant

Words = Mapping[str, tuple[str, ...]]
"""What a setting is called by a provider, as a path of properties."""

NATIVE: Words = {
    "name": ("agentPoolName",),
    "machine": ("vmSize",),
    "count": ("count",),
    "minimum": ("minCount",),
    "maximum": ("maxCount",),
    "autoscaled": ("enableAutoScaling",),
    "autoscaled_before": ("enableAutoScaling",),
    "priority": ("scaleSetPriority",),
    "eviction": ("scaleSetEvictionPolicy",),
    "price": ("spotMaxPrice",),
    "zones": ("availabilityZones",),
    "mode": ("mode",),
    "labels": ("nodeLabels",),
    "taints": ("nodeTaints",),
    "surge": ("upgradeSettings", "maxSurge"),
    "driver": ("gpuProfile", "driver"),
    "managed_gpu": ("gpuProfile", "nvidia", "managementMode"),
    "slices": ("gpuInstanceProfile",),
    "os_sku": ("osSKU",),
    "os": ("osType",),
    "disk": ("osDiskType",),
    "disk_gib": ("osDiskSizeGB",),
    "scale_down": ("scaleDownMode",),
    "public": ("enableNodePublicIP",),
    "subnet": ("vnetSubnetID",),
    "capacity_group": ("capacityReservationGroupID",),
    "placement": ("proximityPlacementGroupID",),
    "mixed": ("virtualMachinesProfile", "scale"),
}
"""pulumi-azure-native 3.29.0, `containerservice.AgentPool`; `gpuProfile.nvidia` in API versions after its default one."""
CLASSIC: Words = {
    **NATIVE,
    "name": ("name",),
    "count": ("nodeCount",),
    "autoscaled": ("autoScalingEnabled",),
    "priority": ("priority",),
    "eviction": ("evictionPolicy",),
    "zones": ("zones",),
    "driver": ("gpuDriver",),
    "slices": ("gpuInstance",),
    "os_sku": ("osSku",),
    "disk_gib": ("osDiskSizeGb",),
    "public": ("nodePublicIpEnabled",),
    "subnet": ("vnetSubnetId",),
    "capacity_group": ("capacityReservationGroupId",),
    "placement": ("proximityPlacementGroupId",),
}
"""The classic provider follows azurerm's names."""


@dataclass(frozen=True)
class PoolSource:
    """The place of one pool in its resource, with the words in which to read it."""

    resource: Resource
    program: Program
    words: Words = field(default_factory=lambda: NATIVE)
    base: tuple[str | int, ...] = ()

    @property
    def at(self) -> str:
        """`agentPoolProfiles[0].`, or "" for a resource of its own."""
        at = ""
        for part in self.base:
            at = f"{at}[{part}]" if isinstance(part, int) else f"{at}.{part}" if at else str(part)
        return f"{at}." if at else ""

    def path(self, setting: str) -> str:
        return self.at + ".".join(self.words[setting])

    def value(self, setting: str) -> Value:
        return self.resource.read(*self.base, *self.words[setting])

    def word(self, setting: str) -> Maybe[str | None]:
        return text(self.value(setting), self.path(setting))

    def whole(self, setting: str) -> Maybe[int | None]:
        return whole(self.value(setting), self.path(setting))

    def flag(self, setting: str) -> Maybe[bool]:
        found = flag(self.value(setting), self.path(setting))
        return False if found is None else found

    @property
    def autoscaled(self) -> Maybe[bool]:
        """The classic provider renamed the switch."""
        now = self.flag("autoscaled")
        return now if isinstance(now, Unknown) or now else self.flag("autoscaled_before")

    def listed(self, setting: str) -> Maybe[tuple[Maybe[str], ...]]:
        """A list of texts; absent is empty."""
        value, path = self.value(setting), self.path(setting)
        if value is None or isinstance(value, Unknown):
            return () if value is None else value
        if not isinstance(value, list | tuple):
            return Unknown(path, "not readable: no list")
        return tuple(_entry(read(value, i), f"{path}[{i}]") for i in range(len(value)))

    def reference(self, setting: str, *wanted: str) -> Maybe[str | None]:
        top = self.base[0] if self.base else self.words[setting][0]
        return meant(self.program, self.resource, str(top), self.value(setting), *wanted)


def _entry(value: Value, path: str) -> Maybe[str]:
    found = text(str(value) if isinstance(value, int) and not isinstance(value, bool) else value, path)
    return Unknown(path, "not readable: empty") if found is None else found
