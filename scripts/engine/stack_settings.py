"""A stack's own settings as the command line needs them before any engine runs."""

from __future__ import annotations

from components.refusals import SpecErrors
from scripts.engine.checkout import Checkout
from scripts.errors import BadInput
from scripts.plan import stackfile
from stacks.settings import Settings, of_config


def settings_of(checkout: Checkout, stack: str) -> Settings:
    """The checked settings of `stack`. Raises BadInput with every error of its file at once."""
    file = stackfile.read(checkout.root, stack)
    try:
        return of_config(file.config, file.secret_keys, stack=stack, file=f"stacks/{file.path.name}")
    except SpecErrors as errors:
        raise BadInput(str(errors)) from errors
