from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.models.wire import HttpReply, to_bytes

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


def payload(raw: bytes, content_type: str = "application/json") -> object:
    return HttpReply(200, {"Content-Type": content_type}, raw).payload()


@given(ANY_TEXT, ANY_TEXT)
def test_every_text_can_be_sent(key: str, text: str) -> None:
    sent = json.loads(to_bytes({"messages": [{"content": text}], key + "+": 0.1}))
    clean = (text.encode("utf-16", "surrogatepass")).decode("utf-16", "replace")
    assert sent["messages"] == [{"content": clean}] and 0.1 in sent.values()


def test_a_body_is_compact_and_plain() -> None:
    assert to_bytes({"a": ["é", 0.7, None], "b": ({"c": True},)}) == (
        '{"a":["é",0.7,null],"b":[{"c":true}]}'.encode()
    )


@pytest.mark.parametrize(
    ("raw", "content_type", "value"),
    [
        (b'{"a": 1}', "text/plain", {"a": 1}),
        (b'\n\n{"a": 1}\n', "", {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', "application/json", {"a": 1}),
        ('{"a": "é"}'.encode("utf-16"), "application/json", {"a": "é"}),
        (b'{"a": "\xe9"}', "application/json; charset=iso-8859-1", {"a": "é"}),
        (b'{"a": "\xc3\xa9"}', "application/json; charset=iso-8859-1", {"a": "é"}),
        (b'{"a": "\xe9"}', "application/json; charset=nonsense", {"a": "�"}),
        (b'{"a": "\xe9"}', "application/json; charset=hex", {"a": "�"}),
        (b'{"a": "\xe9"}', "application/json", '{"a": "�"}'),
        (b'{"a": ', "application/json", '{"a":'),
        (b" Bad \xe9\n", "text/plain; charset=latin-1", "Bad é"),
        (b"", "application/json", ""),
        (b"[" * 90_000, "application/json", "[" * 90_000),
    ],
)
def test_bodies_are_read_whatever_they_say_they_are(
    raw: bytes, content_type: str, value: Any
) -> None:
    assert payload(raw, content_type) == value
