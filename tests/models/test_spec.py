from __future__ import annotations

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.spec import ModelSpec, api_key_for, is_loopback, parse_spec

KEY = "sk-sentinel-4f6b1c90aa"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("openai:gpt-4o", ModelSpec("openai", "gpt-4o", "https://api.openai.com/v1")),
        (" openai:gpt-4o\n", ModelSpec("openai", "gpt-4o", "https://api.openai.com/v1")),
        ("openai:q@http://127.0.0.1:8000", ModelSpec("openai", "q", "http://127.0.0.1:8000/v1")),
        ("openai:q@http://127.0.0.1:8000/", ModelSpec("openai", "q", "http://127.0.0.1:8000/v1")),
        ("openai:q@http://127.0.0.1:8000/v1", ModelSpec("openai", "q", "http://127.0.0.1:8000/v1")),
        (
            "openai:q@http://127.0.0.1:8000/v1/",
            ModelSpec("openai", "q", "http://127.0.0.1:8000/v1"),
        ),
        ("openai:q@https://X.org/api/v3/", ModelSpec("openai", "q", "https://x.org/api/v3")),
        ("openai:q@http://h/v1/chat/completions", ModelSpec("openai", "q", "http://h/v1")),
        ("openai:q@http://[::1]:80", ModelSpec("openai", "q", "http://[::1]:80/v1")),
        ("openai:claude@001@https://x.org", ModelSpec("openai", "claude@001", "https://x.org/v1")),
        ("openai:claude@001", ModelSpec("openai", "claude@001", "https://api.openai.com/v1")),
        (
            "openai:org/model:free",
            ModelSpec("openai", "org/model:free", "https://api.openai.com/v1"),
        ),
        ("local:smollm2", ModelSpec("local", "smollm2")),
        ("local:/path/x.gguf", ModelSpec("local", "/path/x.gguf")),
        ("scripted:my_mod:attr", ModelSpec("scripted", "my_mod:attr")),
        ("process: python bot.py ", ModelSpec("process", "python bot.py")),
        (
            "process:bot --backend m@http://127.0.0.1:8000 --like 'a b'",
            ModelSpec("process", "bot --backend m@http://127.0.0.1:8000 --like 'a b'"),
        ),
        ("http://127.0.0.1:8000/chat", ModelSpec("http", "bot", "http://127.0.0.1:8000/chat")),
        (" https://X.org/Chat/\n", ModelSpec("http", "bot", "https://x.org/Chat/")),
        ("langchain:a.ChatX:m@http://h:1/", ModelSpec("langchain", "a.ChatX:m", "http://h:1")),
        (
            "langchain:langchain_openai.ChatOpenAI:gpt-4o@http://h:1",
            ModelSpec("langchain", "langchain_openai.ChatOpenAI:gpt-4o", "http://h:1/v1"),
        ),
    ],
)
def test_a_spec_is_read(text: str, spec: ModelSpec) -> None:
    assert parse_spec(text) == spec
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("opnai:gpt-4o", "unknown model provider 'opnai'; did you mean 'openai'?"),
        ("zzz:gpt-4o", "known: hf, http, https, langchain, local, lora, openai, process, scripted"),
        ("gpt-4o", "a model spec is provider:model[@base_url]"),
        ("openai:", "names a model after 'openai:'"),
        ("openai:@http://h", "names a model after 'openai:'"),
        ("openai:q@127.0.0.1:8000", "starts with http:// or https://"),
        ("openai:q@localhost", "starts with http:// or https://"),
        ("openai:q@http://", "not a valid URL"),
        ("openai:q@http://h:99999", "not a valid URL"),
        ("openai:q@http://h/v1?x=1", "takes no ?query"),
        ("openai:q@http://me:pw@h/v1", "name it in api_key_env"),
        ("local:smollm2@http://h", "takes no base URL"),
        ("process:", "a command is wanted after 'process:'"),
        ("process:bot 'a", "the command cannot be read"),
        ("http:bot", "not a valid URL"),
        ("http://h/chat?room=1", "takes no ?query"),
        ("https://me:pw@h/chat", "name it in api_key_env"),
    ],
)
def test_a_broken_spec_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [f"openai:q@http://u:{KEY}@h", f"openai:q@http://h/v1?key={KEY}", f"http://h/chat?key={KEY}"],
)
def test_a_secret_in_a_url_is_not_repeated(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text)
    assert KEY not in repr(caught.value)


@pytest.mark.parametrize(
    ("spec", "sent"),
    [
        ("openai:gpt-4o", KEY),
        ("openai:q@http://127.0.0.1:8000", KEY),
        ("openai:q@http://localhost:8000", KEY),
        ("openai:q@http://[::1]:8000", KEY),
        ("openai:q@https://example.org/v1", "none"),
        ("openai:q@https://api.openai.com.evil.org/v1", "none"),
        ("openai:q@https://127.0.0.1.evil.org/v1", "none"),
        ("openai:q@http://api.openai.com/v1", "none"),
        ("openai:q@http://10.0.0.1/v1", "none"),
        ("local:smollm2", "none"),
    ],
)
def test_the_openai_key_stays_at_home(spec: str, sent: str) -> None:
    assert api_key_for(parse_spec(spec), None, {"OPENAI_API_KEY": KEY}) == sent
    assert api_key_for(parse_spec(spec), None, {}) == "none"


def test_a_named_key_goes_where_it_is_named_for() -> None:
    spec = parse_spec("openai:q@https://example.org/v1")
    assert api_key_for(spec, "JUDGE_KEY", {"JUDGE_KEY": f"{KEY}\n"}) == KEY


@pytest.mark.parametrize("environ", [{}, {"JUDGE_KEY": ""}, {"OPENAI_API_KEY": KEY}])
def test_a_named_key_that_is_unset_is_an_error(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="api_key_env names JUDGE_KEY, which is not set"):
        api_key_for(parse_spec("openai:gpt-4o"), "JUDGE_KEY", environ)


@pytest.mark.parametrize("key", [f"{KEY}é", f"{KEY}\r\nX: y", f"{KEY}\x00"])
def test_a_key_that_fits_no_header_is_named_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError, match="JUDGE_KEY") as caught:
        api_key_for(parse_spec("openai:gpt-4o"), "JUDGE_KEY", {"JUDGE_KEY": key})
    assert KEY not in repr(caught.value)


def test_loopback() -> None:
    assert is_loopback("http://127.8.8.8/v1")
    assert not is_loopback("http://0.0.0.0.example.org/v1")
