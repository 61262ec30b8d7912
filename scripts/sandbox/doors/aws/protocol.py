"""The AWS wire protocols, driven by the service models that botocore ships: requests to parameters, results to responses.

Covers what this world's services speak: `ec2`, `query`, `rest-json`, `json`, and of `rest-xml` requests without a body (S3).
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, cast
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

import botocore.session

from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.refusal import Refusal

Shape = Any
"""A botocore shape; botocore has no types."""

_loading = threading.Lock()
REQUEST_ID = "00000000-0000-0000-0000-000000000000"


@lru_cache(maxsize=32)
def model(service: str) -> Any:
    """The service model of a boto3 service name."""
    with _loading:
        return cast("Any", botocore.session.get_session()).get_service_model(service)


def operation(service: Any, request: Request) -> tuple[str, dict[str, str]]:
    """Name of the operation that a request asks for, with the parameters in its path. Raises Refusal when there is none."""
    protocol = service.resolved_protocol
    if protocol in ("ec2", "query"):
        return _form(request).get("Action", [""])[0], {}
    if protocol == "json":
        return request.headers.get("x-amz-target", "").rpartition(".")[2], {}
    for name in service.operation_names:
        http = service.operation_model(name).http
        found = _uri_pattern(http["requestUri"]).fullmatch(request.path)
        if http["method"] == request.method and found and _markers(http["requestUri"]) == _asked(request, protocol):
            return name, found.groupdict()
    raise Refusal("UnknownOperationException", f"{request.method} {request.path} is no operation", source="AWS API reference", status=404)


@lru_cache(maxsize=512)
def _markers(template: str) -> frozenset[str]:
    """Query keys without a value, by which S3 tells operations on one path apart: `/{Bucket}?tagging`."""
    return frozenset(part.split("=")[0] for part in template.partition("?")[2].split("&") if part and "=" not in part)


def _asked(request: Request, protocol: str) -> frozenset[str]:
    return frozenset(key for key, values in request.query.items() if values == [""]) if protocol == "rest-xml" else frozenset()


@lru_cache(maxsize=512)
def _uri_pattern(template: str) -> re.Pattern[str]:
    """An ARN in a path holds slashes, which clients encode and the server has decoded by now."""
    path = template.split("?", 1)[0]
    return re.compile(re.sub(r"\{(\w+)\+?\}", lambda m: f"(?P<{m[1]}>{'.+' if m[1].endswith('Arn') else '[^/]+'})", path))


def parameters(service: Any, name: str, request: Request, path: Mapping[str, str]) -> dict[str, Any]:
    """The operation's input, by member names of its model."""
    shape = service.operation_model(name).input_shape
    if shape is None:
        return {}
    protocol = service.resolved_protocol
    if protocol in ("ec2", "query"):
        flat = {key: values[0] for key, values in _form(request).items()}
        return _from_form(shape, flat, "", ec2=protocol == "ec2") or {}
    body = json.loads(request.body) if request.body and protocol != "rest-xml" else {}
    return body if protocol == "json" else _from_rest(shape, request, path, body)


def _form(request: Request) -> dict[str, list[str]]:
    return parse_qs(request.body.decode(), keep_blank_values=True)


def _from_rest(shape: Shape, request: Request, path: Mapping[str, str], body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, member in shape.members.items():
        where, key = member.serialization.get("location"), member.serialization.get("name", name)
        if where == "uri" and key in path:
            found[name] = path[key]
        elif where == "querystring" and key in request.query:
            values = request.query[key]
            found[name] = list(values) if member.type_name == "list" else _scalar(member, values[0])
        elif where is None and key in body:
            found[name] = body[key]
    return found


def _from_form(shape: Shape, flat: Mapping[str, str], prefix: str, *, ec2: bool) -> Any:
    """The value at `prefix` of a flattened form, or None when nothing is given there."""
    if shape.type_name == "structure":
        found: dict[str, Any] = {}
        for name, member in shape.members.items():
            value = _from_form(member, flat, _join(prefix, _form_name(name, member, ec2=ec2)), ec2=ec2)
            if value is not None:
                found[name] = value
        return found or None
    if shape.type_name == "list":
        return _list_from_form(shape, flat, prefix, ec2=ec2)
    return _scalar(shape, flat[prefix]) if prefix in flat else None


def _list_from_form(shape: Shape, flat: Mapping[str, str], prefix: str, *, ec2: bool) -> list[Any] | None:
    base = prefix if ec2 or shape.serialization.get("flattened") else f"{prefix}.{shape.member.serialization.get('name', 'member')}"
    items: list[Any] = []
    while (item := _from_form(shape.member, flat, f"{base}.{len(items) + 1}", ec2=ec2)) is not None:
        items.append(item)
    return items or None


def _form_name(name: str, member: Shape, *, ec2: bool) -> str:
    if not ec2:
        return str(member.serialization.get("name", name))
    given = member.serialization.get("queryName") or member.serialization.get("name", name)
    return str(given) if "queryName" in member.serialization else f"{given[0].upper()}{given[1:]}"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _scalar(shape: Shape, text: str) -> Any:
    if shape.type_name in ("integer", "long"):
        return int(text)
    if shape.type_name in ("float", "double"):
        return float(text)
    return text == "true" if shape.type_name == "boolean" else text


def response(service: Any, name: str, result: Mapping[str, Any]) -> Response:
    """The operation's result as its protocol writes it."""
    shape = service.operation_model(name).output_shape
    protocol = service.resolved_protocol
    if protocol in ("json", "rest-json"):
        content = "application/json" if protocol == "rest-json" else "application/x-amz-json-1.1"
        return Response(200, json.dumps(_to_json(shape, result) if shape else {}).encode(), content)
    inner = _members_xml(shape, result, ec2=protocol == "ec2") if shape else ""
    if protocol == "rest-xml":
        payload = shape.serialization.get("payload") if shape else None
        return Response(200, (inner if payload else f"<{name}Result>{inner}</{name}Result>").encode(), "application/xml")
    if protocol == "ec2":
        text = f"<{name}Response><requestId>{REQUEST_ID}</requestId>{inner}</{name}Response>"
    else:
        wrapper = shape.serialization.get("resultWrapper", f"{name}Result") if shape else f"{name}Result"
        metadata = f"<ResponseMetadata><RequestId>{REQUEST_ID}</RequestId></ResponseMetadata>"
        text = f"<{name}Response><{wrapper}>{inner}</{wrapper}>{metadata}</{name}Response>"
    return Response(200, text.encode(), "text/xml")


def _to_json(shape: Shape, value: Any) -> Any:
    if value is None:
        return None
    if shape.type_name == "structure":
        return {
            member.serialization.get("name", name): _to_json(member, value[name])
            for name, member in shape.members.items()
            if value.get(name) is not None
        }
    if shape.type_name == "list":
        return [_to_json(shape.member, item) for item in value]
    if shape.type_name == "map":
        return {key: _to_json(shape.value, item) for key, item in value.items()}
    if shape.type_name == "timestamp":
        return datetime.fromisoformat(value).timestamp()
    return value


def _members_xml(shape: Shape, value: Mapping[str, Any], *, ec2: bool) -> str:
    unknown = value.keys() - shape.members.keys()
    if unknown:
        raise KeyError(f"{shape.name} has no members {sorted(unknown)}")
    return "".join(
        _xml(member, member.serialization.get("name", name), value[name], ec2=ec2)
        for name, member in shape.members.items()
        if value.get(name) is not None
    )


def _xml(shape: Shape, tag: str, value: Any, *, ec2: bool) -> str:
    if shape.type_name == "structure":
        return f"<{tag}>{_members_xml(shape, value, ec2=ec2)}</{tag}>"
    if shape.type_name == "list":
        item_tag = shape.member.serialization.get("name", "item" if ec2 else "member")
        if shape.serialization.get("flattened"):
            return "".join(_xml(shape.member, tag, item, ec2=ec2) for item in value)
        return f"<{tag}>{''.join(_xml(shape.member, item_tag, item, ec2=ec2) for item in value)}</{tag}>"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"<{tag}>{escape(text)}</{tag}>"


def failure(protocol: str, code: str, message: str, status: int) -> Response:
    """An error as a protocol's clients read it."""
    if protocol in ("json", "rest-json"):
        body = json.dumps({"__type": code, "message": message}).encode()
        return Response(status, body, "application/json", {"x-amzn-ErrorType": code})
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if protocol == "rest-xml":
        text = f"<Error>{error}<RequestId>{REQUEST_ID}</RequestId></Error>"
    elif protocol == "ec2":
        text = f"<Response><Errors><Error>{error}</Error></Errors><RequestID>{REQUEST_ID}</RequestID></Response>"
    else:
        text = f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error><RequestId>{REQUEST_ID}</RequestId></ErrorResponse>"
    return Response(status, text.encode(), "text/xml")
