"""Quotas of an Azure subscription: Compute usages by location, increases through Microsoft.Quota."""

from __future__ import annotations

from .door import AzureDoor

__all__ = ["AzureDoor"]
