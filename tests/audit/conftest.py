from __future__ import annotations

from tests.checkpoints.conftest import redis_url, run

__all__ = ["redis_url", "run"]
