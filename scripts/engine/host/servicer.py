"""`pulumirpc.LanguageRuntime`: what the engine asks of a language host."""

# ruff: noqa: ARG002 - the gRPC contract fixes every method's parameters

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from scripts.engine.host import programs
from scripts.engine.host.children import Children
from scripts.engine.host.interpreter import NoEnvironment, interpreter_of
from scripts.engine.host.packages import Installed, installed, providers
from scripts.engine.host.plugins import PluginRun

_UNKNOWN: Any = grpc.StatusCode.UNKNOWN


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """`engine` is the address given at start; a host to which engines attach learns it from each one's Handshake."""

    def __init__(self, engine: str, children: Children) -> None:
        self._engine = engine
        self._attached: dict[str, str] = {}
        self._children = children

    def Handshake(self, request: language_pb2.LanguageHandshakeRequest, context: Any) -> language_pb2.LanguageHandshakeResponse:
        self._attached[context.peer()] = request.engine_address
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: empty_pb2.Empty, context: Any) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=importlib.metadata.version("pulumi"))

    def About(self, request: language_pb2.AboutRequest, context: Any) -> language_pb2.AboutResponse:
        try:
            python = interpreter_of(request.info).python if request.HasField("info") else sys.executable
        except NoEnvironment as error:
            _abort(context, error)
        return language_pb2.AboutResponse(executable=python, version=sys.version.split()[0])

    def GetRequiredPackages(
        self, request: language_pb2.GetRequiredPackagesRequest, context: Any
    ) -> language_pb2.GetRequiredPackagesResponse:
        found = providers(_installed(request.info, context, with_plugin=True))
        return language_pb2.GetRequiredPackagesResponse(
            packages=[
                plugin_pb2.PackageDependency(name=each.name, kind="resource", version=each.version, server=each.server) for each in found
            ]
        )

    def GetProgramDependencies(
        self, request: language_pb2.GetProgramDependenciesRequest, context: Any
    ) -> language_pb2.GetProgramDependenciesResponse:
        found = _installed(request.info, context)
        return language_pb2.GetProgramDependenciesResponse(
            dependencies=[language_pb2.DependencyInfo(name=each.name, version=each.version) for each in found]
        )

    def InstallDependencies(
        self, request: language_pb2.InstallDependenciesRequest, context: Any
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        yield language_pb2.InstallDependenciesResponse(stdout=b"This host installs nothing: the virtual environment is used as it is.\n")

    def RuntimeOptionsPrompts(self, request: language_pb2.RuntimeOptionsRequest, context: Any) -> language_pb2.RuntimeOptionsResponse:
        return language_pb2.RuntimeOptionsResponse()

    def Run(self, request: language_pb2.RunRequest, context: Any) -> language_pb2.RunResponse:
        engine = self._attached.get(context.peer(), self._engine)
        return programs.run(request, context, engine=engine, children=self._children)

    def RunPlugin(self, request: language_pb2.RunPluginRequest, context: Any) -> Iterator[language_pb2.RunPluginResponse]:
        plugin = PluginRun(request, context.peer(), self._children)
        context.add_callback(plugin.stop)
        try:
            for response in plugin.responses():
                if context.is_active():
                    yield response
        except NoEnvironment as error:
            _abort(context, error)

    def Cancel(self, request: empty_pb2.Empty, context: Any) -> empty_pb2.Empty:
        self._children.interrupt(context.peer())
        return empty_pb2.Empty()


def _installed(info: language_pb2.ProgramInfo, context: Any, *, with_plugin: bool = False) -> tuple[Installed, ...]:
    try:
        return installed(interpreter_of(info), with_plugin=with_plugin)
    except (NoEnvironment, RuntimeError) as error:
        _abort(context, error)


def _abort(context: Any, error: Exception) -> NoReturn:
    """End the call with the error's own words; the RPC context's abort never returns."""
    context.abort(_UNKNOWN, str(error))
    raise AssertionError("abort raises")
