"""The libraries of the extra `stats`, which may be missing."""

from __future__ import annotations

from emoharbor.errors import ConfigError


def needs_stats(error: ImportError) -> ConfigError:
    """What to say when a library of the extra cannot be imported."""
    return ConfigError(f"this needs {error.name}: pip install 'emoharbor[stats]'")
