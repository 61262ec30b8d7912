"""What the idle watch on AWS recorded in tags of the pools that it scaled to zero, for `gpukit resume`."""

from __future__ import annotations

from collections.abc import Mapping

from components import idle_tags
from scripts.errors import Failed
from scripts.idle.act import tagging
from scripts.idle.act.state import Scaled
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Found
from scripts.idle.collect.targets import Target


def joined(remembered: Mapping[str, Scaled], found: Found) -> dict[str, Scaled]:
    """Sizes by pool, from our own file and from the watch. Of two records the one with the larger minimum: the other saw ours at zero.

    Raises Failed for a record that cannot be read.
    """
    pools = dict(remembered)
    for pool, recorded in _recorded(found).items():
        known = pools.get(pool)
        if known is None or (recorded.minimum, recorded.at) > (known.minimum, known.at):
            pools[pool] = recorded
    return pools


def forget(target: Target, found: Found, access: Access) -> None:
    """Take the records off. Raises Failed when AWS refuses or does not answer."""
    for watched in found.watched.values():
        tagging.forget(target, watched, access)


def _recorded(found: Found) -> dict[str, Scaled]:
    return {pool: _scaled(pool, watched.text, found) for pool, watched in found.watched.items() if found.sizes and pool in found.sizes}


def _scaled(pool: str, text: str, found: Found) -> Scaled:
    try:
        sizes = idle_tags.recorded(text)
    except ValueError as error:
        raise Failed(f"pool {pool}: {error}; set its sizes by hand and remove the tag") from error
    if sizes is None or found.sizes is None:
        raise Failed(f"pool {pool}: its sizes are not known")
    return Scaled(group=found.sizes[pool].group, minimum=sizes.minimum, desired=sizes.desired, maximum=sizes.maximum, at=sizes.at)
