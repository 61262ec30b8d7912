"""GPU-AKS: everything that only Azure's managed Kubernetes asks of a GPU pool and of what surrounds it."""

from __future__ import annotations

from . import aks_capacity, aks_clusters, aks_fabric, aks_gpu, aks_network_operator, aks_pools, aks_surroundings, aks_words

_AREAS = (aks_pools, aks_gpu, aks_fabric, aks_network_operator, aks_capacity, aks_surroundings, aks_words, aks_clusters)
RULES = tuple(sorted((rule for area in _AREAS for rule in area.RULES), key=lambda rule: rule.id))
