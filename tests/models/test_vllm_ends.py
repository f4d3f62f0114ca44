"""How a vLLM server of our own ends: by itself, or with a run that is stopped or killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError, ModelError, Stopped
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from tests.models.small_bot import user
from tests.models.small_vllm import ask, first_start, gone, starts, with_pool
from tests.processes import emoharbor


def test_a_death_while_it_loads_is_told_with_its_last_words(module: Path) -> None:
    serve = "--die-loading 'ValueError: max_model_len (99) is too long'"
    with pytest.raises(ConfigError) as caught:
        ask("Hi.", "vllm:org/Tiny", serve=serve)
    message = str(caught.value)
    assert "vllm:org/Tiny: the vLLM server ended with exit code 1; it said: " in message
    assert '"ValueError: max_model_len (99) is too long"' in message
    log = Path(message.rpartition("its log: ")[2])
    assert "max_model_len (99)" in log.read_text()
    assert gone(*starts(module)[0][:2]) and len(starts(module)) == 1


def test_a_wrong_argument_is_told(module: Path) -> None:
    with pytest.raises(ConfigError, match="exit code 2; .*unrecognized arguments: --fats"):
        ask("Hi.", "vllm:org/Tiny", serve="--fats")


def test_a_death_in_the_midst_of_a_run_is_told_and_not_tried_again(module: Path) -> None:
    with pytest.raises(ModelError) as caught:
        ask("die", "vllm:org/Tiny", serve="--load-for 0", tries=6)
    assert caught.value.cause == "refused_request" and "exit code 3" in str(caught.value)
    assert 'it said: "torch.OutOfMemoryError: CUDA out of memory"' in str(caught.value)
    assert len(starts(module)) == 1 and gone(starts(module)[0][1])


def test_a_run_that_stops_waits_for_no_server(module: Path) -> None:
    async def use(pool: ModelPool) -> None:
        model = pool.model(ModelConfig(spec="vllm:org/Tiny", serve="--load-for 600"))
        call = asyncio.create_task(model.complete(user("Hi.")))
        await asyncio.to_thread(first_start, module)
        pool.stop()
        with pytest.raises(Stopped):
            await call

    with_pool(use)
    assert gone(*starts(module)[0][:2])


def test_ctrl_c_while_it_loads_leaves_nothing_behind(module: Path, tmp_path: Path) -> None:
    async def run() -> tuple[int | None, str]:
        settings = ["models.small.spec=vllm:org/Tiny", "models.small.serve=--load-for 600"]
        flags = [f"--set={setting}" for setting in settings]
        process = await emoharbor(
            "run", "demo", "--supporter", "scripted:echo", "--out", str(tmp_path / "run"), *flags
        )
        await asyncio.to_thread(first_start, module)
        process.send_signal(signal.SIGINT)
        words, _ = await process.communicate()
        return process.returncode, words.decode()

    code, words = asyncio.run(run())
    assert code == 130 and "nothing is lost" in words and not (tmp_path / "run").exists()
    assert gone(*starts(module)[0][:2])


def test_a_killed_run_takes_its_server_along(module: Path) -> None:
    code = (
        "import asyncio\n"
        "from emoharbor.models.config import ModelConfig\n"
        "from emoharbor.models.pool import ModelPool\n"
        "entry = ModelConfig(spec='vllm:org/Tiny', serve='--load-for 600')\n"
        "asyncio.run(ModelPool().probe(entry))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    server, engine, _ = first_start(module)
    process.kill()
    process.wait()
    assert gone(server, engine)


def test_vllm_is_not_installed(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv("EMOHARBOR_VLLM_PYTHON", str(bare))
    with pytest.raises(ConfigError, match=r"pip install 'emoharbor\[vllm\]'"):
        ask("Hi.", "vllm:org/Tiny", serve="")
    monkeypatch.setenv("EMOHARBOR_VLLM_PYTHON", "/no/such/python")
    with pytest.raises(ConfigError, match="names /no/such/python, which is no program"):
        ask("Hi.", "vllm:org/Tiny", serve="")
