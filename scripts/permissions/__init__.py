"""Least-privilege IAM policies for whoever runs gpukit on AWS, made from a table of what it calls."""
