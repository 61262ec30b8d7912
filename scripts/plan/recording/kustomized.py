"""What a kustomization does to the objects that it lists, as far as it is simple: namespace, labels, annotations, images, replicas.

Generators only add objects that no rule reads. Patches are kustomize's own work: only those of objects that no rule reads are left out.
Source: Kustomize 5, "Kustomization File".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import yaml

Fields = dict[str, Any]
Object = dict[str, Any]
UNREAD = frozenset({"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"})
"""Kinds that no rule reads, whatever a patch makes of them."""
_SCALED = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
_ADD_ONLY = ("configMapGenerator", "secretGenerator", "generatorOptions")


class NotSimple(Exception):
    """A change that is not repeated here."""


def changes(fields: Fields) -> Callable[[str], str]:
    """The change of one YAML text that `fields` orders, those of a kustomization beside its resources. Raises NotSimple for other fields."""
    orders: list[Callable[[Object], None]] = []
    for field, said in fields.items():
        if field in _ADD_ONLY:
            continue
        if field == "patches" and all(_of_unread(patch) for patch in _list(said)):
            continue
        if field not in _ORDERS:
            raise NotSimple(field)
        orders.append(_ORDERS[field](said))
    return (lambda text: _changed(text, orders)) if orders else (lambda text: text)


def _changed(text: str, orders: list[Callable[[Object], None]]) -> str:
    found = [document for document in yaml.safe_load_all(text) if document is not None]
    for document in found:
        for one in _objects(document):
            for order in orders:
                order(one)
    return yaml.safe_dump_all(found, sort_keys=False)


def _objects(document: Any) -> Iterator[Object]:
    if not isinstance(document, dict):
        raise NotSimple("no object")
    body = cast("Object", document)
    if body.get("kind") == "List":
        for inner in _list(body.get("items")):
            yield from _objects(inner)
    else:
        yield body


def _list(said: Any) -> list[Any]:
    if said is not None and not isinstance(said, list):
        raise NotSimple("no list")
    return cast("list[Any]", said or [])


def _fields(said: Any) -> Fields:
    if not isinstance(said, dict):
        raise NotSimple("no object")
    return cast("Fields", said)


def _of_unread(patch: Any) -> bool:
    """By its target; a patch that names none is told apart by its own text alone."""
    said = _fields(patch)
    if isinstance(said.get("target"), dict):
        return said["target"].get("kind") in UNREAD
    text = said.get("patch")
    own: Any = yaml.safe_load(text) if isinstance(text, str) else None
    return isinstance(own, dict) and own.get("kind") in UNREAD


def _below(node: Fields, *path: str) -> Fields | None:
    """The object at `path`, made where it is absent; None where something else stands there."""
    for key in path:
        inner = node.setdefault(key, {})
        if inner is None:
            inner = node[key] = {}
        if not isinstance(inner, dict):
            return None
        node = cast("Fields", inner)
    return node


def _namespace(said: Any) -> Callable[[Object], None]:
    def order(body: Object) -> None:
        if (metadata := _below(body, "metadata")) is not None:
            metadata["namespace"] = said

    return order


def _metadata(key: str, pairs: Fields, *, templates: bool) -> Callable[[Object], None]:
    def order(body: Object) -> None:
        places = [body]
        if templates and isinstance(body.get("spec"), dict) and isinstance(body["spec"].get("template"), dict):
            places.append(body["spec"]["template"])
        for place in places:
            if (found := _below(place, "metadata", key)) is not None:
                found.update(pairs)

    return order


def _labels(said: Any) -> Callable[[Object], None]:
    entries = [_fields(entry) for entry in _list(said)]
    orders = [
        _metadata("labels", _fields(entry.get("pairs")), templates=bool(entry.get("includeTemplates") or entry.get("includeSelectors")))
        for entry in entries
    ]

    def order(body: Object) -> None:
        for one in orders:
            one(body)

    return order


def _images(said: Any) -> Callable[[Object], None]:
    wanted = [_fields(entry) for entry in _list(said)]

    def order(body: Object) -> None:
        for container in _containers(body):
            for entry in wanted:
                container["image"] = _image(container["image"], entry)

    return order


def _containers(body: Object) -> Iterator[Fields]:
    """Everything in a list of containers that names an image; what aliases repeat is visited once."""
    ahead: list[Any] = [body]
    seen: set[int] = set()
    while ahead:
        node = ahead.pop()
        if id(node) in seen or not isinstance(node, dict | list):
            continue
        seen.add(id(node))
        if isinstance(node, list):
            ahead += cast("list[Any]", node)
            continue
        for key, inner in cast("Fields", node).items():
            if key in ("containers", "initContainers") and isinstance(inner, list):
                listed = cast("list[Any]", inner)
                yield from (cast("Fields", one) for one in listed if isinstance(one, dict) and isinstance(one.get("image"), str))
            ahead.append(inner)


def _image(said: str, entry: Fields) -> str:
    """`name:tag` and `name@digest`, where the name is the entry's. The colon of a registry's port is part of a name."""
    name = said.partition("@")[0]
    head, colon, tail = name.rpartition(":")
    plain, rest = (head, said[len(head) :]) if colon and "/" not in tail else (name, said[len(name) :])
    if plain != entry.get("name"):
        return said
    new = str(entry.get("newName") or plain)
    if entry.get("digest"):
        return f"{new}@{entry['digest']}"
    return f"{new}:{entry['newTag']}" if entry.get("newTag") else f"{new}{rest}"


def _replicas(said: Any) -> Callable[[Object], None]:
    counts = {entry.get("name"): entry.get("count") for entry in map(_fields, _list(said))}

    def order(body: Object) -> None:
        metadata = body.get("metadata")
        name: Any = cast("Fields", metadata).get("name") if isinstance(metadata, dict) else None
        if body.get("kind") in _SCALED and name in counts and (spec := _below(body, "spec")) is not None:
            spec["replicas"] = counts[name]

    return order


_ORDERS: dict[str, Callable[[Any], Callable[[Object], None]]] = {
    "namespace": _namespace,
    "labels": _labels,
    "commonLabels": lambda said: _metadata("labels", _fields(said), templates=True),
    "commonAnnotations": lambda said: _metadata("annotations", _fields(said), templates=True),
    "images": _images,
    "replicas": _replicas,
}
