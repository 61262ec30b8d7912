"""The Pulumi program that builds one cluster from one stack file."""
