"""How the engine is built from its Go module, and the names under which builds are cached."""

from __future__ import annotations

import hashlib
import platform
import re
from dataclasses import dataclass
from pathlib import Path

VERSION = "v3.274.1"
"""The engine's version in `module/go.mod`; `pulumi version` must print it."""
PACKAGES = 1730
"""Go packages that a build compiles (`go list -deps tool`), for the progress line only."""
MODULE = Path(__file__).parent / "module"

_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"


@dataclass(frozen=True)
class Go:
    """A Go toolchain: path of its command and its version as numbers."""

    command: str
    version: tuple[int, int, int]

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


def required_go(module: Path = MODULE) -> tuple[int, int, int]:
    """The `go` line of go.mod: an older toolchain stops at once."""
    match = re.search(r"^go (\S+)$", (module / "go.mod").read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"{module / 'go.mod'} has no `go` line")
    return parse_version(match.group(1))


def parse_version(text: str) -> tuple[int, int, int]:
    """Three numbers from "go1.26.8", "v3.274.1", "1.26"; raises ValueError when there are none."""
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if match is None:
        raise ValueError(f"{text!r} holds no version")
    return int(match.group(1)), int(match.group(2)), int(match.group(3) or 0)


def module_key(module: Path = MODULE) -> str:
    """`<engine version>-<hash of go.mod, go.sum and platform>`: what must agree for a cached engine to be used."""
    digest = hashlib.sha256()
    for part in ((module / "go.mod").read_bytes(), (module / "go.sum").read_bytes(), platform_name().encode()):
        digest.update(part)
        digest.update(b"\0")
    return f"{VERSION}-{digest.hexdigest()[:16]}"


def build_key(go: Go, module: Path = MODULE) -> str:
    """Name of one build's directory: the same name always means the same bytes, since the build is reproducible."""
    return f"{module_key(module)}-go{go.text}"


def platform_name() -> str:
    return f"{platform.system()}-{platform.machine()}".lower()


def build_command(go: Go) -> list[str]:
    """Installs the module's one `tool`. Without the version flag `pulumi version` would be empty and the Automation API refuse it."""
    flags = f"-s -w -X {_VERSION_VARIABLE}={VERSION}"
    return [go.command, "install", "-v", "-trimpath", "-buildvcs=false", "-tags", "osusergo,grpcnotrace", "-ldflags", flags, "tool"]


def build_environment(base: dict[str, str], target: Path) -> dict[str, str]:
    """`base` with what makes the build reproducible; the binary lands in `target`."""
    return base | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOBIN": str(target), "GOTOOLCHAIN": "local"}
