"""Speed as ratios within one run: `make bench`. Machines are noisy, so nothing here fails a build; the figures are for reading.

Four questions of the design: what the plan of both AWS stacks costs beyond importing the SDKs, how it compares with the engine's own
preview of the same stacks with the same pack, what an azure-native resource costs beyond the imports (45 ms at most), and how long
`gpukit --help` takes beside a bare interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
STACKS = ("aws-training-dev", "aws-inference-dev")
AZURE_STACKS = ("azure-training-dev", "azure-inference-dev")
AZURE_ALLOWED = 0.045
"""Seconds of planning for each azure-native resource beyond the imports."""
REPEATS = 5

PLAN = f"""
import sys, time
start = time.perf_counter()
from scripts.plan.recorder import tune_collector
tune_collector()
import importlib
for name in sys.argv[1:]:
    importlib.import_module(name)
imported = time.perf_counter()
from pathlib import Path
from scripts.plan.build import plan_stacks
from scripts.plan.judgement import yardsticks
found = plan_stacks(Path({str(ROOT)!r}), {STACKS!r}, yardsticks(), progress=lambda _: None)
done = time.perf_counter()
assert all(s.error is None for s in found.stacks), [s.error for s in found.stacks]
print(imported - start, done - imported, sum(len(s.resources.resources) for s in found.stacks))
print(*(name for name in sys.modules if name.split(".")[0].startswith(("pulumi", "grpc", "google"))))
"""
"""Plans both stacks in one process, behind the import of the SDK modules that are named as arguments."""


RECORD = f"""
import sys, time
from scripts.plan.recorder import tune_collector
tune_collector()
from pathlib import Path
from scripts.plan import stackfile
from scripts.plan.build import recorded
root = Path({str(ROOT)!r})
files = [stackfile.read(root, name) for name in sys.argv[1:]]
for file in files:
    recorded(root, file)
start = time.perf_counter()
recordings = [recorded(root, file) for file in files]
took = time.perf_counter() - start
assert all(found.error is None for found in recordings), [found.error for found in recordings]
print(took, sum(r.type.startswith("azure-native:") for found in recordings for r in found.resources))
"""
"""Records the stacks that are named as arguments twice, and times the second run: the first one imports the SDKs."""


def azure_resource() -> tuple[float, int]:
    """(seconds for each azure-native resource with all that stands around it, their number), from the quickest run."""

    def measured() -> tuple[float, int]:
        command = [sys.executable, "-c", RECORD, *AZURE_STACKS]
        seconds_, count = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        return float(seconds_) / int(count), int(count)

    return min(measured() for _ in range(REPEATS))


def best(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(REPEATS))


def seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - start


def planned(*modules: str) -> tuple[float, float, int, list[str]]:
    """(import seconds, seconds beyond them, resources, SDK modules in use at the end)."""
    out = subprocess.run([sys.executable, "-c", PLAN, *modules], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    imports, beyond, resources = out[0].split()
    return float(imports), float(beyond), int(resources), out[1].split()


def plan_beyond_imports() -> tuple[float, float, int]:
    """The quickest run behind the import of every SDK module that a plan of these stacks loads."""
    modules = planned()[3]
    return min((planned(*modules)[:3] for _ in range(REPEATS)), key=lambda run: run[1])


def engine_previews() -> float:
    """Seconds of `pulumi preview --policy-pack policies` of both stacks, in turn, on the simulated clouds."""
    from scripts.engine.prepare import pack_of, workspace_of
    from scripts.engine.session import Session
    from tests.engine.clouds import Clouds, copy_of_the_project

    with tempfile.TemporaryDirectory() as folder:
        clouds = Clouds(copy_of_the_project(Path(folder) / "checkout"))
        try:
            workspace = workspace_of(clouds.checkout, "sandbox", lambda _: None)
            pack = pack_of(workspace)
            assert pack is not None

            def all_stacks() -> float:
                start = time.perf_counter()
                for stack in STACKS:
                    words = [
                        str(workspace.engine.command),
                        "preview",
                        "--policy-pack",
                        str(pack.directory),
                        "--stack",
                        stack,
                        "--non-interactive",
                    ]
                    subprocess.run(words, cwd=workspace.directory, env=dict(workspace.environment), check=True, capture_output=True)
                return time.perf_counter() - start

            for stack in STACKS:
                Session(workspace, stack).make_unless_there()
            return min(all_stacks() for _ in range(2))
        finally:
            clouds.world.stop()


def main() -> None:
    os.environ["GPUKIT_WORLD"] = "sandbox"
    gpukit = str(Path(sys.executable).with_name("gpukit"))
    bare = best(lambda: seconds(sys.executable, "-c", "pass"))
    help_ = best(lambda: seconds(gpukit, "--help"))
    imports, beyond, resources = plan_beyond_imports()
    allowed = 0.150 + 0.0015 * resources
    azure, azure_count = azure_resource()
    whole = best(lambda: seconds(gpukit, "plan", *STACKS, "--json"))
    preview = engine_previews()
    print(f"gpukit --help              {help_:6.2f} s   {help_ / bare:5.1f} x a bare interpreter")
    print(f"SDK imports                {imports:6.2f} s")
    print(
        f"plan beyond the imports    {beyond:6.2f} s   {resources} resources; {beyond / allowed:4.2f} of the design's 150 ms + 1.5 ms each"
    )
    print(f"an azure-native resource   {azure * 1000:6.1f} ms  of {azure_count}; {azure / AZURE_ALLOWED:4.2f} of the design's 45 ms each")
    print(f"gpukit plan, whole         {whole:6.2f} s")
    print(f"pulumi preview with pack   {preview:6.2f} s   {preview / whole:5.1f} x gpukit plan of the same stacks")
    print(f"                                      {preview / (imports + beyond):5.1f} x planning them in one process, imports included")


if __name__ == "__main__":
    main()
