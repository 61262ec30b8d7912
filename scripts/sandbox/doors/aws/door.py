"""The AWS door: what boto3 calls. Region and service come from the request's signature scope, the account is the world's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from scripts.errors import GpukitError
from scripts.sandbox.doors.aws import (
    autoscaling,
    budgets,
    cloudwatch,
    ec2,
    ec2_actions,
    eks,
    elb,
    fsx,
    functions,
    iam,
    logs_keys,
    s3,
    tagging,
)
from scripts.sandbox.doors.aws.call import Call, Handler
from scripts.sandbox.doors.aws.protocol import failure, model, operation, parameters, response
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.passing import catch_up
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

_FEW = 5
_SCOPE = re.compile(r"Credential=[^/]+/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request")


def _caller(call: Call) -> dict[str, str]:
    arn = f"arn:aws:iam::{call.world.account('aws')}:user/simulated"
    return {"UserId": "AIDASIMULATED", "Account": call.world.account("aws"), "Arn": arn}


SERVICES: Mapping[str, tuple[str, Mapping[str, Handler]]] = {
    "ec2": ("ec2", {**ec2.HANDLERS, **ec2_actions.HANDLERS}),
    "eks": ("eks", eks.HANDLERS),
    "autoscaling": ("autoscaling", autoscaling.HANDLERS),
    "tagging": ("resourcegroupstaggingapi", tagging.HANDLERS),
    "iam": ("iam", iam.HANDLERS),
    "s3": ("s3", s3.HANDLERS),
    "fsx": ("fsx", fsx.HANDLERS),
    "budgets": ("budgets", budgets.HANDLERS),
    "sts": ("sts", {"GetCallerIdentity": _caller}),
    "elasticloadbalancing": ("elbv2", elb.HANDLERS),
    "logs": ("logs", logs_keys.LOGS),
    "kms": ("kms", logs_keys.KEYS),
    "lambda": ("lambda", functions.FUNCTIONS),
    "events": ("events", functions.EVENTS),
    "sns": ("sns", functions.TOPICS),
    "sqs": ("sqs", functions.QUEUES),
    "monitoring": ("cloudwatch", cloudwatch.HANDLERS),
}
"""Signing name to boto3's service name and the operations that are answered."""


def door(world: Simulation) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        scope = _SCOPE.search(request.headers.get("authorization", ""))
        if scope is None:
            return failure(
                _likely_protocol(request), "MissingAuthenticationToken", "the request is not signed: sign it with any credentials", 403
            )
        known = SERVICES.get(scope["service"])
        if known is None:
            services = ", ".join(name for name, _ in SERVICES.values())
            message = f"the simulated AWS has no service {scope['service']}: it has {services}"
            protocol = "rest-xml" if scope["service"] == "s3" else _likely_protocol(request)
            return failure(protocol, "UnknownService", message, 400)
        if scope["service"] == "elasticloadbalancing" and elb.CLASSIC_VERSION.encode() in request.body:
            known = ("elb", elb.CLASSIC)
        return _serve(world, request, scope["region"], *known)

    return answer


def _serve(world: Simulation, request: Request, region: str, service_name: str, handlers: Mapping[str, Handler]) -> Response:
    service = model(service_name)
    protocol = service.resolved_protocol
    try:
        catch_up(world)
        _throttle(world, service_name)
        name, path = operation(service, request)
        handler = _handler(handlers, name, service_name, protocol)
        given = parameters(service, name, request, path)
        return response(service, name, handler(Call(world, region, given)))
    except Refusal as refusal:
        return failure(protocol, refusal.code, refusal.message, refusal.status)
    except GpukitError as error:
        return failure(protocol, "InternalError", str(error), 500)


def _throttle(world: Simulation, service: str) -> None:
    if world.faults.throttled(service):
        code = "RequestLimitExceeded" if service == "ec2" else "ThrottlingException"
        raise Refusal(code, "Rate exceeded (injected fault)", source="botocore: both are in its list of throttling errors", status=429)


def _handler(handlers: Mapping[str, Handler], name: str, service_name: str, protocol: str) -> Handler:
    handler = handlers.get(name)
    if handler is None:
        raise Refusal(
            "InvalidAction" if protocol in ("ec2", "query") else "UnknownOperationException",
            f"the simulated {service_name} does not answer {name}: it answers {_nearest(handlers, name)}",
            source="this world's own rule: nothing is made up",
        )
    return handler


def _nearest(handlers: Mapping[str, Handler], name: str) -> str:
    """Few operations are named in full, of many those that are most alike."""
    if len(handlers) <= _FEW:
        return ", ".join(sorted(handlers))
    alike = ", ".join(get_close_matches(name, sorted(handlers), n=3, cutoff=0.5))
    return f"{len(handlers)} operations{f', the nearest {alike}' if alike else ''}"


def _likely_protocol(request: Request) -> str:
    return "ec2" if "x-www-form-urlencoded" in request.headers.get("content-type", "") else "rest-json"
