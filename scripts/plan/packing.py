"""Plans and yardsticks as bytes between our own processes."""

from __future__ import annotations

import copyreg
import io
import pickle
from collections.abc import Callable
from types import MappingProxyType
from typing import Any


def _view(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """The type itself cannot be named in a pickle."""
    return MappingProxyType(mapping)


def _read_only(view: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[dict[Any, Any]]]:
    return _view, (dict(view),)


def packed(value: object) -> bytes:
    """`value` as bytes. Read-only views of mappings, which pickle refuses, come out as such views again."""
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream)
    pickler.dispatch_table = {**copyreg.dispatch_table, MappingProxyType: _read_only}
    pickler.dump(value)
    return stream.getvalue()


def unpacked(data: bytes) -> Any:
    """Only for what a process of ours has packed: unpacking runs what the bytes say."""
    return pickle.loads(data)  # noqa: S301 - see above
