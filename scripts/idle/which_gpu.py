"""Labels of a series -> which GPU of which node it is about, whatever the exporter and the scraping make of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .counters import family

_NODE_LABELS = (
    "Hostname", "hostname", "node", "kubernetes_node", "node_name", "nodename", "exported_node", "kubernetes_io_hostname", "host",
    "exported_instance", "instance",
)  # fmt: skip
"""dcgm-exporter renamed `Hostname` after 4.8.2, and older ones put their own pod's name there; relabelling, GKE (`node_name`) and
OpenTelemetry (`host`) add the others."""
_GPU_LABELS = ("UUID", "uuid", "gpu_uuid", "gpu", "index", "accelerator_id", "device")
_INSTANCE_LABELS = ("GPU_I_ID", "gpu_i_id")
_ADDRESS = re.compile(r"[0-9.]+|.*:.*")


@dataclass(frozen=True)
class Gpu:
    """One GPU, or one MIG instance of it."""

    node: str
    gpu: str
    instance: str = ""
    source: str = "dcgm"
    naming: str = ""
    """Exporter and label that name it. One GPU under two of them cannot be told from two GPUs, so that they are never counted together."""

    @property
    def whole(self) -> Gpu:
        """The GPU that a MIG instance is part of."""
        return Gpu(self.node, self.gpu, source=self.source, naming=self.naming)

    @property
    def of(self) -> tuple[str, str]:
        """Source and naming: GPUs of a node are counted within one of them."""
        return self.source, self.naming

    def __str__(self) -> str:
        return f"{self.gpu} on {self.node}" + (f", MIG instance {self.instance}" if self.instance else "")


@dataclass(frozen=True)
class NodeNames:
    """Names of a cluster's nodes, and the ways in which others write them: capitals, without their domain, with one more, aliases."""

    _by_text: Mapping[str, str] = field(default_factory=dict[str, str])
    _by_host: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the first label of a name."""

    @classmethod
    def of(cls, names: Iterable[tuple[str, str]]) -> NodeNames:
        """From pairs of what a node may be called and its name. What might mean two nodes means none."""
        known = list(names)
        return cls(_unique((text.casefold(), name) for text, name in known), _unique((_host(text), name) for text, name in known))

    def named(self, text: str) -> str | None:
        """The node that `text` means; None where it means none, or might mean two."""
        if (found := self._by_text.get(text.casefold())) is not None:
            return found
        found = None if _ADDRESS.fullmatch(text) else self._by_host.get(_host(text))
        return found if found is not None and ("." not in text or "." not in found) else None


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for text, name in pairs:
        found.setdefault(text, set()).add(name)
    return {text: next(iter(names)) for text, names in found.items() if len(names) == 1}


def _host(name: str) -> str:
    return name.casefold() if _ADDRESS.fullmatch(name) else name.casefold().partition(".")[0]


def counted(gpus: Iterable[Gpu]) -> int:
    """How many GPUs these surely are: of each node those under the naming that knows the most."""
    by_node: dict[str, Counter[tuple[str, str]]] = {}
    for gpu in set(gpus):
        by_node.setdefault(gpu.node, Counter())[gpu.of] += 1
    return sum(max(counts.values()) for counts in by_node.values())


def gpu_of(labels: Mapping[str, str], source: str = "dcgm", nodes: NodeNames | None = None) -> Gpu | None:
    """Which GPU a series is about; None where its labels do not say. The first label that names one of `nodes` counts, else the first."""
    node = _node_of(labels, nodes or NodeNames())
    by = next((label for label in _GPU_LABELS if labels.get(label)), None)
    if node is None or by is None:
        return None
    instance = next((labels[label] for label in _INSTANCE_LABELS if labels.get(label)), "")
    return Gpu(node, labels[by], instance, source, f"{family(labels.get('__name__', ''))} {by.casefold()}")


def _node_of(labels: Mapping[str, str], nodes: NodeNames) -> str | None:
    texts = [_without_port(labels[label]) for label in _NODE_LABELS if labels.get(label)]
    return next((found for text in texts if (found := nodes.named(text)) is not None), texts[0] if texts else None)


def _without_port(text: str) -> str:
    host, colon, port = text.rpartition(":")
    return host if colon and port.isdecimal() else text
