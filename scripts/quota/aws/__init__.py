"""Quotas of an AWS account: Service Quotas, usage from CloudWatch, nodes from EC2."""

from __future__ import annotations

from .door import AwsDoor

__all__ = ["AwsDoor"]
