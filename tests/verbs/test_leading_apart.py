"""`leaderboard`: what was measured in another way is kept apart."""

from __future__ import annotations

import json
from pathlib import Path

from tests.synthetic import TEN, synthetic_run
from tests.verbs.test_leading import told


def test_two_rubrics_of_one_name_are_two(tmp_path: Path) -> None:
    for name, dimensions in (("one", TEN[:2]), ("two", TEN[1:3])):
        synthetic_run(tmp_path / name, {name: 3.0}, profiles=3, dimensions=dimensions)
    text = " ".join(told(tmp_path / "one", tmp_path / "two").split())
    assert "differ in rubric (synthetic-2 (AS RA) and synthetic-2 (AS RD))" in text


def test_users_of_two_models_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        file = synthetic_run(tmp_path / name, {name: 3.0}, profiles=3).records_file
        played = json.dumps({"evaluator": "scripted:judge", "talker": f"scripted:{name}"})
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('{"evaluator": "scripted:judge"}', played).replace(
            '{"evaluator":"scripted:judge"}', played), encoding="utf-8")  # fmt: skip
    text = " ".join(told(tmp_path / "one", tmp_path / "two").split())
    assert "differ in user_model (scripted:one and scripted:two)" in text
