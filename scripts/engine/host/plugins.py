"""The engine's RunPlugin: a policy pack behind its proxy, or a component plug-in, with its output streamed."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import grpc
from pulumi.runtime.proto import language_pb2

from scripts.engine.host import tethered
from scripts.engine.host.children import Children
from scripts.engine.host.interpreter import Interpreter, interpreter_of
from scripts.engine.host.pack_proxy import CHANNEL_OPTIONS, PackProxy

_LAST_WORDS = 4000


@dataclass
class PluginRun:
    """One plug-in from its start to its exit code. `responses()` is the RPC's stream."""

    request: language_pb2.RunPluginRequest
    peer: str
    children: Children
    _output: queue.Queue[language_pb2.RunPluginResponse | None] = field(default_factory=queue.Queue)
    _process: subprocess.Popen[bytes] | None = None

    def responses(self) -> Iterator[language_pb2.RunPluginResponse]:
        """Output as it comes, then the exit code. Raises NoEnvironment before anything is started."""
        interpreter = interpreter_of(self.request.info, plugin=not self._is_pack)
        server = self._serve_proxy(interpreter) if self._is_pack else None
        if server is None:
            self._pump(self._start(interpreter, {}))
        streams_left = 2
        while streams_left:
            response = self._output.get()
            if response is None:
                streams_left -= 1
            else:
                yield response
        if server is not None:
            server.stop(0)
        yield language_pb2.RunPluginResponse(exitcode=self._exit_code())

    def stop(self) -> None:
        """The engine has hung up: end the plug-in, and the stream even when the pack was never started."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
        self._output.put(None)
        self._output.put(None)

    @property
    def _is_pack(self) -> bool:
        return self.request.kind == "analyzer"

    def _serve_proxy(self, interpreter: Interpreter) -> Any:
        def start(environment: Mapping[str, str]) -> int:
            process = self._start(interpreter, environment)
            port = port_of(process, self.request.info.program_directory)
            self._pump(process)
            return port

        server = grpc.server(ThreadPoolExecutor(8), options=CHANNEL_OPTIONS, handlers=[PackProxy(start)])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self._output.put(language_pb2.RunPluginResponse(stdout=b"%d\n" % port))
        return server

    def _start(self, interpreter: Interpreter, extra: Mapping[str, str]) -> subprocess.Popen[bytes]:
        directory = self.request.info.program_directory
        arguments = ["-m", "pulumi.policy", *self.request.args, directory] if self._is_pack else [directory, *self.request.args]
        tether = [str(Path(tethered.__file__).resolve()), str(self.children.lifeline)]
        self._process = self.children.spawn(
            [interpreter.python, "-u", *tether, *arguments],
            peer=self.peer,
            cwd=directory if self._is_pack else self.request.pwd or None,
            environment={**_environment(self.request, interpreter), **extra},
            piped=True,
        )
        return self._process

    def _pump(self, process: subprocess.Popen[bytes]) -> None:
        for stream, name in ((process.stdout, "stdout"), (process.stderr, "stderr")):
            threading.Thread(target=self._copy, args=(stream, name), daemon=True).start()

    def _copy(self, stream: IO[bytes], name: str) -> None:
        while block := os.read(stream.fileno(), 1 << 16):
            response = language_pb2.RunPluginResponse(stdout=block) if name == "stdout" else language_pb2.RunPluginResponse(stderr=block)
            self._output.put(response)
        self._output.put(None)

    def _exit_code(self) -> int:
        if self._process is None:
            return 0
        code = self._process.wait()
        self.children.forget(self._process)
        return code


def port_of(process: subprocess.Popen[bytes], directory: str) -> int:
    """The port on the pack's first line. A pack that ends before it serves is told with its own last words."""
    assert process.stdout is not None
    assert process.stderr is not None
    first_line = process.stdout.readline()
    if first_line.strip().isdigit():
        return int(first_line)
    if not first_line:
        words = process.stderr.read().decode(errors="replace")[-_LAST_WORDS:]
        raise RuntimeError(f"{directory} ended before it served:\n{words}")
    process.terminate()
    raise RuntimeError(f"{directory} printed {first_line!r} before its port: a pack must not print before it serves")


def _environment(request: language_pb2.RunPluginRequest, interpreter: Interpreter) -> dict[str, str]:
    """The engine's environment for the plug-in, with the interpreter's place in it."""
    environment = dict(entry.split("=", 1) for entry in request.env if "=" in entry)
    environment.pop("PYTHONHOME", None)
    return environment | {name: interpreter.environment[name] for name in ("PATH", "VIRTUAL_ENV") if name in interpreter.environment}
