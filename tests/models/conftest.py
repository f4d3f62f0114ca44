from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.small_vllm import install


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a stand-in for vLLM's server, which is what `python -m vllm.…` finds."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # Where logs go, which the module tempfile asks for once.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("EMOHARBOR_VLLM_PYTHON", raising=False)
    return install(tmp_path)
