"""Azure's words for spot nodes. Source: AKS documentation, "Add an Azure Spot node pool to an AKS cluster"."""

from __future__ import annotations

SPOT_TAINT = SPOT_LABEL = "kubernetes.azure.com/scalesetpriority"
"""E6: AKS sets taint and label on every spot node and lets nobody take them off."""
SPOT_VALUE = "spot"
ANY_PRICE = -1.0
"""Up to the on-demand price: a node is then never taken back for its price."""
PRICE_DECIMALS = 5
EVICTION = "Delete"
"""Deallocated nodes stay in the quota of cores and their disks bill."""
