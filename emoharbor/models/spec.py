"""Where a model is, as one text, and which key may go there.

`provider:model[@base_url]` for models; `process:command` and a plain URL for finished bots.
"""

from __future__ import annotations

import ipaddress
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from emoharbor.errors import ConfigError, nearest

PROVIDERS = (
    *("openai", "vllm", "local", "hf", "lora", "scripted", "langchain", "process", "http", "https"),
)
# Bots that are asked for the next line of a dialogue and for nothing else.
FINISHED_BOTS = ("process", "http")
OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"
_HERE = ("local", "hf", "lora", "scripted")
_NOT_SERVED = ("--model", "--host", "--port", "--uds", "--api-key")
EXAMPLES = "openai:gpt-4o, openai:qwen@http://127.0.0.1:8000/v1, local:smollm2"


@dataclass(frozen=True)
class ModelSpec:
    """A parsed spec. `base_url` has no trailing slash and no credentials, and may be None.

    For `langchain:` the model is `package.Class:name`, for `scripted:` a name or
    `module:attribute`, for `local:` a name or the path of a GGUF file, for `process:` a command,
    for `hf:` a folder or a name on the hub, for `lora:` the folder of an adapter.
    `vllm:` names a model or its folder; without a base URL, its server is found or started.
    A bot at a URL, whether http or https, has the provider `http` and the whole URL as base URL.
    """

    provider: str
    model: str
    base_url: str | None = None

    def __str__(self) -> str:
        if self.provider == "http":
            return self.base_url or ""
        at = f"@{self.base_url}" if self.base_url and self.base_url != OPENAI_URL else ""
        return f"{self.provider}:{self.model}{at}"

    @property
    def host(self) -> str:
        """The host (and port) that is called, "" for a model without an endpoint."""
        return urlsplit(self.base_url).netloc if self.base_url else ""


def parse_spec(text: str) -> ModelSpec:
    """Reads a spec as the module describes them; raises ConfigError that says what is wrong."""
    provider, colon, rest = text.strip().partition(":")
    if provider not in PROVIDERS:
        raise ConfigError(_unknown_provider(provider, bool(colon)))
    if provider in ("http", "https"):
        return ModelSpec("http", "bot", _bot_url(text.strip()))
    if provider == "process":
        return ModelSpec("process", _command(rest.strip()))
    model, at, url = _split_url(rest)
    if not model:
        raise ConfigError(f"a model spec names a model after '{provider}:', as in {EXAMPLES}")
    if at and provider in _HERE:
        raise ConfigError(f"{provider}:{model} runs in this process and takes no base URL")
    if not at:
        return ModelSpec(provider, model, OPENAI_URL if provider == "openai" else None)
    # What other LangChain classes call a base URL (Ollama's, Anthropic's) has no /v1.
    speaks_openai = provider in ("openai", "vllm") or "OpenAI" in model
    return ModelSpec(provider, model, _base_url(url, "/v1" if speaks_openai else ""))


def api_key_for(
    spec: ModelSpec, api_key_env: str | None, environ: Mapping[str, str] = os.environ
) -> str:
    """The key to send to this endpoint, or "none".

    Without a named variable, OPENAI_API_KEY goes to api.openai.com and to loopback hosts alone:
    a stranger's base URL must not collect it.

    Raises:
        ConfigError: the named variable is unset, empty, or cannot stand in a header.
    """
    name = api_key_env or "OPENAI_API_KEY"
    key = environ.get(name, "").strip()
    if api_key_env and not key:
        raise ConfigError(f"{spec}: api_key_env names {api_key_env}, which is not set")
    if not api_key_env and not (spec.base_url and _may_have_openai_key(spec.base_url)):
        return NO_KEY
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{spec}: the key in {name} holds characters that no API key has")
    return key or NO_KEY


def is_loopback(base_url: str) -> bool:
    """True for an address of this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def server_arguments(serve: str) -> list[str]:
    """The words of a suite's `serve`; raises ConfigError for one that moves or opens the server."""
    try:
        words = shlex.split(serve)
    except ValueError as error:
        raise ConfigError(f"serve: {serve}: the arguments cannot be read ({error})") from error
    for word in words:
        name = word.partition("=")[0].replace("_", "-")
        if name in _NOT_SERVED or name.startswith("--ssl-"):
            raise ConfigError(f"serve: {name} is for EmoHarbor to set; leave it out")
    return words


def _may_have_openai_key(base_url: str) -> bool:
    url = urlsplit(base_url)
    return is_loopback(base_url) or (url.scheme, url.netloc) == ("https", "api.openai.com")


def _unknown_provider(provider: str, has_colon: bool) -> str:
    if not has_colon:
        return f"a model spec is provider:model[@base_url], as in {EXAMPLES}"
    shown = provider[:40]
    return f"unknown model provider '{shown}'{nearest(shown.lower(), PROVIDERS)}"


def _split_url(rest: str) -> tuple[str, bool, str]:
    """Model, whether a URL follows, and the URL. A model's own name may hold an @ (`model@001`)."""
    found = re.search(r"@(?=https?://)", rest, re.IGNORECASE)
    if found:
        return rest[: found.start()].strip(), True, rest[found.end() :]
    name, at, tail = rest.rpartition("@")
    # Without this the prompts of someone who forgot the scheme would go to api.openai.com.
    if name and at and (re.search(r"[.:/]", tail) or tail == "localhost"):
        raise ConfigError("the base URL after @ starts with http:// or https://")
    return rest.strip(), False, ""


def _base_url(text: str, default_path: str) -> str:
    """The URL without a trailing slash; `default_path` is added where the path is empty."""
    url = _checked(text.strip())
    path = url.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{url.scheme}://{url.netloc.lower()}{path or default_path}"


def _bot_url(text: str) -> str:
    """The URL as it is: to some servers a slash at its end makes another path."""
    url = _checked(text)
    return f"{url.scheme}://{url.netloc.lower()}{url.path}"


def _command(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"process:{text}: the command cannot be read ({error})") from error
    if not words:
        raise ConfigError("a command is wanted after 'process:', as in process:python bot.py")
    return text


def _checked(text: str) -> SplitResult:
    # None of these messages repeats the URL: it may be the very thing that holds a secret.
    try:
        url = urlsplit(text)
        valid = bool(url.hostname) and url.port != 0 and not re.search(r"\s", text)
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError("the base URL of a model is not a valid URL (http://host[:port][/path])")
    if "@" in url.netloc:
        raise ConfigError(
            "the base URL of a model holds a user name or password; "
            "put the key into an environment variable and name it in api_key_env"
        )
    if url.query or url.fragment:
        raise ConfigError(f"the base URL of a model at {url.hostname} takes no ?query or #fragment")
    return url
