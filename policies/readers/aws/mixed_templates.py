"""Launch templates of a mixed scaling group: its own, and those that single overrides name for themselves."""

from __future__ import annotations

from components.resource import Resource
from components.unknown import Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import first, items

from .launch_template import Template

MIXED = "mixedInstancesPolicy"
OVERRIDES = f"{MIXED}.launchTemplate.overrides"
_SPECIFICATION = "launchTemplateSpecification"

Position = int | None
"""Of an override in its list; None for the group's own template."""
Path = tuple[str | int, ...]


def mixed_templates(group: Resource, program: Program) -> dict[Position, Template]:
    """The templates that `group` names, by position.

    References to new templates have no ids yet: they are told apart only where the group depends on one template besides those
    that it names literally. Otherwise none of them is seen, rather than one taken for another.
    """
    named = {position: _name(group, path) for position, path in _paths(group).items()}
    literal = {
        position: program.resources.existing(name, types.LAUNCH_TEMPLATE) for position, name in named.items() if isinstance(name, str)
    }
    taken = {template.urn for template in literal.values() if template is not None}
    open_ = [t for t in program.resources.referred(group, MIXED, types.LAUNCH_TEMPLATE) if t.urn not in taken]
    waiting = open_[0] if len(open_) == 1 else None
    return {
        position: Template(program, literal.get(position, waiting), _where(position))
        for position, name in named.items()
        if name is not None
    }


def _paths(group: Resource) -> dict[Position, Path]:
    overrides = items(group.read(MIXED, "launchTemplate", "overrides"), OVERRIDES)
    own: dict[Position, Path] = {None: (MIXED, "launchTemplate", _SPECIFICATION)}
    return own | {i: (MIXED, "launchTemplate", "overrides", i, _SPECIFICATION) for i in range(len(overrides) if known(overrides) else 0)}


def _name(group: Resource, path: Path) -> str | Unknown | None:
    """Id or name; unknown while it is to come or cannot be read; None where no template is named."""
    if group.read(*path) is None:
        return None
    found = first(group.read(*path, "launchTemplateId"), group.read(*path, "launchTemplateName"))
    return found if isinstance(found, str) else Unknown(_SPECIFICATION)


def _where(position: Position) -> str:
    return f"{MIXED}.launchTemplate.{_SPECIFICATION}" if position is None else f"{OVERRIDES}[{position}].{_SPECIFICATION}"
