"""Ordered, verified teardown."""
