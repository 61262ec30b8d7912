"""Secrets never reach the world's journal: only a keyed hash stays, enough to recognise the value when the engine brings it again."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator
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

    def seal(self, made: Json, given: Json) -> Json:
        """`made` of what `given` says in plain (final tags, rules in the cloud's form), with each text that is secret there as its mark."""
        marks: dict[str, Json] = {text: {MARK: self._digest(text)} for text in _secret_texts(given)}
        return _sealed(made, marks) if marks else made

    def show(self, kept: Json, known: Json) -> Json:
        """`kept` with each mark replaced by the same secret: at the same place of `known`, else anywhere in it, else by a placeholder."""
        return self._shown(kept, known, known)

    def _shown(self, kept: Json, beside: Json, known: Json) -> Json:
        if isinstance(kept, dict):
            mapping = cast("dict[str, Json]", kept)
            if MARK in mapping:
                return wire.secret(self._recognised(mapping[MARK], wire.plain(beside), known))
            others = cast("dict[str, Json]", beside) if isinstance(beside, dict) else {}
            return {key: self._shown(item, others.get(key), known) for key, item in mapping.items()}
        if isinstance(kept, list):
            items = cast("list[Json]", kept)
            row = cast("list[Json]", beside) if isinstance(beside, list) else []
            return [self._shown(item, row[at] if at < len(row) else None, known) for at, item in enumerate(items)]
        return kept

    def _recognised(self, digest: Json, candidate: Json, known: Json) -> Json:
        if self._digest(candidate) == digest:
            return candidate
        return next((text for text in _secret_texts(known) if self._digest(text) == digest), HIDDEN)


def _secret_texts(value: Json, *, inside: bool = False) -> Iterator[str]:
    """Every text in the secrets of `value`; an empty one says nothing."""
    if wire.is_secret(value):
        yield from _secret_texts(wire.plain(value), inside=True)
    elif isinstance(value, dict):
        for item in cast("dict[str, Json]", value).values():
            yield from _secret_texts(item, inside=inside)
    elif isinstance(value, list):
        for item in cast("list[Json]", value):
            yield from _secret_texts(item, inside=inside)
    elif inside and isinstance(value, str) and value:
        yield value


def _sealed(made: Json, marks: dict[str, Json]) -> Json:
    if isinstance(made, str):
        return marks.get(made, made)
    if isinstance(made, dict):
        return {key: _sealed(item, marks) for key, item in cast("dict[str, Json]", made).items()}
    return [_sealed(item, marks) for item in cast("list[Json]", made)] if isinstance(made, list) else made


def unmarked(value: Json) -> Json:
    """`value` for readers at the API doors: a secret reads as a placeholder."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Json]", value)
        return HIDDEN if MARK in mapping else {key: unmarked(item) for key, item in mapping.items()}
    return [unmarked(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value
