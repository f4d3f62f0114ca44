"""Dialogues that people marked, in the formats of other projects, written for these tests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

PEOPLE = ("Ida", "Omar")
RATERS = ("r-a", "r-b", "r-c")
# Marks of three raters by criterion: of both people with both models.
MARKS: dict[str, tuple[tuple[int | None, ...], ...]] = {
    "criterion_1": ((2, 5, 4), (3, 2, 6), (5, 3, 2), (4, 4, 1)),
    "criterion_2": ((0, 4, 3), (2, None, 5), (4, 2, 9), (3, 3, 3)),
    "criterion11": ((1, 2, 1), (3, 3, 4), (5, 5, 6), (6, 5, 5)),
}


def mindeval(users: bool = True) -> list[dict[str, Any]]:
    """Four dialogues in MindEval's form, with its quirks.

    One key lacks the underscore and its users, a 0 is not applicable, one rater's marks are a
    draft. Without `users` the criteria disagree about who the raters are.
    """
    found = []
    for place in range(4):
        person = PEOPLE[place % 2]
        entry: dict[str, Any] = {
            "id": f"d{place}",
            "model": f"maker/model-{place // 2}",
            "member_profile": f"**Member Profile:**\n- Name: {person}\n- Age: 4{place % 2}",
            "messages": [
                {"role": "assistant", "content": f"Hello {person}."},
                {"role": "user", "content": "Hey. Long week."},
                {"role": "assistant", "content": f"What was long about it? {place}"},
            ],
            "score_justification.responses": ["because", "", ""],
        }
        for key, marks in MARKS.items():
            entry[f"{key}.responses"] = list(marks[place])
            entry[f"{key}.responses.status"] = ["submitted"] * 3
            if key != "criterion11":
                names = RATERS if users or key == "criterion_1" else RATERS[::-1]
                entry[f"{key}.responses.users"] = list(names)
        found.append(entry)
    found[3]["criterion_1.responses.status"] = ["submitted", "draft", "submitted"]
    return found


def mindeval_file(folder: Path, users: bool = True) -> Path:
    """The same as a packed file of lines."""
    file = folder / "human.jsonl.gz"
    lines = "".join(json.dumps(entry) + "\n" for entry in mindeval(users))
    file.write_bytes(gzip.compress(lines.encode()))
    return file


ESCONV: list[dict[str, Any]] = [
    {
        "situation": "I lie awake since the flood.",
        "survey_score": {
            "seeker": {
                "initial_emotion_intensity": "5",
                "empathy": "4",
                "relevance": "",
                "final_emotion_intensity": "2",
            },
            "supporter": {"relevance": "7"},
        },
        "dialog": [
            {"speaker": "seeker", "annotation": {}, "content": "cannot sleep"},
            {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "Why?"},
            {"speaker": "seeker", "annotation": {"feedback": "3"}, "content": "the water"},
            {"speaker": "supporter", "annotation": {}, "content": "I am sorry."},
            {"speaker": "seeker", "annotation": {"feedback": "5"}, "content": "thanks"},
        ],
    },
    {"dialog": [{"speaker": "seeker", "content": "hi"}], "survey_score": {}},
]
FORM = """\
专家,supporter,profile,RA,Mood improvement,安全性,notes
E1,Doubao,p1,4,3,5,slow to see it
E1,EmoLLM,p2,2,,4,
E2,Doubao,p3,5,4,5,"fine, mostly"
"""
