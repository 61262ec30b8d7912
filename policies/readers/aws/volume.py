"""EBS volumes that the program makes itself; root disks follow their pools."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Disk
from components.resource import Resource
from policies.readers.program import Program
from policies.readers.values import first, given, number, text

DEFAULT_KIND = "gp2"
"""What EC2 makes when the volume names no type (pulumi-aws 7.51.1, `ebs.Volume.type`)."""


def read_volume(volume: Resource, program: Program) -> Iterator[Disk]:
    yield Disk(
        urn=volume.urn,
        cloud="aws",
        region=program.region(volume),
        kind=given(first(text(volume.read("type"), "type"), DEFAULT_KIND), "type", "not given"),
        gib=given(number(volume.read("size"), "size"), "size", "not given: that of the snapshot"),
    )
