"""Offers that cannot be right, or that someone must look at first: a wrong price table makes every later cost a lie.

A reason given by a person (`accepted`, by machine) lets everything pass but a price of nothing, and is kept as the row's note.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from components.catalog import Machine

from .offer import Key, Offer

JUMP = {"on_demand": 2.0, "spot": 5.0}
"""Largest factor, up or down, between the present price and a new one. The largest cut of an on-demand price in the catalogue's time was
p5.48xlarge in June 2025, by 1.8; spot moves by itself."""

LARGER_AND_CHEAPER: Mapping[tuple[str, str], str] = {
    ("Standard_NC128ds_xl_RTXPRO6000BSE_v6", "Standard_NC144ds_xl_RTXPRO6000BSE_v6"): "preview size that no longer deploys",
    ("Standard_NC256ds_xl_RTXPRO6000BSE_v6", "Standard_NC288ds_xl_RTXPRO6000BSE_v6"): "preview size that no longer deploys",
}
"""(smaller, larger) machines of which the larger costs less, and why."""
ROUNDING = 0.999


@dataclass(frozen=True)
class Absurd:
    """One offer that is not taken, and why."""

    offer: Offer
    why: str
    acceptable: bool = True
    """Whether a person's reason can make it pass."""


def absurdities(offers: Sequence[Offer], present: Mapping[Key, float], find: Callable[[str], Machine | None]) -> tuple[Absurd, ...]:
    """Everything wrong with `offers` beside the `present` prices. `find` gives the machine of a name."""
    worthless = tuple(Absurd(o, f"{o.usd:g} USD is no price", acceptable=False) for o in offers if not _positive(o))
    sound = [offer for offer in offers if _positive(offer)]
    return (*worthless, *_twice(sound), *_jumps(sound, present), *_spot_above(sound, present), *_larger_cheaper(sound, find))


def refused(found: Iterable[Absurd], accepted: Mapping[str, str]) -> tuple[Absurd, ...]:
    return tuple(absurd for absurd in found if not (absurd.acceptable and absurd.offer.machine in accepted))


def _positive(offer: Offer) -> bool:
    return all(math.isfinite(usd) and usd > 0 for usd in (offer.usd, offer.highest))


def _twice(offers: Iterable[Offer]) -> Iterator[Absurd]:
    seen: dict[Key, Offer] = {}
    for offer in offers:
        first = seen.setdefault(offer.key, offer)
        if (first.usd, first.highest) != (offer.usd, offer.highest):
            yield Absurd(offer, f"listed at two prices, {first.usd:g} and {offer.usd:g}: one of them is another meter", acceptable=False)


def _jumps(offers: Iterable[Offer], present: Mapping[Key, float]) -> Iterator[Absurd]:
    for offer in offers:
        old, most = present.get(offer.key), JUMP[offer.market]
        if old is not None and max(offer.usd / old, old / offer.usd) > most:
            yield Absurd(offer, f"{old:g} before, {offer.usd:g} now: more than {most:g} times apart")


def _spot_above(offers: Sequence[Offer], present: Mapping[Key, float]) -> Iterator[Absurd]:
    on_demand = {(o.machine, o.region): o.usd for o in offers if o.market == "on_demand"}
    for offer in offers:
        listed = on_demand.get((offer.machine, offer.region)) or present.get((offer.machine, offer.region, "on_demand"))
        if offer.market == "spot" and listed is not None and offer.highest > listed:
            yield Absurd(offer, f"spot {offer.highest:g} above on-demand {listed:g}")


def _larger_cheaper(offers: Iterable[Offer], find: Callable[[str], Machine | None]) -> Iterator[Absurd]:
    groups: dict[tuple[str, str], list[tuple[Machine, Offer]]] = defaultdict(list)
    for offer in offers:
        machine = find(offer.machine)
        if machine is not None and offer.market == "on_demand":
            groups[offer.region, machine.family].append((machine, offer))
    for members in groups.values():
        for (small, dear), (large, cheap) in permutations(members, 2):
            if outsizes(large, small) and cheap.usd < dear.usd * ROUNDING and (small.name, large.name) not in LARGER_AND_CHEAPER:
                yield Absurd(cheap, f"costs {cheap.usd:g}, less than the smaller {small.name} at {dear.usd:g}")


def outsizes(large: Machine, small: Machine) -> bool:
    """Whether `large` has no less of anything and more of something: g5.16xlarge (1 GPU) does not outsize g5.12xlarge (4)."""
    more, less = (large.vcpus, large.memory_gib, large.gpu_count), (small.vcpus, small.memory_gib, small.gpu_count)
    return more != less and all(x >= y for x, y in zip(more, less, strict=True))
