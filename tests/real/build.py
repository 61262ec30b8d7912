"""Build the real servers from their Go modules into the cache, once: `make real`, or `python -m tests.real.build [prometheus|kube]`.

About eight minutes of two cores. Nothing that is there is built again. Each build has a go.mod of its own in a temporary directory, since
their requirements contradict each other and the engine's. Versions are pinned here; modules are checked against the checksum database.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.engine.build import find_go
from scripts.errors import GpukitError
from tests.real import programs

_PROMETHEUS = "github.com/prometheus/prometheus"
_KUBE = "v1.36.3"
_STAGED = "v0.36.3"
_STAGING = (
    "api", "apiextensions-apiserver", "apimachinery", "apiserver", "cli-runtime", "client-go", "cloud-provider", "cluster-bootstrap",
    "code-generator", "component-base", "component-helpers", "controller-manager", "cri-api", "cri-client", "cri-streaming",
    "csi-translation-lib", "dynamic-resource-allocation", "endpointslice", "externaljwt", "kms", "kube-aggregator",
    "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet", "metrics", "mount-utils", "pod-security-admission",
    "sample-apiserver", "sample-cli-plugin", "sample-controller", "streaming",
)  # fmt: skip
"""Modules that Kubernetes takes from its own tree: as a dependency it names them v0.0.0, so each has to be pinned."""
_VERSION = "k8s.io/component-base/version"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One go.mod and the programs that are built from it."""

    packages: Mapping[str, str]
    """Program to `package@version`."""
    replaced: Mapping[str, str] = field(default_factory=dict[str, str])
    """Module to the version that is used whatever others ask for."""
    emptied: tuple[str, str] | None = None
    """A module that is built from a copy, and the Go file in it that imports what no test needs."""
    ldflags: str = "-s -w"


RECIPES: Mapping[str, Recipe] = {
    "prometheus": Recipe(
        packages={name: f"{_PROMETHEUS}/cmd/{name}@v0.308.1" for name in ("prometheus", "promtool")},
        emptied=(_PROMETHEUS, "plugins/plugins.go"),  # discovery by way of the clouds: three quarters of all that would be compiled
    ),
    "kube": Recipe(
        packages={
            "etcd": "go.etcd.io/etcd/server/v3@v3.6.16",
            **{name: f"k8s.io/kubernetes/cmd/{name}@{_KUBE}" for name in ("kube-apiserver", "kube-controller-manager")},
        },
        replaced={f"k8s.io/{name}": _STAGED for name in _STAGING},
        # Without a version of its own the API server refuses to start.
        ldflags=f"-s -w -X {_VERSION}.gitVersion={_KUBE} -X {_VERSION}.gitMajor=1 -X {_VERSION}.gitMinor=36",
    ),
}


def build(name: str, go: str) -> None:
    """Builds what is missing of one recipe. Raises CalledProcessError, after the compiler's own words."""
    recipe = RECIPES[name]
    missing = [program for program in recipe.packages if not programs.built(program).is_file()]
    if not missing:
        _say(f"{name}: all there, in {programs.built(next(iter(recipe.packages))).parent}")
        return
    with tempfile.TemporaryDirectory(prefix="gpukit-real-") as scratch:
        module = Path(scratch)
        _go(module, go, "mod", "init", f"gpukit.invalid/{name}")
        for replaced, version in recipe.replaced.items():
            _go(module, go, "mod", "edit", f"-replace={replaced}={replaced}@{version}")
        _say(f"{name}: downloading modules")
        for package in recipe.packages.values():
            _go(module, go, "get", "-tool", package)
        if recipe.emptied is not None:
            _empty(module, go, *recipe.emptied)
        for program in missing:
            _compile(module, go, recipe, program)


def _empty(module: Path, go: str, name: str, file: str) -> None:
    """From now on the module is a copy in which `file` imports nothing."""
    found = subprocess.run([go, "list", "-m", "-f", "{{.Dir}}", name], cwd=module, capture_output=True, text=True, check=True)
    copy = module / "copy"
    shutil.copytree(found.stdout.strip(), copy)
    subprocess.run(["chmod", "-R", "u+w", copy], check=True)  # what the module cache holds is read-only
    (copy / file).write_text(f"package {Path(file).parent.name}\n")
    _go(module, go, "mod", "edit", f"-replace={name}={copy}")


def _compile(module: Path, go: str, recipe: Recipe, program: str) -> None:
    """Into place at once and whole: an interrupted build leaves nothing that looks built."""
    began, target, package = time.monotonic(), programs.built(program), recipe.packages[program].partition("@")[0]
    _say(f"{program}: compiling {recipe.packages[program]}")
    _go(module, go, "build", "-trimpath", "-ldflags", recipe.ldflags, "-o", str(module / "built"), package)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{program}-{os.getpid()}")
    partial.write_bytes((module / "built").read_bytes())
    partial.chmod(0o755)
    partial.replace(target)
    _say(f"{program}: built in {time.monotonic() - began:.0f} s, {target}")


def _go(module: Path, *command: str) -> None:
    subprocess.run(command, cwd=module, env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"}, check=True)


def _say(line: str) -> None:
    sys.stderr.write(f"==> {line}\n")


def main(names: list[str]) -> int:
    unknown = sorted({*names} - {*RECIPES})
    if unknown:
        _say(f"{', '.join(unknown)}: give {' or '.join(RECIPES)}, or nothing for both")
        return 2
    try:
        go = find_go().command
        for name in names or RECIPES:
            build(name, go)
    except GpukitError as error:
        _say(str(error))
        return int(error.exit)
    except subprocess.CalledProcessError as error:
        _say(f"`{' '.join(map(str, error.cmd))[:200]}` failed: see above")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
