"""Secrets never reach the world's journal: only a keyed hash stays, enough to recognise the value when the engine brings it again."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import cast

from scripts.sandbox import wire
from scripts.sandbox.wire import Json

MARK = "gpukit:secret"
HIDDEN = "[secret: not kept by the simulated world]"


class Vault:
    """Replaces secret values by keyed hashes, and puts back those that a caller still has."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def at(cls, path: Path) -> Vault:
        """The vault whose key is in the file `path`, readable by its owner only; made when absent."""
        if not path.exists():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
        return cls(path.read_bytes())

    def _digest(self, value: Json) -> str:
        return hmac.new(self._key, json.dumps(value, sort_keys=True).encode(), hashlib.sha256).hexdigest()

    def hide(self, value: Json) -> Json:
        """`value` with every secret in it replaced by its mark."""
        if wire.is_secret(value):
            return {MARK: self._digest(wire.plain(value))}
        if isinstance(value, dict):
            return {key: self.hide(item) for key, item in cast("dict[str, Json]", value).items()}
        return [self.hide(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value

    def show(self, kept: Json, known: Json) -> Json:
        """`kept` with each mark replaced by the value at the same place of `known` when it is the same secret, else by a placeholder."""
        if isinstance(kept, dict):
            mapping = cast("dict[str, Json]", kept)
            if MARK in mapping:
                candidate = wire.plain(known)
                return wire.secret(candidate if self._digest(candidate) == mapping[MARK] else HIDDEN)
            beside = cast("dict[str, Json]", known) if isinstance(known, dict) else {}
            return {key: self.show(item, beside.get(key)) for key, item in mapping.items()}
        if isinstance(kept, list):
            items = cast("list[Json]", kept)
            others = cast("list[Json]", known) if isinstance(known, list) else []
            return [self.show(item, others[at] if at < len(others) else None) for at, item in enumerate(items)]
        return kept


def unmarked(value: Json) -> Json:
    """`value` for readers at the API doors: a secret reads as a placeholder."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Json]", value)
        return HIDDEN if MARK in mapping else {key: unmarked(item) for key, item in mapping.items()}
    return [unmarked(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value
