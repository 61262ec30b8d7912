"""Service Quotas, CloudWatch and STS on the loopback, in the protocols that boto3 speaks; EC2 is moto's, with its gaps filled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.config import Config
from moto import mock_aws

from tests.scripts_catalog.server import Answer, Asked, serving

ACCOUNT = "123456789012"
STS = """<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>arn:aws:iam::{0}:user/x</Arn><UserId>X</UserId><Account>{0}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"""


@dataclass
class Account:
    """What the account answers; every refusal can be set for one operation, by region or for all."""

    limits: dict[str, float] = field(default_factory=dict)
    defaults: dict[str, float] = field(default_factory=dict)
    usage: dict[str, float] = field(default_factory=dict)
    """By quota code, told through the class of its metric."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    refusals: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """(operation, region or "") -> error codes, one an answer; the last one stays."""
    asked: Counter[str] = field(default_factory=Counter)
    scores: list[int] = field(default_factory=lambda: [3, 7])

    def answer(self, asked: Asked) -> Answer:
        region = asked.headers["authorization"].split("/")[2]
        name = asked.target or asked.form.get("Action", "")
        self.asked[name] += 1
        refusal = self._refusal(name, region)
        if refusal:
            return Answer(
                {"__type": refusal, "message": refusal}, 429 if "Too" in refusal else 400, {"x-amzn-query-error": f"{refusal};Sender"}
            )
        if name == "GetCallerIdentity":
            return Answer(STS.format(ACCOUNT), headers={"content-type": "text/xml"})
        return Answer(getattr(self, f"_{name}")(json.loads(asked.body)), headers={"content-type": "application/x-amz-json-1.1"})

    def _refusal(self, name: str, region: str) -> str:
        for key in ((name, region), (name, "")):
            if codes := self.refusals.get(key):
                return codes.pop(0) if len(codes) > 1 else codes[0]
        return ""

    def _quota(self, code: str, value: float) -> dict[str, Any]:
        metric = {
            "MetricNamespace": "AWS/Usage",
            "MetricName": "ResourceCount",
            "MetricDimensions": {"Class": code, "Resource": "vCPU", "Service": "EC2", "Type": "Resource"},
            "MetricStatisticRecommendation": "Maximum",
        }
        return {"Quota": {"ServiceCode": "ec2", "QuotaCode": code, "QuotaName": f"name of {code}", "Value": value, "UsageMetric": metric}}

    def _GetServiceQuota(self, body: dict[str, Any]) -> Any:  # noqa: N802 # the operation's own name
        code = body["QuotaCode"]
        return self._quota(code, self.limits[code]) if code in self.limits else self._missing()

    def _GetAWSDefaultServiceQuota(self, body: dict[str, Any]) -> Any:  # noqa: N802 # the operation's own name
        code = body["QuotaCode"]
        return self._quota(code, self.defaults[code]) if code in self.defaults else self._missing()

    def _missing(self) -> str:
        raise LookupError

    def _GetMetricData(self, body: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 # the operation's own name
        results = []
        for query in body["MetricDataQueries"]:
            metric = query["MetricStat"]["Metric"]
            code = next(d["Value"] for d in metric["Dimensions"] if d["Name"] == "Class")
            values = [self.usage[code], 1e6] if code in self.usage else []
            results.append(
                {"Id": query["Id"], "Values": values, "Timestamps": [1764500000 - i for i in range(len(values))], "StatusCode": "Complete"}
            )
        return {"MetricDataResults": results}

    def _ListRequestedServiceQuotaChangeHistoryByQuota(self, body: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 # as above
        return {"RequestedQuotas": [request for request in self.requests if request["QuotaCode"] == body["QuotaCode"]]}

    def _RequestServiceQuotaIncrease(self, body: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 # as above
        self.requests.append({"Id": f"r-{len(self.requests)}", "Status": "PENDING", **body})
        return {"RequestedQuota": self.requests[-1]}


def _respond(account: Account, asked: Asked) -> Answer:
    try:
        return account.answer(asked)
    except LookupError:
        return Answer({"__type": "NoSuchResourceException", "message": "none"}, 400)


@contextmanager
def clients(account: Account, *, attempts: int = 2) -> Iterator[Any]:
    """Clients by service and region: EC2 is moto's, all else comes from `account`."""
    with serving(lambda asked: _respond(account, asked)) as address, mock_aws():
        made: dict[tuple[str, str], Any] = {}

        def client(service: str, region: str) -> Any:
            if (service, region) not in made:
                made[service, region] = _client(service, region, address, attempts, account)
            return made[service, region]

        yield client


def _client(service: str, region: str, address: str, attempts: int, account: Account) -> Any:
    config = Config(retries={"max_attempts": attempts, "mode": "standard"}, connect_timeout=2, read_timeout=5)
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    endpoint = {} if service == "ec2" else {"endpoint_url": address}
    made = boto3.client(service, region_name=region, config=config, **keys, **endpoint)
    if service == "ec2":
        made.meta.events.register("before-call.ec2.GetSpotPlacementScores", lambda **_: _scores(account))
    return made


def _scores(account: Account) -> tuple[Any, dict[str, Any]]:
    """Not in moto: the answer in EC2's own form."""

    class Fine:
        status_code = 200

    return Fine(), {
        "SpotPlacementScores": [{"Region": "us-east-1", "AvailabilityZoneId": f"z{i}", "Score": s} for i, s in enumerate(account.scores)]
    }
