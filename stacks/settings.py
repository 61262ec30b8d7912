"""The stack's configuration, read once at the edge into one typed object. `parse` is pure; `load` asks the running program's Pulumi."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module

from components.inventory import Cloud
from components.refusals import SpecError, SpecErrors, nearest, shown
from components.spec import InferenceSpec, TrainingSpec
from components.spec.fields import name_form
from components.spec.reading import SECRET, read

from .region import REGION_KEYS, region_problem

NAMESPACE = "gpukit"
KEY = f"{NAMESPACE}:cluster"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What one stack is: its checked specification, the region it lives in, and its names in Pulumi."""

    spec: TrainingSpec | InferenceSpec
    """Its `name` is filled in: the stack's own where the file gives none."""
    region: str
    stack: str
    project: str = NAMESPACE


def parse(  # noqa: PLR0913 # what the messages name, all by keyword
    value: object, *, stack: str, region: str | None, file: str, project: str = NAMESPACE, keys: Collection[str] = ()
) -> Settings:
    """The settings of one stack from the value of `gpukit:cluster` as JSON gives it. `file` names the file in messages, `keys` are
    all keys of its config.

    Raises SpecErrors with every error at once.
    """
    wrong = _region(value, region, keys)
    try:
        # Zones are not measured by a region that is none.
        spec, errors = read(value, region=None if wrong else region, further=_unbuilt)
    except RecursionError:
        raise SpecErrors(file, [SpecError(path=KEY, message="is nested too deeply to be a cluster")]) from None
    if wrong and spec is not None:
        errors = tuple(_unbuilt(spec))
    errors = (*wrong, *(error if error.path else replace(error, path=KEY) for error in errors), *_name(value, stack))
    if spec is None or region is None or errors:
        raise SpecErrors(file, errors)
    named = spec if spec.name else spec.model_copy(update={"name": stack})
    return Settings(spec=named, region=region, stack=stack, project=project)


def load(config: Mapping[str, str] | None = None) -> Settings:
    """The running program's settings, read from Pulumi's config once. `config` (key to text) replaces it.

    Raises SpecErrors with every error at once: those of the file, unknown keys of our namespace, secrets.
    """
    import pulumi

    stack, project = pulumi.get_stack(), pulumi.get_project()
    file = f"stacks/Pulumi.{stack}.yaml"
    values, secrets = _running() if config is None else (config, frozenset[str]())
    return of_config(values, secrets, stack=stack, project=project, file=file)


def of_config(values: Mapping[str, str], secrets: Collection[str], *, stack: str, file: str, project: str = NAMESPACE) -> Settings:
    """The settings that a stack's whole config makes: `values` by key, `secrets` the keys that hold one. Raises SpecErrors as `load`."""
    errors = list(_foreign_keys(values, secrets))
    value = _value(values, secrets, errors)
    try:
        settings = _parsed(values, value, stack, file, project) if value is not None else None
    except SpecErrors as found:
        said = {error.path for error in errors}  # a secret region is told once, and not by its value
        raise SpecErrors(file, (*errors, *(error for error in found.errors if error.path not in said))) from None
    if settings is None or errors:
        raise SpecErrors(file, errors)
    return settings


def _parsed(values: Mapping[str, str], value: object, stack: str, file: str, project: str) -> Settings:
    return parse(value, stack=stack, region=_region_of(values, value), file=file, project=project, keys=values)


def _unbuilt(spec: TrainingSpec | InferenceSpec) -> Iterable[SpecError]:
    """What the cloud's family does not build yet. Importing a family loads no SDK."""
    return import_module(f"components.{spec.cloud}").refuse_unbuilt(spec)


def _running() -> tuple[Mapping[str, str], frozenset[str]]:
    """All config of the running program and the keys that hold secrets, from the two places where Pulumi's SDK keeps them."""
    from pulumi.runtime import config as runtime

    values: dict[str, str] = {**runtime.get_config_env(), **runtime.CONFIG.get()}
    from_environment = runtime.get_config_secret_keys_env()
    return values, frozenset(key for key in values if runtime.is_config_secret(key) or key in from_environment)


def _foreign_keys(values: Mapping[str, str], secrets: Collection[str]) -> list[SpecError]:
    unknown = [key for key in values if key.startswith(f"{NAMESPACE}:") and key != KEY]
    errors = [SpecError(path=key, message="unknown key", allowed=(KEY,), nearest=nearest(key, (KEY,))) for key in unknown]
    plain = [key for key in REGION_KEYS.values() if key in secrets]
    return errors + [SpecError(path=key, message="is a Pulumi secret: write the region in plain text") for key in plain]


def _value(values: Mapping[str, str], secrets: Collection[str], errors: list[SpecError]) -> object:
    """The structured value of `gpukit:cluster`; None, with an error added, where there is none to read."""
    text = values.get(KEY)
    if not text:
        errors.append(SpecError(path=KEY, message="is missing: describe the cluster there (stacks/README.md shows how)"))
        return None
    if KEY in secrets and SECRET not in text:  # decrypted by the engine, which does not say what was secret in it
        errors.append(
            SpecError(path=KEY, message="holds a Pulumi secret (`secure:`), and no field of it takes one: write it in plain text")
        )
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if value is None:
        errors.append(SpecError(path=KEY, value=shown(text), message="a mapping is expected, such as {cloud: aws, …}"))
    return value


def _region_of(values: Mapping[str, str], value: object) -> str | None:
    cloud = cloud_of(value)
    return (
        (values.get(REGION_KEYS[cloud]) or None) if cloud else next((values[key] for key in REGION_KEYS.values() if values.get(key)), None)
    )


def cloud_of(value: object) -> Cloud | None:
    """The cloud that the value of `gpukit:cluster` names; None where it names none, whatever stands there."""
    written = value.get("cloud") if isinstance(value, Mapping) else None
    return next((cloud for cloud in REGION_KEYS if cloud == written), None)


def _region(value: object, region: str | None, keys: Collection[str]) -> list[SpecError]:
    """Asked for of the cluster's cloud; of an unknown cloud nobody can tell."""
    cloud = cloud_of(value)
    found = region_problem(cloud, region, beside=KEY, keys=keys) if cloud is not None else None
    return [found] if found is not None else []


def _name(value: object, stack: str) -> list[SpecError]:
    """Whether the stack's name can serve as the cluster's, where the file gives none."""
    if not isinstance(value, Mapping) or value.get("name"):
        return []
    try:
        name_form(stack)
    except ValueError as error:
        message = f"the stack's name {stack!r} cannot be the cluster's ({error}): give the cluster a name"
        return [SpecError(path="name", message=message)]
    return []
