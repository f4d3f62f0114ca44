"""Values to the bytes of a request, and the bytes of a reply to values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

import pydantic_core

from emoharbor.models.reasoning import clean


def to_bytes(value: Any) -> bytes:
    """Compact JSON in UTF-8. Lone surrogates become U+FFFD: no body could hold them."""
    try:
        return pydantic_core.to_json(value)
    except pydantic_core.PydanticSerializationError:
        # Surrogates are rare, and looking for them in every message is not free.
        return clean(json.dumps(value, ensure_ascii=False)).encode()


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server sent back, decompressed. Names in `headers` are found in any case."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    def payload(self) -> object:
        """The JSON value of the body, whatever its content type says; else its text, stripped."""
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError):
            text = self._text().strip()
        try:
            # JSON is UTF-8 by its standard; what is not may still say so.
            return json.loads(text) if self._charset() else text
        except (ValueError, RecursionError):
            return text

    @property
    def says_json(self) -> bool:
        """Whether the content type claims JSON."""
        return self._content_type().get_content_type().endswith("json")

    def _text(self) -> str:
        try:
            return self.raw.decode(self._charset() or "utf-8", "replace")
        except (LookupError, ValueError):
            return self.raw.decode("utf-8", "replace")

    def _charset(self) -> str | None:
        return self._content_type().get_content_charset()

    def _content_type(self) -> Message:
        message = Message()
        message["Content-Type"] = self.headers.get("Content-Type", "")
        return message
