from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.models.jsonio import read_object

READ: list[tuple[str, dict[str, Any]]] = [
    ('{"a": 1}', {"a": 1}),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```\n{"a": 1}\n```\nHope this helps {really}!', {"a": 1}),
    ('Sure, {name}: here it is.\n{"a": 1}\nAnything else?', {"a": 1}),
    ('\ufeff {"a": 1}', {"a": 1}),
    ('{"a": "b } c"} done', {"a": "b } c"}),
    ('{"a": "say \\"}\\" now"}', {"a": 'say "}" now'}),
    ('{"a": {"b": [1, 2.5, null, true]}}', {"a": {"b": [1, 2.5, None, True]}}),
    ('{"a": 1} and again {"a": 1}', {"a": 1}),
    ('{"a": "two\nlines"}', {"a": "two\nlines"}),
    ('{"a": ４}', {"a": 4}),
    ("{“a”： “b”}", {"a": "b"}),
    ('{“a”: “he said "no"”， “b”: １０}', {"a": 'he said "no"', "b": 10}),
    ('{"a": "４ of “us”", "b": ４}', {"a": "４ of “us”", "b": 4}),
    ('{"a": "４ of “us”"}', {"a": "４ of “us”"}),
    ('{"a": "\\ud83d!"}', {"a": "\ufffd!"}),
    ('{"a": "4/5", "b": 6, "c": 0}', {"a": "4/5", "b": 6, "c": 0}),
    ("{}", {}),
]
UNREAD = [
    "",
    "I would rather not judge this.",
    '{"a": 1',
    '{"a": {"b": 1}, "c": "unfinis',
    '```json\n{"a": {"b": 1}, "c":\n```',
    '{"a": {"b": 1}, c: 3}',
    '{"a": 1,}',
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": -Infinity}',
    '{"a": 1e999}',
    '{"a": 1, "a": 2}',
    '{"x": {"a": 1, "a": 2}, "b": {"c": 1}}',
    '{"a": 1} or rather {"a": 2}',
    '[{"a": 1}]',
    "4",
    '"{\\"a\\": 1}"',
    "{'a': 1}",
    '{"a": ' + "[" * 30_000,
    '{"a": ' * 30_000,
    '{"a": ' + "9" * 5000 + "}",
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_the_object_is_found(text: str, value: dict[str, Any]) -> None:
    assert read_object(text) == value


@pytest.mark.parametrize("text", UNREAD, ids=range(len(UNREAD)))
def test_nothing_is_invented(text: str) -> None:
    assert read_object(text) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(alphabet='a{}"\\“”４ ', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
OBJECT = st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), JSON, min_size=1)


@given(OBJECT, st.sampled_from(["", "Sure: ", "```json\n"]), st.sampled_from(["", "\n```", " ok."]))
def test_what_was_written_is_read_back(value: dict[str, Any], before: str, after: str) -> None:
    assert read_object(before + json.dumps(value, ensure_ascii=False) + after) == value


@given(OBJECT, st.data())
def test_no_truncated_object_is_read(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert read_object(text[: data.draw(st.integers(0, len(text) - 1))]) is None


@given(st.text(alphabet='{}[]":, ab1“”４\\n', max_size=60))
def test_any_text_is_survived(text: str) -> None:
    found = read_object(text)
    assert found is None or isinstance(found, dict)
