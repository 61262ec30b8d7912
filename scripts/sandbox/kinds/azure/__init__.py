"""Behaviour of Azure's resource types, by Pulumi token. Ids are Azure Resource Manager paths."""
