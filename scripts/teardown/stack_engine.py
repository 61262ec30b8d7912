"""The Pulumi side of a teardown: a stack whose state is known, through `scripts.engine`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scripts.engine.events import resource_name, resource_type
from scripts.engine.lookup import IN_CLUSTER, CloudLookup
from scripts.engine.protection import protected_names
from scripts.engine.references import without
from scripts.engine.run import Job, act
from scripts.engine.session import Session
from scripts.engine.show import Show
from scripts.engine.state import STACK_TYPE, State
from scripts.engine.workspace import Workspace
from scripts.errors import Exit, Failed
from scripts.teardown.model import Thing
from scripts.teardown.steps.engine import STATE

_OWN = "gpukit:"
_PROVIDERS = "pulumi:providers:"


@dataclass(frozen=True)
class StackEngine:
    """One stack in one workspace. The caller holds the stack's lock."""

    workspace: Workspace
    stack: str
    lookup: CloudLookup
    show: Show

    def recorded(self) -> tuple[Thing, ...]:
        return tuple(
            Thing(kind=f"{STATE}: {resource_type(str(each['urn']))}", id=resource_name(str(each["urn"])))
            for each in self._state().resources
            if _is_thing(each)
        )

    def ids(self) -> frozenset[str]:
        return self._state().ids

    def protected(self) -> tuple[str, ...]:
        """What the engine or a cloud would refuse to delete."""
        return protected_names(self._state())

    def destroy(self) -> str:
        """Preview, then destroy. Raises Failed only for what is no blocked delete: an interrupt, or an engine that is not there."""
        outcome = act(
            Job(
                action="destroy",
                stack=self.stack,
                workspace=self.workspace,
                lookup=self.lookup,
                pack=None,
                approve=lambda _: True,
                show=self.show,
                holding=True,
            )
        )
        if outcome.exit is Exit.INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.exit is Exit.USAGE:
            raise Failed(outcome.message)
        return "" if outcome.exit is Exit.FINE else outcome.message or "the engine stopped"

    def forget_objects(self) -> None:
        """H6: with the cluster gone, the provider could only fail on what the state holds in it."""
        session = Session(self.workspace, self.stack)
        state = session.export()
        left = without(state, lambda each: resource_type(str(each["urn"])).startswith(IN_CLUSTER))
        if len(left.resources) < len(state.resources):
            session.replace_state(left)

    def _state(self) -> State:
        return Session(self.workspace, self.stack).state() or State({})


def _is_thing(resource: Mapping[str, Any]) -> bool:
    kind = resource_type(str(resource["urn"]))
    return kind != STACK_TYPE and not kind.startswith((_OWN, _PROVIDERS))
