"""What AWS calls the tag of data that a destroy leaves."""

from __future__ import annotations

from components.naming import tag_key

KEPT = tag_key("aws", "kept")
"""Tag of whatever a destroy leaves on purpose, and of what that cannot do without: the sweep tells it from leftovers by it."""
