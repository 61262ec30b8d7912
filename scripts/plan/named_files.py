"""Local files whose text a program hands to a provider: manifests and chart values. Rules judge what stands in them, not their names.

Only files inside the program's own folder are opened, and no address is ever fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from glob import has_magic
from itertools import islice
from pathlib import Path
from typing import Any, cast

from components.resource import Resource, ResourceSet

from .recording import kustomization

MOST_FILES = 200
"""Of one pattern: `**` may mean a whole disk."""
FILES = {
    "kubernetes:yaml/v2:ConfigFile": ("file",),
    "kubernetes:yaml/v2:ConfigGroup": ("files",),
    "kubernetes:helm.sh/v3:Release": ("valueYamlFiles",),
    "kubernetes:helm.sh/v4:Chart": ("valueYamlFiles",),
}
"""Properties that name files, by type."""
KUSTOMIZE = "kubernetes:kustomize/v2:Directory"
"""Of which `directory` names a folder."""


def named_files(resources: ResourceSet, directory: Path) -> Mapping[str, str]:
    """Text by path as the program writes it, relative to `directory`; a pattern has the texts of all its files, in order of name."""
    written = dict.fromkeys(path for resource in resources for path in _paths(resource))
    found = {path: _text(path, directory.resolve()) for path in written}
    folders = dict.fromkeys(
        path for resource in resources if resource.type == KUSTOMIZE for path in _words(resource.inputs.get("directory"))
    )
    found |= {path: kustomization.rendered(path, directory) for path in folders}
    return {path: text for path, text in found.items() if text is not None}


def _paths(resource: Resource) -> Iterator[str]:
    for prop in FILES.get(resource.type, ()):
        yield from _words(resource.inputs.get(prop))


def _words(value: Any) -> Iterator[str]:
    for entry in cast("list[Any]", value) if isinstance(value, list | tuple) else [value]:
        path: Any = cast("Mapping[str, Any]", entry).get("path") if isinstance(entry, Mapping) else entry
        if isinstance(path, str) and path and "://" not in path and "\0" not in path:
            yield path


def _text(written: str, directory: Path) -> str | None:
    try:
        files = sorted(islice(directory.glob(written), MOST_FILES + 1)) if has_magic(written) else [directory / written]
        if len(files) > MOST_FILES:
            return None
        texts = [kustomization.read_inside(file.resolve(), directory) for file in files]
    except (OSError, ValueError, NotImplementedError):  # unreadable, no text, a pattern that pathlib refuses
        return None
    return "\n---\n".join(texts) if texts else None
