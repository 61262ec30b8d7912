"""The provider door: Pulumi's resource-provider protocol, one port per package."""
