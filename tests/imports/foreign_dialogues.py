"""Small dialogues in the formats of other projects, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ASKED = "嗯，能再说说后来怎么样了吗？"
SEEKERS: dict[str, dict[str, Any]] = {
    "1": {
        "profile_id": "001",
        "age": 31,
        "occupation": "宠物美容师",
        "problem_summary": "求助者开店两年，合伙人不告而别，留下两个月房租，她没有告诉家人。",
    },
    "2": {
        "profile_id": "002",
        "age": 24,
        "occupation": "图书管理员",
        "problem_summary": "求助者值夜班时总觉得书架后面有人，换班以后也没有好转。",
    },
}


def heard(text: str) -> dict[str, str]:
    return {"speaker": "supporter", "text": text}


def felt(text: str, label: str = "") -> dict[str, str]:
    """A seeker's line, with an emotion where there is a label."""
    more = {"emotion_label": label, "emotion_description": "她说不清。"} if label else {}
    return {"speaker": "seeker", "text": text, **more}


def told(*lines: dict[str, str], turn: int | None = None) -> dict[str, Any]:
    return {"dialogue": list(lines), "turn": len(lines) if turn is None else turn}


# A file for each dialogue; the average arm writes in brackets and thanks, the worst one has labels.
RELEASE: dict[str, dict[str, Any]] = {
    "average/bot/1.json": told(
        felt("（叹气）合伙人走了……谢谢你听我说。"),
        heard("我在听，你慢慢说。"),
        felt("（沉默）房租还差两个月；我不知道怎么办。"),
        heard("听起来很难。"),
    ),
    "average/bot/2.json": told(
        felt("（叹气）夜班的时候我总觉得有人。"),
        heard("什么时候开始的？"),
        felt("上个月，好像是换季的时候。谢谢老师，好多了。"),
        heard("愿意多说一点吗？"),
    ),
    "average/other/1.json": told(
        felt("你好"), heard("你好，今天想聊什么？"), felt("店里的事"), heard("你说。")
    ),
    "worst/bot/1.json": told(
        felt("合伙人不告而别，留下两个月房租，你说怎么办？", "烦恼"),
        heard(ASKED),
        felt("我说过了。", "疲惫"),
        heard(ASKED),
        felt("算了", "不认可"),
    ),
    "worst/bot/2.json": told(felt("夜班的事", "恐惧"), heard("什么事？"), turn=4),
    "worst/other/1.json": told(),
    "worst/other/2.json": told(felt("……", "悲伤"), heard("我在。")),
}
ESCONV: list[dict[str, Any]] = [
    {
        "emotion_type": "shame",
        "problem_type": "job crisis",
        "situation": "I told everyone I was promoted and now I hide in the parking lot all day.",
        "dialog": [
            {"speaker": "seeker", "annotation": {}, "content": "hi there"},
            {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "Hello!"},
            {"speaker": "seeker", "annotation": {}, "content": "bad week"},
            {"speaker": "seeker", "content": "i hide in the parking lot all day now"},
            {"speaker": "supporter", "annotation": {}, "content": "Since when?"},
        ],
    },
    {
        "situation": "I lie awake since the flood.",
        "dialog": [
            {"speaker": "usr", "text": "cannot sleep"},
            {"speaker": "sys", "text": "Tell me.", "strategy": "Question"},
        ],
    },
]  # fmt: skip
CHAT: dict[str, Any] = {
    "id": "c 7",
    "model": "some/bot",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": "Hello, how are you?"},
        {"role": "user", "content": [{"type": "text", "text": "Tired, mostly."}]},
    ],
}


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_lines(path: Path, values: list[Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def release(folder: Path) -> Path:
    """The release in a folder, with its seekers, and a file that broke off."""
    for name, dialogue in RELEASE.items():
        write_json(folder / name, dialogue)
    for name, seeker in SEEKERS.items():
        write_json(folder / "profiles" / f"{name}.json", seeker)
    (folder / "worst" / "other" / "3.json").write_text('{"dialogue": [{"speaker": "see')
    return folder
