"""`vllm:` with a real process in the place of vLLM: found, started, waited for, shared."""

from __future__ import annotations

import asyncio
import re
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from emoharbor.suite import make_suite, suite_values
from tests.here import emoharbor
from tests.models.small_bot import lives, user
from tests.models.small_vllm import ask, free_port, gone, running, starts, with_pool
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "vllm.md").read_text(encoding="utf-8")


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


def test_a_folder_is_a_model(module: Path, tmp_path: Path) -> None:
    (tmp_path / "tuned").mkdir()
    spec = f"vllm:{tmp_path}/tuned"
    assert ask("Hi.", spec, serve="") == f"{tmp_path}/tuned: Hi."
    with pytest.raises(ConfigError, match=r"there is no folder /no/such"):
        ask("Hi.", "vllm:/no/such", serve="")


def test_a_server_that_runs_is_used_and_left_running(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ("--model", "org/Tiny", "--served-model-name", "tiny")
    monkeypatch.setenv("MINE", "sk-of-mine")
    with running(tmp_path, *flags, port=free_port(), VLLM_API_KEY="sk-of-mine") as url:
        for name in ("tiny", "org/Tiny"):
            assert ask("Hi.", f"vllm:{name}@{url}", api_key_env="MINE") == "tiny: Hi."
        with pytest.raises(ModelError, match="the API key is missing or wrong") as caught:
            ask("Hi.", f"vllm:tiny@{url}", tries=1)
        assert caught.value.cause == "auth"
    assert not starts(module)


def test_a_model_that_a_server_does_not_serve_is_told(module: Path, tmp_path: Path) -> None:
    with running(tmp_path, "--model", "org/Tiny", port=free_port()) as url:
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
    module: Path, tmp_path: Path, default_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path, "--model", "org/Tiny", port=default_port):
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


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_the_suites_of_the_page_are_suites(text: str) -> None:
    values, source = suite_values("emoharbor")
    assert make_suite({**values, **yaml.safe_load(text)}, source).models
