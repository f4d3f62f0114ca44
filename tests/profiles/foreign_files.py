"""Small files in the formats of other projects, written for these tests."""

from __future__ import annotations

from typing import Any

WORST_CASE: dict[str, Any] = {
    "profile_id": "007",
    "sim_id": "12",
    "gender": "女性",
    "age": 31,
    "education_level": "大专",
    "occupation": "宠物美容师",
    "relationship_status": "已婚",
    "problem_summary": "求助者开店两年，合伙人不告而别，留下两个月房租，她没有告诉家人。",
    "engagement_level": "你愿意聊，但常常走神。",
    "resistance_level": "你不喜欢别人替你下结论。",
    "utterance_style": "你说话绕，爱打比方。",
    "self_disclosure": "你只讲店里的事。",
}
ESC_EVAL: list[dict[str, Any]] = [
    {
        "base": "Age: Not mentioned\nGender: Male\nOccupation: lifeguard\n"
        "Problem: The seeker froze during a rescue: a colleague stepped in.",
        "res": "工作学习",
        "source": "ESconv",
        "base_biaozhu": "年龄：未提及",
        "language": "english",
        "id": 4101,
    },
    {
        "base": "年龄：16岁\n性别：未提及\n职业：未提及，但在准备中考\n"
        "问题：同桌转学以后没有人一起吃午饭。",
        "res": "社会与其他",
        "source": "PsyQA",
        "base_biaozhu": "年龄：16岁",
        "language": "chinese",
        "id": 4102,
    },
    {
        "base": "年龄：中年\n性别：女\n职业：会计\n问题：把公司的印章弄丢了两天。",
        "res": "工作学习",
        "source": "PsyQA",
        "base_biaozhu": "",
        "language": "chinese",
        "id": 4103,
    },
]
ESCONV: list[dict[str, Any]] = [
    {
        "experience_type": "Current Experience",
        "emotion_type": "shame",
        "problem_type": "job crisis",
        "situation": "I told everyone I was promoted. Write to me: sam.hill@example.org.",
        "survey_score": {"seeker": {"initial_emotion_intensity": "5"}},
        "dialog": [{"speaker": "seeker", "content": "hi"}],
    },
    {
        "experience_type": "Previous Experience",
        "emotion_type": "fear",
        "problem_type": "sleep problems",
        "situation": "I lie awake since the flood.",
        "dialog": [],
    },
]
PERSONAMEM: dict[str, Any] = {
    "0c1d-77": {
        "persona": "A ferry engineer from Halifax, Henrietta, who writes crosswords.",
        "name": {"first": "Henrietta", "last": "Oakes", "nickname": "Etta"},
        "age": 47,
        "gender": "Female",
        "maritalStatus": "Divorced",
        "location": {"country": "Canada", "city": "Halifax", "zipCode": "B3H 0A1"},
        "education": [{"degree": "Marine diploma", "institution": "Nova Scotia College"}],
        "occupation": {"title": "Ferry engineer", "company": "Blue Line Ferries"},
        "interests": ["Crosswords", "Tin whistle"],
        "personalityTraits": ["Stubborn", "Warm"],
        "goals": ["Sell the boat Etta inherited"],
        "therapy_background": ["At 12 Etta moved twice.", "Call (902) 555-0133 at night."],
        "socialMediaHandles": {"Medium": "@etta_oakes"},
        "sensitive_information": {"email_address": "etta@example.org"},
    },
    "9f20-01": {
        "short_persona": {"persona": "A pastry cook in Lyon with a grudge."},
        "name": "Bastien Roche",
        "age": "29",
        "gender": "Male",
        "occupation": "Pastry cook",
        "nationality": "French",
        "location": "12 Harbour View Road, Lyon",
        "family_background": "Bastien grew up over a bakery; see https://example.org/bastien.",
    },
}
