"""Which cloud's part answers for an account. One cloud's clients are loaded only when one of its accounts is asked."""

from __future__ import annotations

from scripts.errors import BadInput, Failed

from .door import Door


def open_door(cloud: str, account: str, region: str) -> Door:
    """Raises Failed where the cloud's clients are not installed or its credentials do not hold."""
    try:
        return _opened(cloud, account, region)
    except ModuleNotFoundError as error:
        raise Failed(
            f"asking {cloud} needs its client libraries ({error.name} is missing): install them with the extra [{cloud}]."
        ) from error


def _opened(cloud: str, account: str, region: str) -> Door:
    if cloud == "aws":
        from .aws import AwsDoor

        return AwsDoor.opened(account, region)
    if cloud == "gcp":
        from .gcp import GoogleDoor

        return GoogleDoor.opened(account)
    if cloud == "azure":
        from .azure import AzureDoor

        return AzureDoor.opened(account)
    raise BadInput(f"there is no way to ask {cloud!r} for its quotas: the clouds are aws, gcp and azure.")
