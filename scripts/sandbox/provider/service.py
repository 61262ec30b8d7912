"""`pulumirpc.ResourceProvider` over the simulated world, for one package."""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from scripts.errors import GpukitError
from scripts.sandbox import coercion, kinds, schema_check, sdk_schema, wire
from scripts.sandbox.kinds import closed_sets, generic
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider import diff, packages
from scripts.sandbox.provider.connections import Connection, Connections
from scripts.sandbox.provider.diff_answer import diff_response, fixed_name, provider_identity, setting
from scripts.sandbox.provider.packages import Package
from scripts.sandbox.provider.preview import planned_outputs
from scripts.sandbox.provider.status_message import Status
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.simulation import Given, Simulation
from scripts.sandbox.store import Record
from scripts.sandbox.vault import unmarked

T = TypeVar("T")
Context = grpc.ServicerContext
_log = logging.getLogger(__name__)


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine. Configuration is kept per connection; objects are found by place."""

    def __init__(self, world: Simulation, package: Package) -> None:
        self.world = world
        self.package = package
        self.version = importlib.metadata.version(package.distribution)
        self.connections = Connections()

    # Life of a provider instance

    def Handshake(self, request: Any, context: Context) -> provider_pb2.ProviderHandshakeResponse:
        _note("Handshake", request, context)
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=False)

    def Attach(self, request: Any, context: Context) -> empty_pb2.Empty:
        _note("Attach", request, context)
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Context) -> plugin_pb2.PluginInfo:
        _note("GetPluginInfo", request, context)
        return plugin_pb2.PluginInfo(version=self.version)

    def GetSchema(self, request: Any, context: Context) -> provider_pb2.GetSchemaResponse:
        _note("GetSchema", request, context)
        return provider_pb2.GetSchemaResponse(schema=f'{{"name": "{self.package.name}", "version": "{self.version}"}}')

    def CheckConfig(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:
        _note("CheckConfig", request, context)
        news = wire.decode(request.news)
        schema = sdk_schema.provider(self.package.name)
        given = {name: setting(schema.shapes.get(name), value) for name, value in news.items() if name != "version"}
        failures = schema_check.check(schema, given)
        return provider_pb2.CheckResponse(inputs=request.news, failures=[_failure(f, given) for f in failures])

    def DiffConfig(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:
        _note("DiffConfig", request, context)
        old, new = wire.plain(wire.decode(request.old_inputs)), wire.plain(wire.decode(request.news))
        found = diff.changes(old, new, replace=provider_identity(self.package, old, new))
        return diff_response(found, delete_first=False)

    def Configure(self, request: provider_pb2.ConfigureRequest, context: Context) -> provider_pb2.ConfigureResponse:
        _note("Configure", request, context)
        args = {name: value for name, value in wire.plain(wire.decode(request.args)).items() if name != "version"}
        connection = self._answer(context, lambda: self.package.configure(self.world, args))
        self.connections.put(context.peer(), connection)
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True, acceptResources=True, acceptOutputs=False)

    def Cancel(self, request: Any, context: Context) -> empty_pb2.Empty:
        """Comes at every end, the normal one too. What a cloud has begun it goes on with."""
        _note("Cancel", request, context)
        return empty_pb2.Empty()

    # Resources

    def Check(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:
        _note("Check", request, context)
        token, name = _token(request), _name(request)
        news, olds = wire.decode(request.news), wire.plain(wire.decode(request.olds))
        schema = sdk_schema.resource(token)
        failures: list[schema_check.Failure] = []
        if schema is not None:
            if self.package.name in coercion.BRIDGED:
                news = coercion.coerced(schema.inputs, news)
            failures = [*schema_check.check(schema.inputs, news), *closed_sets.check(kinds.kind(token), news)]
        elif self.package.name != "kubernetes":
            failures = [
                schema_check.Failure("", f"unknown resource type {token}: {self.package.distribution} {self.version} has none of that name")
            ]
        elif not isinstance(news.get("kind"), str) or not isinstance(news.get("apiVersion"), str):
            failures = [schema_check.Failure("kind", "a custom resource needs apiVersion and kind")]
        suffix = (request.randomSeed.hex() or self.world.new_id("", 7))[:7]
        packages.auto_named(token, news, olds, packages.Naming(name, suffix, request.autonaming.proposed_name))
        connection = self.connections.get(context.peer())
        if connection is not None:
            self.package.complete(connection, token, news)
        self._object_namespace(token, news, context)
        return provider_pb2.CheckResponse(inputs=wire.encode(news), failures=[_failure(f, news) for f in failures])

    def _object_namespace(self, token: str, news: dict[str, Any], context: Context) -> None:
        connection = self.connections.get(context.peer())
        if connection is not None and connection.namespace and packages.is_object(token):
            metadata = news.get("metadata")
            if isinstance(metadata, dict) and "namespace" not in metadata:
                news["metadata"] = {**metadata, "namespace": connection.namespace}

    def Diff(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:
        _note("Diff", request, context)
        token = _token(request)
        kind = kinds.kind(token)
        old, new = wire.plain(wire.decode(request.old_inputs)), wire.plain(wire.decode(request.news))
        found = diff.changes(old, new, replace={*kind.replace, "region"}, ignore=request.ignoreChanges)
        return diff_response(found, delete_first=fixed_name(kind, old, new))

    def Create(self, request: provider_pb2.CreateRequest, context: Context) -> provider_pb2.CreateResponse:
        _note("Create", request, context)
        token, inputs = _token(request), wire.decode(request.properties)
        connection = self._connection(context)
        if request.preview:
            return provider_pb2.CreateResponse(properties=wire.encode(planned_outputs(token, inputs)))
        order = self._order(connection, token, _name(request), inputs)
        record = self._made(context, inputs, order, lambda: self._create(connection, order, inputs))
        return provider_pb2.CreateResponse(id=record.id, properties=wire.encode(self._shown(record, inputs)))

    def _create(self, connection: Connection, order: Order, inputs: dict[str, Any]) -> Record:
        packages.require_reachable(self.world, connection)
        if kinds.kind(order.token).generic:
            _log.warning("%s is %s", order.token, generic.NOTE)
        return packages.create(self.world, order, self._given(connection, order, inputs))

    def Update(self, request: provider_pb2.UpdateRequest, context: Context) -> provider_pb2.UpdateResponse:
        _note("Update", request, context)
        token, inputs = _token(request), wire.decode(request.news)
        connection = self._connection(context)
        if request.preview:
            planned = planned_outputs(token, inputs, olds=wire.decode(request.olds), old_inputs=wire.decode(request.old_inputs))
            return provider_pb2.UpdateResponse(properties=wire.encode(planned))
        before = self._find(connection, token, request.id, inputs)
        order = self._order(connection, token, _name(request), inputs, before)
        record = self._made(context, inputs, order, lambda: self._update(connection, order, inputs, request.id))
        return provider_pb2.UpdateResponse(properties=wire.encode(self._shown(record, inputs)))

    def _update(self, connection: Connection, order: Order, inputs: dict[str, Any], id_: str) -> Record:
        packages.require_reachable(self.world, connection)
        if order.before is None:
            raise Refusal(
                "ResourceNotFound", f"{order.token} {id_} does not exist any more: run a refresh", source="every cloud's not-found error"
            )
        return packages.update(self.world, order, self._given(connection, order, inputs))

    def Delete(self, request: provider_pb2.DeleteRequest, context: Context) -> empty_pb2.Empty:
        _note("Delete", request, context)
        connection = self._connection(context)
        token, olds = _token(request), wire.decode(request.old_inputs)
        self._answer(context, lambda: self._delete(connection, token, request.id, olds))
        return empty_pb2.Empty()

    def _delete(self, connection: Connection, token: str, id_: str, olds: Mapping[str, Any]) -> None:
        try:
            packages.require_reachable(self.world, connection)
        except Refusal:
            # H6: a Helm release does not honour delete_unreachable (pulumi-kubernetes#2675).
            if connection.delete_unreachable and packages.is_object(token):
                return
            raise
        record = self._find(connection, token, id_, olds)
        if record is not None:
            packages.delete(self.world, record)

    def Read(self, request: provider_pb2.ReadRequest, context: Context) -> provider_pb2.ReadResponse:
        _note("Read", request, context)
        connection = self._connection(context)
        token, known_inputs = _token(request), wire.decode(request.inputs)
        self._answer(context, lambda: packages.require_reachable(self.world, connection))
        record = self._find(connection, token, request.id, known_inputs)
        if record is None:
            return provider_pb2.ReadResponse()
        inputs = self.world.vault.show(dict(record.inputs) or self._imported_inputs(record), known_inputs)
        shown = self._shown(record, {**wire.decode(request.properties), **known_inputs})
        return provider_pb2.ReadResponse(id=record.id, properties=wire.encode(shown), inputs=wire.encode(inputs))

    def _imported_inputs(self, record: Record) -> dict[str, Any]:
        """Inputs of an object that nobody made through this door: what of its state can be given."""
        if packages.is_object(record.kind):
            metadata = {k: v for k, v in record.state["metadata"].items() if k in ("name", "namespace", "labels", "annotations")}
            return {**{k: v for k, v in record.state.items() if k != "status"}, "metadata": metadata}
        schema = sdk_schema.resource(record.kind)
        names = schema.inputs.shapes if schema else {}
        return {name: value for name, value in record.state.items() if name in names}

    def Invoke(self, request: provider_pb2.InvokeRequest, context: Context) -> provider_pb2.InvokeResponse:
        _note("Invoke", request, context)
        answers = self.package.answers
        answer = answers.get(request.tok)
        if answer is None:
            context.abort(
                grpc.StatusCode.UNIMPLEMENTED,
                f"the simulated {self.package.name} does not answer {request.tok}; it answers {', '.join(sorted(answers)) or 'none'}",
            )
            raise AssertionError
        response = provider_pb2.InvokeResponse()
        result = answer(self.world, self._connection(context).place, wire.plain(wire.decode(request.args)))
        getattr(response, "return").CopyFrom(wire.encode(result))
        return response

    # Parts

    def _connection(self, context: Context) -> Connection:
        connection = self.connections.get(context.peer())
        if connection is None:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"this connection ({context.peer()}) was never configured")
            raise AssertionError
        return connection

    def _place(self, connection: Connection, token: str, inputs: Mapping[str, Any], id_: str = "") -> Place:
        return self.package.place(connection, kinds.kind(token), inputs, id_)

    def _order(self, connection: Connection, token: str, name: str, inputs: Mapping[str, Any], before: Record | None = None) -> Order:
        plain = {k: v for k, v in wire.plain(inputs).items() if k != "__defaults"}
        place = Place.of(before.key) if before else self._place(connection, token, plain)
        return Order(world=self.world, place=place, token=token, name=name, inputs=plain, before=before, defaults=connection.defaults)

    def _find(self, connection: Connection, token: str, id_: str, inputs: Mapping[str, Any]) -> Record | None:
        return self.world.store.get(token, self._place(connection, token, wire.plain(inputs), id_).key, id_)

    def _given(self, connection: Connection, order: Order, inputs: Mapping[str, Any]) -> Given:
        """Inputs as they may be kept, and what the package adds."""
        extras = self.package.extras(connection, order)
        vault = self.world.vault

        def seal(made: Any) -> Any:
            return vault.seal(made, inputs)

        return Given(vault.hide(inputs), unmarked(seal(dict(extras.tags))), seal(dict(extras.outputs)), seal)

    def _shown(self, record: Record, known: Mapping[str, Any]) -> dict[str, Any]:
        """The record's state as outputs: only what the type has, secrets as the engine knows them."""
        schema = sdk_schema.resource(record.kind)
        state = {k: v for k, v in record.state.items() if schema is None or k in schema.outputs or k in schema.inputs.shapes}
        if packages.is_object(record.kind):
            state = {k: v for k, v in record.state.items() if not k.startswith("__")}
        return self.world.vault.show(state, known)

    def _made(self, context: Context, inputs: Mapping[str, Any], order: Order, work: Callable[[], Record]) -> Record:
        """Run a create or update; an object that exists but is not ready travels in the error's details."""
        try:
            return work()
        except NotReady as error:
            record = self._left_behind(order)
            if record is not None:
                self._abort_partial(context, record, inputs, error)
            self._abort(context, error)
        except GpukitError as error:
            self._abort(context, error)

    def _left_behind(self, order: Order) -> Record | None:
        if order.before is not None:
            return self.world.store.by_ref(order.before.ref)
        return self.world.store.get(order.token, order.place.key, kinds.kind(order.token).identify(order))

    def _abort_partial(self, context: Context, record: Record, inputs: Mapping[str, Any], error: NotReady) -> NoReturn:
        details = provider_pb2.ErrorResourceInitFailed(
            id=record.id, properties=wire.encode(self._shown(record, inputs)), inputs=wire.encode(inputs), reasons=[str(error)]
        )
        status = Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(error))
        status.details.add().Pack(details)
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
        raise AssertionError

    def _answer(self, context: Context, work: Callable[[], T]) -> T:
        try:
            return work()
        except GpukitError as error:
            self._abort(context, error)

    def _abort(self, context: Context, error: GpukitError) -> NoReturn:
        context.abort(grpc.StatusCode.UNKNOWN, f"simulated {self.package.name}: {error}")
        raise AssertionError


def _note(call: str, request: Any, context: Context) -> None:
    """For finding out what an engine asked; never properties, they may hold secrets."""
    _log.debug("%s %s %s", context.peer(), call, getattr(request, "urn", "") or getattr(request, "tok", ""))


def _token(request: Any) -> str:
    return str(request.type or request.urn.split("::")[2].split("$")[-1])


def _name(request: Any) -> str:
    return str(request.name or request.urn.split("::", 3)[-1])


def _failure(failure: schema_check.Failure, inputs: Mapping[str, Any]) -> provider_pb2.CheckFailure:
    """The engine shows the value of the named property; a path into one, or an absent one, it would show as `{<nil>}`."""
    reason = f"{failure.path}: {failure.reason}" if failure.path else failure.reason
    return provider_pb2.CheckFailure(property=failure.path if failure.path in inputs else "", reason=reason)
