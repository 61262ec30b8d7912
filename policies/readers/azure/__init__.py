"""Readers of pulumi-azure-native resources."""

from __future__ import annotations

from collections.abc import Mapping

from policies.readers.facts import ProgramReader, Reader

READERS: Mapping[str, Reader] = {}
PROGRAM_READERS: tuple[ProgramReader, ...] = ()
