"""Quotas of a Google Cloud project: Compute Engine's own listing, Cloud Quotas, usage from Cloud Monitoring."""

from __future__ import annotations

from .door import GoogleDoor

__all__ = ["GoogleDoor"]
