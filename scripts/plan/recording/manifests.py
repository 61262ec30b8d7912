"""The functions of the Kubernetes provider that need no cluster, as they only read what is written.

Through them yaml.ConfigFile, yaml.ConfigGroup and kustomize.Directory make the objects of local files resources of their own, offline as
in the engine.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml
from google.protobuf import struct_pb2

from . import kustomization
from .wire import UNKNOWN

DECODE = "kubernetes:yaml:decode"
KUSTOMIZE = "kubernetes:kustomize:directory"
_MOST_VALUES = 200_000
"""With what aliases repeat: a few lines can stand for more than memory holds."""
_DEEPEST = 90
"""Of values in each other: the engine's protocol takes no more than 100."""


class _Endless(Exception):
    """A text that stands for more than can be sent."""


def decoded(token: str, args: struct_pb2.Struct) -> dict[str, Any] | None:
    """The answer; None for other functions, and where the text is not known, is no YAML, or has no end."""
    text = _text(token, args)
    if not text or UNKNOWN in text:
        return None
    try:
        room = [_MOST_VALUES]
        return {"result": [_plain(body, room, 0) for body in yaml.safe_load_all(text) if body is not None]}
    except (yaml.YAMLError, ValueError, RecursionError, _Endless):
        return None


def _text(token: str, args: struct_pb2.Struct) -> str | None:
    if token == DECODE and "text" in args.fields:
        return args.fields["text"].string_value
    if token == KUSTOMIZE and "directory" in args.fields:
        return kustomization.rendered(args.fields["directory"].string_value, Path.cwd())  # a program runs in its own folder
    return None


def _plain(value: Any, room: list[int], depth: int) -> Any:
    """As JSON: keys are text, and so are dates, which Kubernetes does not know."""
    room[0] -= 1
    if room[0] < 0 or depth > _DEEPEST:
        raise _Endless
    if isinstance(value, dict):
        return {str(key): _plain(inner, room, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, room, depth + 1) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, bool | int | str) else str(value)
