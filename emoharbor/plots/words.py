"""What stands in figures, in both languages."""

from __future__ import annotations

from emoharbor.state.profile import Language

EN = {
    "radar": "Mean mark by facet (1–5)",
    "all": "mean of all",
    "endings": "How dialogues ended",
    "share": "share of dialogues",
    "user_satisfied": "satisfied",
    "max_turns": "still there at the cap",
    "recorded_end": "end of the record",
    "user_left": "left",
    "user_gave_up": "gave up",
    "failed": "failed",
    "survival": "Share of users still there",
    "exchange": "exchange",
    "at_risk": "watched in the exchange",
    "dimensions-by-turn": "Mean mark by exchange, of judged prefixes (1–5)",
    "intensity": "Intensity of what users feel (1–5)",
    "depth": "Depth of negative emotion (0–5)",
    "there": "still there",
    "leaning": "Which way users lean, of those still there",
    "stay": "to stay",
    "unsure": "unsure",
    "leave": "to leave",
    "users": "users",
}
ZH = {
    "radar": "各方面平均分（1–5）",
    "all": "全部系统平均",
    "endings": "对话如何结束",
    "share": "对话占比",
    "user_satisfied": "满意结束",
    "max_turns": "聊到轮数上限",
    "recorded_end": "记录结束",
    "user_left": "离开",
    "user_gave_up": "放弃",
    "failed": "运行失败",
    "survival": "仍在对话中的用户占比",
    "exchange": "轮次",
    "at_risk": "该轮在观察中的人数",
    "dimensions-by-turn": "各轮次的平均分（对话前段评分，1–5）",
    "intensity": "用户情绪强度（1–5）",
    "depth": "负面情绪深度（0–5）",
    "there": "仍在对话中",
    "leaning": "仍在对话中的用户的去留倾向",
    "stay": "想继续",
    "unsure": "犹豫",
    "leave": "想离开",
    "users": "人数",
}
WORDS: dict[Language, dict[str, str]] = {"en": EN, "zh": ZH}
