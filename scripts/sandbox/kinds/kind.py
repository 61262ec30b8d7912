"""What the simulated clouds know about one resource type beyond its schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class Order:
    """One create or update as a cloud sees it: plain inputs, in a place. `before` is the record that an update changes."""

    world: Simulation
    place: Place
    token: str
    name: str
    """The resource's name in the program; the cloud never sees it, ids are made from inputs or fresh."""
    inputs: Mapping[str, Any]
    before: Record | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What the provider adds where the program gives none: GCP's region and zone, Azure's location."""

    @property
    def account(self) -> str:
        return self.place.account

    @property
    def region(self) -> str:
        return self.place.region

    def arn(self, service: str, path: str, *, region: str | None = None) -> str:
        return f"arn:aws:{service}:{self.region if region is None else region}:{self.account}:{path}"

    def text(self, key: str, default: str = "") -> str:
        value = self.inputs.get(key)
        return value if isinstance(value, str) else default

    def get(self, kind: str, id_: object) -> Record | None:
        """The record of another type in the same place."""
        return self.world.store.get(kind, self.place.key, id_) if isinstance(id_, str) else None

    def peers(self, kind: str | None = None) -> list[Record]:
        """All records of a type (default: this one) in the same place, without the one that is being changed."""
        mine = self.before.ref if self.before else None
        return [r for r in self.world.store.of_kind(kind or self.token, self.place.key) if r.ref != mine]


def _fresh(order: Order) -> str:
    return order.world.new_id(order.token.split(":")[-1].lower())


def _nothing(*_: Any) -> None:
    return None


def _dashed(name: str, digits: str) -> str:
    return f"{name}-{digits}"


def _no_outputs(_: Order, __: str) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Behaviour of one type. What a type leaves out is generic.

    Sources of `replace`: the resource schemas of the Terraform providers (ForceNew, RequiresReplace) that pulumi-aws and pulumi-gcp bridge.
    """

    token: str
    replace: frozenset[str] = frozenset()
    """Inputs (dotted paths) whose change makes a new object."""
    auto_name: str | None = None
    """The input that gets a name from the program's when it is absent."""
    auto_form: Callable[[str, str], str] = _dashed
    """The automatic name from the program's name and random digits, as the package forms it."""
    name_limit: int = 255
    everywhere: bool = False
    """Lives in its account: no region."""
    create_seconds: float = 2
    delete_seconds: float = 2
    identify: Callable[[Order], str] = _fresh
    admit: Callable[[Order], None] = _nothing
    """Raises Refusal when the cloud would not accept the order, in creates and updates."""
    outputs: Callable[[Order, str], dict[str, Any]] = _no_outputs
    """Outputs beyond the inputs; in a preview only their names count."""
    enriched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Objects among the inputs to which the cloud adds properties, unknown in a preview."""
    shown_as: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Inputs that the cloud gives back in another form, and how that comes from what was given; previews use it too."""
    moving: frozenset[str] = frozenset()
    """Outputs that an update may change: unknown in its preview."""
    created: Callable[[Order, Record], None] = _nothing
    """What else comes into being with it, in the same transaction."""
    settle: Callable[[Simulation, Record], None] = _nothing
    """What happens once it has had its time; raises NotReady when it does not come up."""
    updated: Callable[[Order, Record], None] = _nothing
    releases: Callable[[Simulation, Record], None] = _nothing
    """Raises Refusal when it cannot be deleted now."""
    deleted: Callable[[Simulation, Record], None] = _nothing
    """What goes with it, in the same transaction."""
    starts: str = "available"
    """Status once it is there."""
    starting: str = "pending"
    closed_sets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Input path to (service, shape) of the closed list of values in the cloud's own API model (see `closed_sets`)."""
    generic: bool = False
