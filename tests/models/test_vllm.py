"""`vllm:` with a real process in the place of vLLM: found, started, waited for, stopped."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from emoharbor.errors import ConfigError, ModelError, Stopped
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from emoharbor.suite import make_suite, suite_values
from tests.here import emoharbor
from tests.models.small_bot import lives, user
from tests.processes import emoharbor as forked_emoharbor

T = TypeVar("T")
STAND_IN = Path(__file__).with_name("stand_in_vllm.py")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the stand-in, which is what `python -m vllm.…` finds."""
    folder = tmp_path / "vllm" / "entrypoints" / "openai"
    folder.mkdir(parents=True)
    for package in (folder, *folder.parents[:2]):
        (package / "__init__.py").touch()
    shutil.copy(STAND_IN, folder / "api_server.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("EMOHARBOR_VLLM_PYTHON", raising=False)
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def starts(module: Path) -> list[Any]:
    file = module / "starts"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def first_start(module: Path) -> Any:
    """Waits for it; the pids of server and engine, and the server's words."""
    until = time.monotonic() + 30
    while not starts(module):
        assert time.monotonic() < until, "no server was started"
        time.sleep(0.02)
    return starts(module)[0]


def with_pool(use: Callable[[ModelPool], Awaitable[T]]) -> T:
    async def run() -> T:
        async with ModelPool() as pool:
            return await use(pool)

    return asyncio.run(run())


def ask(text: str, spec: str, **config: Any) -> str:
    async def use(pool: ModelPool) -> str:
        return (await pool.model(ModelConfig(spec=spec, **config)).complete(user(text))).text

    return with_pool(use)


def gone(*pids: int) -> bool:
    """Whether they all end, within a time that no healthy machine needs."""
    until = time.monotonic() + 20
    while any(lives(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(*flags: str, port: int, **env: str) -> Iterator[str]:
    """A server that somebody else has started; its base URL."""
    words = [sys.executable, "-S", str(STAND_IN), "--host", "127.0.0.1", "--port", str(port)]
    given = {**os.environ, **env}
    server = subprocess.Popen([*words, *flags], env=given, start_new_session=True)
    try:
        root = f"http://127.0.0.1:{port}"
        for _ in range(400):
            try:
                urllib.request.urlopen(f"{root}/health").close()
                break
            except OSError:
                time.sleep(0.02)
        yield f"{root}/v1"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        STAND_IN.with_name("starts").unlink(missing_ok=True)


def test_a_server_is_started_used_and_stopped(
    module: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def use(pool: ModelPool) -> tuple[str, str, str]:
        entry = ModelConfig(spec="vllm:org/Tiny", serve="--load-for 0")
        answers = await pool.probe(entry)
        reply = await pool.model(entry).complete(user("Hi."))
        assert all(lives(pid) for pid in starts(module)[0][:2])
        return answers, reply.text, reply.reasoning

    said = with_pool(use)
    assert said == ("vllm:org/Tiny answers", "org/Tiny: Hi.", "Hm.")
    ((server, engine, words),) = starts(module)
    assert gone(server, engine)
    assert words[:4] == ["--model", "org/Tiny", "--host", "127.0.0.1"]
    assert words[-3:] == ["--enable-prompt-tokens-details", "--load-for", "0"]
    started, ready = caplog.messages
    assert f"api_server {' '.join(words)} (log: " in started and "ready after" in ready
    assert [log.name for log in module.parents[2].glob("emoharbor-vllm-*.log")] == [
        Path(started.rpartition("(log: ")[2].rstrip(")")).name
    ]


def test_all_roles_share_one_server(module: Path) -> None:
    async def use(pool: ModelPool) -> list[str]:
        given: list[dict[str, Any]] = [{"serve": "--load-for 0"}, {}, {"api_key_env": "NOT_SET"}]
        models = [pool.model(ModelConfig(spec="vllm:org/Tiny", **more)) for more in given]
        replies = await asyncio.gather(*(model.complete(user("Hi.")) for model in models))
        return [reply.text for reply in replies]

    assert with_pool(use) == ["org/Tiny: Hi."] * 3
    assert len(starts(module)) == 1


def test_roles_that_want_different_servers_are_told(module: Path) -> None:
    async def use(pool: ModelPool) -> None:
        pool.model(ModelConfig(spec="vllm:org/Tiny", serve="--load-for 0"))
        pool.model(ModelConfig(spec="vllm:org/Tiny", serve="--load-for 1"))

    with pytest.raises(ConfigError, match="one server serves all roles: serve is '--load-for 0'"):
        with_pool(use)
    assert not starts(module)


def test_a_slow_start_is_waited_for(module: Path) -> None:
    # Longer than the time that one call may take.
    slow = {"serve": "--load-for 1.5", "timeout": 1, "tries": 1}
    assert ask("Hi.", "vllm:org/Tiny", **slow) == "org/Tiny: Hi."


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


def test_nobody_else_is_let_in(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")

    async def use(pool: ModelPool) -> int:
        await pool.model(ModelConfig(spec="vllm:org/Tiny", serve="--load-for 0")).complete(
            user("Hi.")
        )
        port = starts(module)[0][2][5]
        for headers in ({}, {"Authorization": "Bearer sk-of-openai"}):
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/models", headers=headers)
            with pytest.raises(urllib.error.HTTPError, match="401"):
                await asyncio.to_thread(urllib.request.urlopen, asked)
        return len(starts(module))

    assert with_pool(use) == 1


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


def test_ctrl_c_twice_while_it_loads_leaves_nothing_behind(module: Path, tmp_path: Path) -> None:
    async def run() -> int | None:
        settings = ["models.small.spec=vllm:org/Tiny", "models.small.serve=--load-for 600"]
        flags = [f"--set={setting}" for setting in settings]
        process = await forked_emoharbor(
            "run", "demo", "--supporter", "scripted:echo", "--out", str(tmp_path / "run"), *flags
        )
        await asyncio.to_thread(first_start, module)
        process.send_signal(signal.SIGINT)
        await process.stdout.readuntil(b"Stopping")
        process.send_signal(signal.SIGINT)
        await process.communicate()
        return process.returncode

    assert asyncio.run(run()) == 130
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


def test_a_folder_is_a_model(module: Path, tmp_path: Path) -> None:
    (tmp_path / "tuned").mkdir()
    spec = f"vllm:{tmp_path}/tuned"
    assert ask("Hi.", spec, serve="") == f"{tmp_path}/tuned: Hi."
    with pytest.raises(ConfigError, match=r"there is no folder /no/such"):
        ask("Hi.", "vllm:/no/such", serve="")


def test_a_server_that_runs_is_used_and_left_running(module: Path) -> None:
    flags = ("--model", "org/Tiny", "--served-model-name", "tiny")
    with running(*flags, port=free_port(), VLLM_API_KEY="sk-of-mine", MINE="sk-of-mine") as url:
        os.environ["MINE"] = "sk-of-mine"
        try:
            for name in ("tiny", "org/Tiny"):
                assert ask("Hi.", f"vllm:{name}@{url}", api_key_env="MINE") == "tiny: Hi."
        finally:
            del os.environ["MINE"]
        with pytest.raises(ModelError, match="the API key is missing or wrong") as caught:
            ask("Hi.", f"vllm:tiny@{url}", tries=1)
        assert caught.value.cause == "auth"
    assert not starts(module)


def test_a_model_that_a_server_does_not_serve_is_told_with_those_it_does(module: Path) -> None:
    with running("--model", "org/Tiny", port=free_port()) as url:
        with pytest.raises(ModelError, match="does not serve it; it serves org/Tiny") as caught:
            ask("Hi.", f"vllm:org/Huge@{url}")
    assert caught.value.cause == "model_not_found" and not starts(module)


def test_a_server_that_is_not_there_is_told(module: Path) -> None:
    with pytest.raises(ModelError, match="connection refused; is the server running") as caught:
        ask("Hi.", f"vllm:org/Tiny@http://127.0.0.1:{free_port()}", tries=1)
    assert caught.value.cause == "unreachable" and not starts(module)


@pytest.fixture
def default_port() -> int:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8000))
        except OSError:
            pytest.skip("somebody uses port 8000")
    return 8000


def test_the_usual_port_is_looked_at_first(
    module: Path, default_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with running("--model", "org/Tiny", port=default_port):
        assert ask("Hi.", "vllm:org/Tiny") == "org/Tiny: Hi."
        assert not starts(module) and not caplog.messages
        # Another model, or arguments that the server there may not have: one of our own.
        assert ask("Hi.", "vllm:org/Other") == "org/Other: Hi."
        assert "it serves org/Tiny" in caplog.messages[0]
        assert ask("Hi.", "vllm:org/Tiny", serve="--load-for 0") == "org/Tiny: Hi."
    assert [words[1] for _, _, words in starts(module)] == ["org/Other", "org/Tiny"]


def test_a_whole_run(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["run", "demo", "--model", "scripted:echo", "--limit", "1", "--turns", "2"]
    words += ["--supporter", "tiny=vllm:org/Tiny", "--out", str(out)]
    words += ["--set", "supporters.tiny.model=served", "--set", "models.served.spec=vllm:org/Tiny"]
    words += ["--set", "models.served.serve=--load-for 0"]
    logging.getLogger("emoharbor").setLevel(logging.WARNING)
    result = emoharbor(*words)
    assert result.returncode == 0, result.stderr
    (record,) = (out / "records.jsonl").read_text().splitlines()
    assert "org/Tiny: " in record
    assert "serve: --load-for 0" in (out / "run.yaml").read_text()
    # The port differs from run to run: nothing that is compared may hold it.
    assert starts(module)[0][2][5] not in (out / "calls.jsonl").read_text()
    assert gone(*starts(module)[0][:2])


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"spec": "openai:gpt-4o"}, "serve is for a vllm: model without a URL, not for openai:"),
        ({"spec": "vllm:m@http://h"}, "serve is for a vllm: model without a URL, not for vllm:m@"),
        ({"serve": "--port 1"}, "--port is for EmoHarbor to set"),
        ({"serve": "--api_key=x"}, "--api-key is for EmoHarbor to set"),
        ({"serve": "--ssl-keyfile x"}, "--ssl-keyfile is for EmoHarbor to set"),
        ({"serve": "--chat-template 'a"}, "cannot be read"),
    ],
)
def test_what_cannot_be_served_is_named_before_any_start(entry: Any, words: str) -> None:
    values, source = suite_values("demo")
    given = {"spec": "vllm:org/Tiny", "serve": "--load-for 0", **entry}
    with pytest.raises(ConfigError, match=words):
        make_suite(values, source, {"models.user": given})
