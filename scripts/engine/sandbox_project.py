"""The copy of the project on which sandbox runs work.

The engine writes an `encryptionsalt` into stack files and deletes them with their stack; the user's own files must never change.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from scripts.engine import token_helper
from scripts.engine.checkout import Checkout
from scripts.engine.environment import tools
from scripts.engine.locate import Engine
from scripts.errors import BadInput

COPIED = ("stacks", "policies")
LOGS = 20
"""The newest logs of the engine that are kept."""
_SALT = re.compile(r"^encryptionsalt:.*\n?", re.MULTILINE)
_FOREIGN_SECRETS = re.compile(r"^(secretsprovider|encryptedkey):|^\s*secure:|\bsecure:\s*\S", re.MULTILINE)


def refresh(checkout: Checkout, engine: Engine | None = None) -> Path:
    """Bring the copy up to date with the checkout, and the sandbox's directories and commands into place; gives the copy's root.

    Only files that differ are written, each at once, so that another stack's run is not disturbed. Raises BadInput when a stack file
    holds encrypted values: their key is not part of the sandbox.
    """
    copy = checkout.sandbox_project
    for directory in (copy, checkout.sandbox_state, checkout.sandbox / "pulumi-home", tools(checkout)):
        directory.mkdir(parents=True, exist_ok=True)
    _forget_logs(checkout.sandbox / "pulumi-home" / "logs")
    _write(copy / "Pulumi.yaml", (checkout.root / "Pulumi.yaml").read_bytes())
    _link(copy / ".venv", checkout.root / ".venv")
    for name in COPIED:
        if (checkout.root / name).is_dir():
            _mirror(checkout.root / name, copy / name)
    token_helper.write(tools(checkout))
    if engine is not None:
        _link(tools(checkout) / "pulumi", engine.command)
    return copy


def _forget_logs(directory: Path) -> None:
    """The engine writes a log for every command and never removes one."""
    logs = sorted((path for path in directory.glob("*") if path.is_file()), key=_written, reverse=True)
    for path in logs[LOGS:]:
        path.unlink(missing_ok=True)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another run has just removed it
        return 0.0


def _mirror(source: Path, target: Path) -> None:
    wanted = {path.relative_to(source) for path in _files(source)}
    for path in wanted:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        _write(target / path, _content(source / path, target / path))
    for path in {path.relative_to(target) for path in _files(target)} - wanted:
        (target / path).unlink(missing_ok=True)


def _files(directory: Path) -> list[Path]:
    if not directory.exists():
        return []
    return [path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def _content(source: Path, target: Path) -> bytes:
    """The file's bytes; a stack file keeps the salt that the engine gave its copy, which the stack's state is encrypted with."""
    content = source.read_bytes()
    if not (source.name.startswith("Pulumi.") and source.suffix == ".yaml"):
        return content
    text = content.decode(errors="surrogateescape")
    if _FOREIGN_SECRETS.search(text):
        raise BadInput(
            f"{source} holds values that Pulumi has encrypted, whose key the sandbox does not have. "
            f"Give the sandbox a stack file without `secure:` and `secretsprovider:`."
        )
    own = _SALT.sub("", text)
    salt = _SALT.search(target.read_text(errors="surrogateescape")) if target.exists() else None
    end = "" if own.endswith("\n") or not own else "\n"
    return (own + end + salt.group(0) if salt else own).encode(errors="surrogateescape")


def _write(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as scratch:
        scratch.write(content)
    Path(scratch.name).chmod(0o644)
    Path(scratch.name).replace(path)


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.symlink_to(target)
