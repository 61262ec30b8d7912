"""`gpukit sandbox …`: the simulated world's life, clock, load, faults and what is declared of it. Functions return the exit code and print what they did."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from scripts.errors import BadInput, Exit
from scripts.sandbox.client import World

SAID = "[sandbox]"
"""Begins every line that speaks of simulated things."""


def start(*, root: Path | None = None, json_: bool = False) -> int:
    """Start the world's server, or find it running, and print where it answers."""
    endpoints = _world(root).start()
    facts = {"http": endpoints.http, "aws": endpoints.aws, "providers": dict(endpoints.providers)}
    ports = ", ".join(f"{name} on port {port}" for name, port in endpoints.providers.items())
    return _tell(facts, f"the simulated clouds answer: APIs at {endpoints.http}, Pulumi providers {ports}", json_=json_)


def stop(*, root: Path | None = None, json_: bool = False) -> int:
    """End the server. The world stays on disk and goes on where it was at the next start."""
    ended = _world(root).stop()
    return _tell({"stopped": ended}, "stopped; the world stays on disk" if ended else "no server was running", json_=json_)


def reset(*, yes: bool = False, root: Path | None = None, json_: bool = False) -> int:
    """Forget the world with everything in it, and the engine's sandbox state of every stack, which would point at nothing.

    Asks first unless `yes`. Raises BadInput when there is no terminal to ask on.
    """
    world = _world(root)
    if not yes and not _confirmed():
        return _tell({"reset": False}, "not confirmed: the simulated world is as it was", json_=json_) or Exit.NO
    world.reset()
    return _tell({"reset": True}, "the simulated world is empty and new; no stack has a sandbox state", json_=json_)


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise BadInput("`gpukit sandbox reset` forgets every simulated resource, and there is no terminal to ask on. Add --yes.")
    sys.stderr.write(f"{SAID} Forget the simulated world and the sandbox state of every stack? Type 'yes' to go on: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == "yes"


def advance(*, duration: str, root: Path | None = None, json_: bool = False) -> int:
    """Let simulated time pass: `2h`, `90m`, `1d 6h`."""
    now = _world(root).advance(duration)
    return _tell({"now": now.isoformat()}, f"the simulated time is now {now.isoformat()}", json_=json_)


def load(  # noqa: PLR0913  # one parameter an option
    *,
    stack: str,
    pool: str,
    nodes: int | None = None,
    gpu_busy: float | None = None,
    pods: int | None = None,
    settings: Sequence[str] = (),
    root: Path | None = None,
    json_: bool = False,
) -> int:
    """Put pods on a pool, one a node, keeping its GPUs busy to the share `gpu_busy` (0 to 1); 0 nodes takes them away.

    `pods` fewer than nodes leaves nodes that nothing uses. All may come as options or in `settings` (`nodes=2`), as faults are set. Raises BadInput when they are missing, unknown or said twice.
    """
    count, share, running = _work({"nodes": nodes, "gpu_busy": gpu_busy, "pods": pods}, settings)
    done = _world(root).load(stack, pool, nodes=count, gpu_busy=share, pods=running)
    waiting = f"; {done['pending']} pending ({done['why_pending']})" if done["pending"] else ""
    fewer = pods_left_out(nodes=count, pods=running)
    return _tell(done, f"{stack} {pool}: {done['desired']} nodes desired, {done['running']} pods running{waiting}{fewer}", json_=json_)


def pods_left_out(*, nodes: int, pods: int | None) -> str:
    """What to say when more pods are asked for than nodes, of which each holds one."""
    if pods is None or pods <= nodes:
        return ""
    return f"; {pods} pods were asked for, and a pod takes a whole node: give nodes={pods} for all of them"


def fault_add(*, kind: str, where: Sequence[str] = (), root: Path | None = None, json_: bool = False) -> int:
    """Inject a fault; `where` are settings as `name=value` (see `faults.KINDS`)."""
    fault = _world(root).fault(kind, **_settings(where, example="machine=p4d.24xlarge"))
    return _tell(fault, f"fault {fault['id']}: {_fault(fault)}", json_=json_)


def fault_list(*, root: Path | None = None, json_: bool = False) -> int:
    """Print the faults that are set."""
    faults = _world(root).faults()
    return _tell({"faults": faults}, "\n".join(f"{f['id']}  {_fault(f)}" for f in faults) or "no faults are set", json_=json_)


def fault_clear(*, id_: str | None = None, root: Path | None = None, json_: bool = False) -> int:
    """Remove one fault, or all of them."""
    cleared = _world(root).clear_faults(id_)
    if id_ is not None and not cleared:
        raise BadInput(f"there is no fault {id_!r}: see `gpukit sandbox fault list`.")
    return _tell({"cleared": cleared}, f"{cleared} {'fault' if cleared == 1 else 'faults'} removed", json_=json_)


def declare(
    *,
    quotas: Sequence[str] = (),
    reservations: Sequence[Path] = (),
    accounts: Sequence[str] = (),
    root: Path | None = None,
    json_: bool = False,
) -> int:
    """Declare limits of quotas (`CODE=LIMIT`), reserved capacity (JSON files) and accounts (`CLOUD=ID`), or show what is declared.

    Raises BadInput on a file that holds no reservations, an unknown quota or cloud; then nothing was declared.
    """
    done = _world(root).declare(
        accounts=_settings(accounts, example="aws=123456789012"),
        quotas=_settings(quotas, example="L-417A185B=192"),
        reservations=[each for file in reservations for each in _reservations(file)],
    )
    return _tell(done, _declared(done), json_=json_)


def _reservations(file: Path) -> Sequence[Any]:
    """The reservations of a JSON file: one object, or a list of them."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(
            f"{file} cannot be read ({error.strerror}): --reservation takes a JSON file with one reservation or a list."
        ) from error
    except ValueError as error:
        raise BadInput(f"{file} is no JSON ({error}): --reservation takes a file with one reservation or a list of them.") from error
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _declared(done: Mapping[str, Any]) -> str:
    accounts = ", ".join(f"{cloud} {account}" for cloud, account in done["accounts"].items())
    limits = ", ".join(f"{code} {limit:g}" for code, limit in done["quotas"].items()) or "none, every quota is plenty"
    made = [f"reservation {id_} was declared" for id_ in done["reservations"]]
    return "\n".join([*made, f"accounts: {accounts}", f"quotas: {limits}"])


def status(*, root: Path | None = None, json_: bool = False) -> int:
    """Print the world's time and what is in it."""
    world = _world(root)
    running = world.running()
    if running is None:
        return _tell({"schema": "gpukit/world/status/1", "running": False}, "the simulated world is not running", json_=json_)
    facts = {**world.status(), "running": True, "http": running.http}
    return _tell(facts, _summary(facts), json_=json_)


def _world(root: Path | None) -> World:
    return World.at(root if root is not None else Path(__file__).resolve().parents[2])


def _work(options: Mapping[str, object], texts: Sequence[str]) -> tuple[int, float, int | None]:
    """Nodes, share and pods of a load, from options (None: not given) and `name=value` words together."""
    from scripts.sandbox.load import node_count, pod_count, share

    said = _settings(texts, example="nodes=2")
    given = {name: value for name, value in options.items() if value is not None}
    for name in said:
        if name not in options:
            raise BadInput(f"{name!r} is no setting of a load: there are {', '.join(options)}.")
        if name in given:
            raise BadInput(f"{name} is given twice, as an option and as {name}={said[name]}: give it once.")
    given |= said
    if "nodes" not in given:
        raise BadInput("nodes is missing: say how many pods to run, such as nodes=2 (or --nodes 2); 0 takes them away.")
    return node_count(given["nodes"]), share(given.get("gpu_busy", 1.0)), pod_count(given["pods"]) if "pods" in given else None


def _settings(texts: Sequence[str], *, example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise BadInput(f"{text!r} is no setting: write name=value, such as {example}.")
        found[name] = value
    return found


def _fault(fault: Mapping[str, Any]) -> str:
    where = ", ".join(f"{name}={value}" for name, value in fault["where"].items()) or "anywhere"
    left = "until cleared" if fault["left"] is None else f"{fault['left']} times"
    return f"{fault['kind']} ({where}), {left}"


def _summary(facts: Mapping[str, Any]) -> str:
    accounts = ", ".join(f"{cloud} {account}" for cloud, account in facts["accounts"].items())
    lines = [f"simulated time {facts['now']}, accounts {accounts}, APIs at {facts['http']}"]
    lines += [f"cluster {c['name']} ({c['place']}): {c['status']}" for c in facts["clusters"]]
    lines += [f"{count} running {machine}" for machine, count in facts["instances"].items()]
    lines += [f"fault {_fault(fault)}" for fault in facts["faults"]]
    return "\n".join([*lines, f"{sum(facts['records'].values())} records"])


def _tell(facts: Mapping[str, Any], text: str, *, json_: bool) -> int:
    if json_:
        sys.stdout.write(json.dumps({"schema": "gpukit/sandbox/1", "simulated": True, **facts}) + "\n")
    else:
        sys.stdout.write("".join(f"{SAID} {line}\n" for line in text.splitlines()))
    return Exit.FINE
