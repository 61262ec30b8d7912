"""A stack's own settings as the command line needs them before any engine runs."""

from __future__ import annotations

import json

from components.refusals import SpecErrors
from scripts.engine.checkout import Checkout
from scripts.errors import BadInput
from scripts.plan import stackfile
from scripts.plan.stackfile import StackFile
from stacks.settings import KEY, REGION_KEYS, Settings, parse


def settings_of(checkout: Checkout, stack: str) -> Settings:
    """The checked settings of `stack`. Raises BadInput with every error of its file at once."""
    file = stackfile.read(checkout.root, stack)
    value = _value(file)
    keys = [key for cloud, key in REGION_KEYS.items() if isinstance(value, dict) and value.get("cloud", "aws") == cloud]
    region = next((file.config[key] for key in keys if file.config.get(key)), None)
    try:
        return parse(value, stack=stack, region=region, file=f"stacks/{file.path.name}")
    except SpecErrors as errors:
        raise BadInput(str(errors)) from errors


def _value(file: StackFile) -> object:
    try:
        return json.loads(file.config.get(KEY, "null"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"stacks/{file.path.name}: {KEY}: a mapping is expected, such as {{cloud: aws, …}}.") from error
