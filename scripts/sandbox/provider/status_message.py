"""The message `google.rpc.Status`, in which errors carry details.

Google's common messages and Pulumi's protocol both define it, and a process can load it once: where Google's is installed it is taken, so
that Google's client libraries work beside a provider.
"""

from __future__ import annotations

try:
    from google.rpc.status_pb2 import Status
except ImportError:  # the gcp extra is not installed
    from pulumi.runtime.proto.status_pb2 import Status

__all__ = ["Status"]
