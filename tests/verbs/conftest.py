from __future__ import annotations

from tests.checkpoints.conftest import redis_url

__all__ = ["redis_url"]
