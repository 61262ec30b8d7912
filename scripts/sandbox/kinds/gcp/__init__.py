"""What the simulated GCP knows about its resource types."""
