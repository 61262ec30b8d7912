"""Where signals come from, one source a file: the clouds' inventories, Kubernetes, Prometheus-compatible endpoints, files."""
