"""The library: catalogue, specification, components for three clouds and for Kubernetes."""
