"""A kustomization of local files, as one text, with the simple changes that it orders; any other is not rendered here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .kustomized import NotSimple, changes

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
PLAIN = {"apiVersion", "kind", "metadata", "resources"}
"""Keys that change nothing."""
MOST_BYTES = 4 << 20
"""Larger files are no manifests that anybody wrote."""
_DEEPEST = 8


class NotPlain(Exception):
    """What cannot be rendered by putting files one after the other."""


def rendered(written: str, directory: Path) -> str | None:
    """The objects of the kustomization `written`, a folder below `directory`; None where it is elsewhere or does what is not repeated here."""
    try:
        return "\n---\n".join(_texts((directory / written).resolve(), directory.resolve(), _DEEPEST))
    except (NotPlain, NotSimple, OSError, TypeError, ValueError, RecursionError, yaml.YAMLError):
        return None


def read_inside(file: Path, directory: Path) -> str:
    """Raises ValueError for what lies elsewhere, is no plain file, is too large or no text."""
    if not file.is_relative_to(directory) or not file.is_file() or file.stat().st_size > MOST_BYTES:
        raise ValueError(f"{file.name} is not opened")
    return file.read_text(encoding="utf-8")


def _texts(at: Path, directory: Path, room: int) -> list[str]:
    if room == 0:
        raise NotPlain
    if not at.is_dir():
        return [read_inside(at, directory)]
    listing = next((at / name for name in NAMES if (at / name).is_file()), None)
    if listing is None:
        raise NotPlain
    said: Any = yaml.safe_load(read_inside(listing.resolve(), directory))
    if not isinstance(said, dict) or not isinstance(said.get("resources"), list):
        raise NotPlain
    change = changes({key: inner for key, inner in said.items() if key not in PLAIN})
    return [change(text) for entry in said["resources"] for text in _texts(_beside(at, entry), directory, room - 1)]


def _beside(at: Path, entry: Any) -> Path:
    if not isinstance(entry, str) or "://" in entry:
        raise NotPlain
    return (at / entry).resolve()
