"""A stack's file as the program will see it: config key to text, structured values as JSON text, secrets marked and never read."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.errors import BadInput

from . import engine_yaml, go_json
from .go_json import Plain

SECRET = "[secret]"
"""Stands where an encrypted value stands: the engine masks it in the same way."""
MAX_BYTES = 1 << 20
CONFIG_DIR = "stacks"
PROJECT = "gpukit"
TOP_KEYS = ("config", "environment", "secretsprovider", "encryptedkey", "encryptionsalt")
"""Keys of a stack file that Pulumi reads (its `ProjectStack`)."""
_LOOKED_AT = 8192
"""Bytes in which a binary file shows itself."""
_STACK = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, kw_only=True)
class StackFile:
    """One stack's config. `secret_keys` names the keys that hold an encrypted value, on any level."""

    stack: str
    path: Path
    config: Mapping[str, str]
    secret_keys: frozenset[str] = frozenset()


def stack_names(root: Path, *, config_dir: str = CONFIG_DIR) -> tuple[str, ...]:
    """Stacks that have a file, sorted."""
    return tuple(sorted(p.name[len("Pulumi.") : -len(".yaml")] for p in (root / config_dir).glob("Pulumi.?*.yaml")))


def name_of(text: str, root: Path, *, config_dir: str = CONFIG_DIR) -> str:
    """The stack that `text` means: its name, or the path of its file, which shells complete. Other text is given back as it is."""
    path = Path(text)
    if not (path.name.startswith("Pulumi.") and path.suffix == ".yaml" and path.is_file()):
        return text
    return path.stem.removeprefix("Pulumi.") if path.resolve().parent == (root / config_dir).resolve() else text


def read(root: Path, stack: str, *, config_dir: str = CONFIG_DIR, project: str = PROJECT) -> StackFile:
    """The stack's file below `root`. Raises BadInput, naming file and line, for anything that is no stack file."""
    names = stack_names(root, config_dir=config_dir)
    if stack not in names or not _STACK.fullmatch(stack):
        raise BadInput(_unknown_stack(stack, names, config_dir))
    return read_file(root / config_dir / f"Pulumi.{stack}.yaml", stack=stack, project=project, ours=True)


def read_file(path: Path, *, stack: str, project: str = PROJECT, ours: bool = False) -> StackFile:
    """As `read`, for a file anywhere. Keys without a namespace belong to `project`, as in the engine.

    Of `ours`, no key on top is ignored, and the settings say what is wrong in the cluster, its numbers too: all errors at once.
    """
    shown = f"{path.parent.name}/{path.name}"
    try:
        document = engine_yaml.load(_text(path, shown))
        if ours:
            _refuse_strangers(document)
        config = dict(_config(document, project))
        values = {key: _value(key, value, any_number=ours and key == f"{PROJECT}:cluster") for key, value in config.items()}
    except engine_yaml.YamlError as error:
        line = f", line {error.line}" if error.line else ""
        raise BadInput(f"{shown}{line}: {error.problem}. Correct the file, or restore it from version control.") from None
    secrets = frozenset(key for key, value in config.items() if _holds_secret(value))
    return StackFile(stack=stack, path=path, config=values, secret_keys=secrets)


def _text(path: Path, shown: str) -> str:
    try:
        if not path.is_file():
            raise BadInput(f"{shown} is not there or not a plain file: give the stack a YAML file.")
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(f"{shown} is larger than {MAX_BYTES >> 20} MiB: that is no stack file. Restore it from version control.")
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{shown} cannot be read ({error.strerror}): check the file and its permissions.") from None
    if b"\0" in content[:_LOOKED_AT] and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput(f"{shown} holds binary data: that is no stack file. Write it as YAML text, or restore it from version control.")
    encoding = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{shown}, line {line}: not UTF-8 text. Save it as UTF-8, or restore it from version control.") from None


def _refuse_strangers(document: Plain) -> None:
    """A misspelt `config` would be an empty stack, and config beside it would be ignored. What holds anchors for the rest may stand there."""
    for key in document if isinstance(document, dict) else ():
        near = difflib.get_close_matches(key, TOP_KEYS, n=1, cutoff=0.75)
        if key in TOP_KEYS or not (near or ":" in key or key == "cluster"):
            continue
        advice = f"did you mean {near[0]}?" if near else "write it under config"
        raise engine_yaml.YamlError(f"{key[:80]!r} is no key that stands there, {advice}", None)


def _config(document: Plain, project: str) -> Iterator[tuple[str, Plain]]:
    """Config entries with their full keys. Raises YamlError for what is no stack file."""
    if document is None:
        return
    if not isinstance(document, dict):
        raise engine_yaml.YamlError(f"a mapping with `config:` is expected, not {_kind(document)}", None)
    config = document.get("config")
    if config is None:
        return
    if not isinstance(config, dict):
        raise engine_yaml.YamlError(f"`config` is {_kind(config)}: a mapping from key to value is expected", None)
    seen: dict[str, str] = {}
    for written, value in config.items():
        key = _full_key(written, project)
        if key in seen:
            raise engine_yaml.YamlError(f"the config keys {seen[key]!r} and {written!r} are the same key: keep one", None)
        seen[key] = written
        yield key, value


def _full_key(written: str, project: str) -> str:
    parts = written.split(":")
    if len(parts) == 1:
        return f"{project}:{written}"
    if len(parts) == 3 and parts[1] == "config":
        return f"{parts[0]}:{parts[2]}"
    if len(parts) != 2:
        raise engine_yaml.YamlError(f"{written!r} is no config key: write <namespace>:<name>", None)
    return written


def _kind(value: Plain) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = ((list, "a list"), (dict, "a mapping"), (str, "text"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")


def _is_secret(value: Plain) -> bool:
    """`{secure: ciphertext}`, the only form in which the engine stores a secret."""
    if not isinstance(value, dict):
        return False
    return list(value) == ["secure"] and isinstance(value["secure"], str)


def _holds_secret(value: Plain) -> bool:
    if _is_secret(value):
        return True
    if isinstance(value, dict):
        return any(_holds_secret(v) for v in value.values())
    return isinstance(value, list) and any(_holds_secret(v) for v in value)


def _masked(value: Plain) -> Plain:
    if _is_secret(value):
        return SECRET
    if isinstance(value, dict):
        return {k: _masked(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_masked(v) for v in value]
    return value


def _value(key: str, value: Plain, *, any_number: bool) -> str:
    """What `pulumi.Config` hands out: text as it is, nothing as empty text, everything else as JSON."""
    shown = _masked(value)
    if shown is None:
        return ""
    try:
        return shown if isinstance(shown, str) else go_json.dumps(shown, any_number=any_number)
    except ValueError as error:
        raise engine_yaml.YamlError(f"`{key}`: {error}", None) from None


def _unknown_stack(stack: str, names: tuple[str, ...], config_dir: str) -> str:
    near = difflib.get_close_matches(stack, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    there = f"Stacks with a file: {', '.join(names)}." if names else f"No stack has a file in {config_dir}/ yet."
    return f"There is no stack {stack[:80]!r}: {config_dir}/Pulumi.{stack[:80]}.yaml is missing.{guess} {there}"
