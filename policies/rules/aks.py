"""GPU-AKS: everything that only Azure's managed Kubernetes asks of a GPU pool and of what surrounds it."""

from __future__ import annotations

from . import aks_capacity, aks_fabric, aks_gpu, aks_pools, aks_surroundings

RULES = (*aks_pools.RULES, *aks_gpu.RULES, *aks_fabric.RULES, *aks_capacity.RULES, *aks_surroundings.RULES)
