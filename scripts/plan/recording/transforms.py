"""Resource transforms: callbacks into the program that may change what a registration says before it counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import grpc
from pulumi.runtime.proto import callback_pb2, callback_pb2_grpc, resource_pb2

_SAME_NAME = {"protect": "protect", "version": "version", "provider": "provider", "custom_timeouts": "customTimeouts"}
_RENAMED = {"retain_on_delete": "retainOnDelete", "deleted_with": "deletedWith", "delete_before_replace": "deleteBeforeReplace"}
_LISTS = {
    "depends_on": "dependencies",
    "ignore_changes": "ignoreChanges",
    "replace_on_changes": "replaceOnChanges",
    "aliases": "aliases",
    "additional_secret_outputs": "additionalSecretOutputs",
}


class Transforms:
    """Those of the stack and of every resource, applied as the engine does: the resource's own, then its parents', then the stack's."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._own: dict[str, list[Any]] = {}
        self._channels: dict[str, callback_pb2_grpc.CallbacksStub] = {}

    def own(self, urn: str, callbacks: Iterable[Any]) -> None:
        found = list(callbacks)
        if found:
            self._own[urn] = found

    def applied(self, request: resource_pb2.RegisterResourceRequest, parents: Sequence[str]) -> resource_pb2.RegisterResourceRequest:
        """`request` after all transforms that concern it; the very object when there are none."""
        callbacks = [*request.transforms, *(c for urn in parents for c in self._own.get(urn, ())), *self.stack]
        for callback in callbacks:
            request = self._one(callback, request)
        return request

    def _one(self, callback: Any, request: resource_pb2.RegisterResourceRequest) -> resource_pb2.RegisterResourceRequest:
        question = resource_pb2.TransformRequest(
            type=request.type,
            name=request.name,
            custom=request.custom,
            parent=request.parent,
            properties=request.object,
            options=_options(request),
        )
        reply = self._stub(callback.target).Invoke(
            callback_pb2.CallbackInvokeRequest(token=callback.token, request=question.SerializeToString())
        )
        answer = resource_pb2.TransformResponse.FromString(reply.response)
        changed = resource_pb2.RegisterResourceRequest()
        changed.CopyFrom(request)
        changed.object.CopyFrom(answer.properties)
        if answer.HasField("options"):
            _take(answer.options, changed)
        return changed

    def _stub(self, target: str) -> Any:
        if target not in self._channels:
            self._channels[target] = callback_pb2_grpc.CallbacksStub(grpc.insecure_channel(target))
        return self._channels[target]


def _options(request: resource_pb2.RegisterResourceRequest) -> resource_pb2.TransformResourceOptions:
    options = resource_pb2.TransformResourceOptions()
    for mine, theirs in {**_SAME_NAME, **_RENAMED}.items():
        value = getattr(request, theirs)
        if mine == "custom_timeouts":
            if request.HasField("customTimeouts"):
                options.custom_timeouts.CopyFrom(value)
        elif value:
            setattr(options, mine, value)
    for mine, theirs in _LISTS.items():
        getattr(options, mine).extend(getattr(request, theirs))
    options.providers.update(request.providers)
    return options


def _take(options: resource_pb2.TransformResourceOptions, request: resource_pb2.RegisterResourceRequest) -> None:
    for mine, theirs in {**_SAME_NAME, **_RENAMED}.items():
        if mine == "custom_timeouts":
            request.customTimeouts.CopyFrom(options.custom_timeouts)
        else:
            setattr(request, theirs, getattr(options, mine))
    for mine, theirs in _LISTS.items():
        request.ClearField(theirs)  # pyright: ignore[reportArgumentType] # the names are fields: the tables above
        getattr(request, theirs).extend(getattr(options, mine))
