"""`gpukit catalog refresh`: which clouds, what changed, what was refused, where it was written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import httpx

from components import catalog, clock
from components.catalog import Machine
from components.catalog.names import CLOUDS, Cloud
from components.catalog.tables import DATA, rows
from scripts.catalog.wanted import the_cloud, the_machine
from scripts.errors import BadInput, Exit, Failed, GpukitError, Refused
from scripts.plan.terminal import progress

from . import aws, azure, google
from .offer import Offer
from .polling import TIMEOUT_S, Api
from .report import Outcome, print_outcomes
from .sanity import absurdities, refused
from .table import Merged, merge, prices_of, write


@dataclass(frozen=True)
class Addresses:
    """Where the price lists are. Tests put servers of their own there."""

    aws: str | None = None
    azure: str = azure.URL
    google: str = google.URL
    sleep: Callable[[float], None] = time.sleep

    def of(self, cloud: Cloud) -> str | None:
        return {"aws": self.aws, "azure": self.azure, "gcp": self.google}[cloud]


@dataclass(frozen=True, kw_only=True)
class Request:
    regions: Sequence[str]
    accepted: Mapping[str, str]
    folder: Path | None
    """Where to write; None for showing only."""
    now: datetime
    addresses: Addresses = field(default_factory=Addresses)


def run(  # noqa: PLR0913 # one parameter an option
    *,
    clouds: Sequence[str],
    regions: Sequence[str],
    out: str | None,
    write: bool,
    accept: Sequence[str],
    as_json: bool,
    addresses: Addresses | None = None,
) -> Exit:
    """Refresh each cloud on its own: what fails on one leaves the others. Raises BadInput for options that do not go together."""
    if out is not None and write:
        raise BadInput("--out and --write were given together: write into a folder or into this checkout, choose one.")
    request = Request(
        regions=tuple(_known_regions(regions)),
        accepted=dict(_acceptance(text) for text in accept),
        folder=DATA if write else Path(out) if out is not None else None,
        now=clock.now(),
        addresses=addresses or Addresses(),
    )
    outcomes = [refreshed(cloud, request) for cloud in _clouds(clouds)]
    print_outcomes(outcomes, as_json=as_json)
    return max((outcome.exit for outcome in outcomes), default=Exit.FINE)


def _clouds(names: Sequence[str]) -> tuple[Cloud, ...]:
    return tuple(dict.fromkeys(the_cloud(name) for name in names)) if names else CLOUDS


def _acceptance(text: str) -> tuple[str, str]:
    name, _, reason = text.partition("=")
    if not reason.strip():
        raise BadInput(f"--accept {text!r} gives no reason: write MACHINE=REASON; the reason becomes the note of the row.")
    return the_machine(name, None).name, reason.strip()


def _known_regions(regions: Sequence[str]) -> Sequence[str]:
    for region in regions:
        if not region.replace("-", "").isalnum():
            raise BadInput(f"--region {region!r} is no region: give its name as the cloud spells it, such as us-east-1.")
    return regions


def refreshed(cloud: Cloud, request: Request) -> Outcome:
    """What happened to one cloud. Errors that a user may meet become part of the outcome."""
    try:
        _stay_out_of_the_real_world(cloud, request.addresses)
        progress(f"reading the price list of {cloud}")
        offers, notes = _offers(cloud, request)
        if not offers:
            raise Failed(f"the price list of {cloud} has nothing for the machines of the catalogue in these regions. Nothing was written.")
        return _taken(cloud, offers, notes, request)
    except GpukitError as error:
        return Outcome(cloud=cloud, error=str(error), exit=error.exit)
    except (LookupError, TypeError, ValueError) as error:
        # a list that changed its form must not pass for one without prices, nor stop the other clouds
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        text = f"the price list of {cloud} answered in a form that this version does not read ({what}). Nothing was written."
        return Outcome(cloud=cloud, error=text, exit=Exit.FAILED)


def _stay_out_of_the_real_world(cloud: Cloud, addresses: Addresses) -> None:
    address = addresses.of(cloud)
    if clock.in_sandbox() and (address is None or httpx.URL(address).host not in ("127.0.0.1", "localhost", "::1")):
        raise Refused(f"the simulated clouds have no price list, and the sandbox asks no real one for {cloud}: leave --sandbox out.")


def _offers(cloud: Cloud, request: Request) -> tuple[list[Offer], list[str]]:
    machines, at = _machines(cloud), request.addresses
    if cloud == "aws":
        read = aws.offers([m.name for m in machines], request.regions, request.now, aws.clients(at.aws))
        return read.offers, read.notes
    if cloud == "azure":
        with _client(at.azure) as client:
            names = [m.name for m in machines]
            api = Api(name=azure.NAME, client=client, sleep=at.sleep)
            return list(azure.offers(api, names, request.regions, request.now, url=at.azure)), []
    headers = google.headers(os.environ.get("GOOGLE_API_KEY"), os.environ.get("GOOGLE_OAUTH_ACCESS_TOKEN"))
    with _client(at.google, headers) as client:
        api = Api(name=google.NAME, client=client, permission=google.PERMISSION, sleep=at.sleep)
        found = [o for o in google.offers(api, machines, url=at.google) if not request.regions or o.region in request.regions]
    left = sorted({m.family for m in machines} - google.PARTS.keys())
    return found, [f"not read, as the names of their meters are not established: {', '.join(left)}"]


def _client(address: str, headers: Mapping[str, str] | None = None) -> httpx.Client:
    """Proxies of the environment serve the real clouds only."""
    loopback = httpx.URL(address).host == "127.0.0.1"
    return httpx.Client(timeout=TIMEOUT_S, headers=headers, trust_env=not loopback)


def _machines(cloud: Cloud) -> list[Machine]:
    """Accelerator machines, and the CPU machines that have a price."""
    priced = {name for _, name in catalog.priced(cloud)}
    return [machine for machine in catalog.machines(cloud) if machine.accelerated or machine.name in priced]


def _taken(cloud: Cloud, offers: Sequence[Offer], notes: Sequence[str], request: Request) -> Outcome:
    present = rows(f"{cloud}_prices")
    found = absurdities(offers, prices_of(present), lambda name: catalog.find_machine(cloud, name))
    stopped = refused(found, request.accepted)
    suspicious = {absurd.offer.machine for absurd in found}
    reasons = {machine: reason for machine, reason in request.accepted.items() if machine in suspicious}
    merged = merge(present, offers, request.now.date(), reasons)
    written = None if stopped or request.folder is None else _written(request.folder, cloud, merged)
    exit_ = Exit.NO if stopped else Exit.FINE
    return Outcome(cloud=cloud, merged=merged, refused=stopped, notes=tuple(notes), written=written, exit=exit_)


def _written(folder: Path, cloud: Cloud, merged: Merged) -> Path:
    try:
        return write(folder, cloud, merged.rows)
    except OSError as error:
        raise Failed(
            f"the new prices of {cloud} could not be written to {folder}: {error.strerror}. The old table is untouched."
        ) from error
