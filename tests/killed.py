"""A process that ends in the middle, as far as a test in this process can go."""

from __future__ import annotations


class Killed(BaseException):
    """As kill -9: no handler of the code under test runs after it."""
