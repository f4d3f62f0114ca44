"""Profiles: reading, checking, counting and bringing them."""

from emoharbor.profiles.load import load_profiles, shipped_sets

__all__ = ["load_profiles", "shipped_sets"]
