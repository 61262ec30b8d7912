"""Keeps one program from leaving anything behind for the next: paths, modules, environment, directory, standard output."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TextIO

_CREDENTIALS = ("AWS_", "GOOGLE_", "CLOUDSDK_", "ARM_", "AZURE_", "KUBE", "PULUMI_")
_HARMLESS = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "GOOGLE_REGION", "GOOGLE_PROJECT", "ARM_LOCATION")


def without_credentials(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` less what opens an account, and less Pulumi's own settings, which would override the stack's configuration."""
    return {k: v for k, v in environ.items() if not k.startswith(_CREDENTIALS) or k in _HARMLESS}


@contextlib.contextmanager
def isolated(directory: Path, output: TextIO) -> Generator[None]:
    """Run the body as a program of `directory`: started there, importing from there, printing to `output`; everything is put back after."""
    cwd, path, environ, argv = Path.cwd(), sys.path[:], dict(os.environ), sys.argv[:]
    before = set(sys.modules)
    hidden = _hide_namesakes(directory)
    try:
        sys.path.insert(0, str(directory))
        sys.argv[:] = [str(directory)]
        _set_environ(without_credentials(environ))
        os.chdir(directory)
        importlib.invalidate_caches()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            yield
    finally:
        os.chdir(cwd)
        _set_environ(environ)
        sys.argv[:] = argv
        sys.path[:] = path
        _forget(directory, before)
        sys.modules.update(hidden)


def _set_environ(environ: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(environ):
        del os.environ[name]
    os.environ.update(environ)


def _forget(directory: Path, before: set[str]) -> None:
    """Unload the program's own modules: the next program may have others of the same names."""
    for name in set(sys.modules) - before:
        if _is_local(sys.modules[name], directory):
            del sys.modules[name]
    for entry in [e for e in sys.path_importer_cache if e.startswith(str(directory))]:
        del sys.path_importer_cache[entry]


def _is_local(module: ModuleType, directory: Path) -> bool:
    found = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return isinstance(found, str) and _inside(found, directory)


def _inside(file: str, directory: Path) -> bool:
    return file.startswith(f"{directory}{os.sep}") and "site-packages" not in file


def _hide_namesakes(directory: Path) -> dict[str, ModuleType]:
    """Take away loaded modules that would stand in for the program's own, such as this project's `components` for another's."""
    local = {p.stem for p in directory.glob("*.py")} | {p.name for p in directory.iterdir() if p.is_dir()}
    names = [name for name in sys.modules if (top := name.split(".")[0]) in local and _replaceable(top, directory)]
    return {name: sys.modules.pop(name) for name in names}


def _replaceable(top: str, directory: Path) -> bool:
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
    installed = top in sys.stdlib_module_names or top == "__main__" or "site-packages" in file or "dist-packages" in file
    return module is not None and not installed and not _inside(file, directory)
