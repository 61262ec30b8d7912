"""All types of the simulated GCP that have a behaviour of their own."""

from __future__ import annotations

from scripts.sandbox.kinds.kind import Kind

KINDS: tuple[Kind, ...] = ()
