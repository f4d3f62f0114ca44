from __future__ import annotations

from typing import Any

import pytest

from emoharbor.models.words import Secrets, ServerError, server_error


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            {"error": {"message": "No.", "code": 7, "type": "bad", "param": "seed"}},
            ServerError("No.", "7 bad", "seed"),
        ),
        ([{"error": {"message": "No.", "code": 400}}], ServerError("No.", "400 None")),
        ({"message": "No.", "type": "bad"}, ServerError("No.", "None bad")),
        ({"error": "No.", "code": "x"}, ServerError("No.", "x None")),
        ({"error": {"message": "No.", "param": ["a"]}}, ServerError("No.", "None None")),
        ({"detail": [{"loc": ["body", "n"], "msg": "no"}]}, ServerError("body.n: no", "None None")),
        ("No.", ServerError("No.")),
        ("<html>No</html>", ServerError("")),
        ("", ServerError("")),
        ([], ServerError("")),
        (None, ServerError("")),
    ],
)  # fmt: skip
def test_every_shape_of_an_error(body: Any, said: ServerError) -> None:
    assert server_error(body) == said


def test_a_page_of_one_word_is_cut_before_it_is_looked_at() -> None:
    said = Secrets(key="sk-0123456789").shown("a1" * 1_000_000)
    assert len(said) <= 201
