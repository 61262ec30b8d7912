"""A cloud's own no, as both doors tell it."""

from __future__ import annotations

from scripts.errors import GpukitError


class Refusal(GpukitError):
    """The simulated cloud refuses an operation, as the real one would.

    `code` is the cloud's own error code, `source` says where it was seen outside of this project.
    `status` is the HTTP status of the API doors; the provider door shows code and message.
    """

    def __init__(self, code: str, message: str, *, source: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.source = source
        self.status = status


class NotReady(GpukitError):
    """The object exists but did not come up: the engine keeps it in its state and the next update tries again."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Injected(GpukitError):
    """An injected fault, not a refusal: the operation would have been accepted."""
