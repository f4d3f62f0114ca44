"""The one JSON shape in which a finished bot is asked, over a pipe or over HTTP."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.failures import Target
from emoharbor.models.reasoning import clean
from emoharbor.models.reply import completion_from
from emoharbor.models.where import WHERE
from emoharbor.models.words import server_words

# Characters of a bot's own error that are looked at; masking what looks like a key takes time.
_LONGEST = 2000


def bot_request(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> dict[str, Any]:
    """`{"dialogue": …, "messages": [{"role": …, "content": …}]}`; a schema is a ConfigError."""
    if schema is not None:
        raise ConfigError(
            "a finished bot cannot fill in a JSON schema: process: and http:// are for "
            "supporters (use: bot), other agents need a model"
        )
    sent = [{"role": m["role"], "content": clean(m["content"])} for m in messages]
    return {"dialogue": _dialogue(), "messages": sent}


def bot_reply(payload: object, target: Target) -> Completion:
    """From `{"text": …}`; raises ModelError for `{"error": …}` and for anything else."""
    if not isinstance(payload, Mapping):
        raise _unreadable(target)
    if payload.get("error"):
        shown = target.secrets.shown(server_words(payload)[:_LONGEST])
        said = f': "{shown}"' if shown else ""
        raise target.error(f"it says that it failed{said}", "server_error")
    if not isinstance(text := payload.get("text"), str):
        raise _unreadable(target)
    return completion_from(text)


def _unreadable(target: Target) -> ModelError:
    return target.error('the reply is neither {"text": "…"} nor {"error": "…"}', "bad_reply")


def _dialogue() -> str:
    """The same for all requests of a dialogue; opaque, for a thread's name holds the profile's."""
    where = WHERE.get()
    if where is None:
        return uuid.uuid4().hex
    return hashlib.blake2b(where.thread.encode(), digest_size=16).hexdigest()
