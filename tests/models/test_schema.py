from __future__ import annotations

import copy
import re
from typing import Any

from emoharbor.models.schema import response_format, strict, tighten, with_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "why": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]},
        "evidence": {"type": "array", "items": {"type": "integer"}, "default": []},
        "short": {"type": "string", "maxLength": 20},
        "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "inner": {"$ref": "#/$defs/Inner"},
    },
    "required": ["type"],
    "$defs": {"Inner": {"type": "object", "properties": {"items": {"type": "string"}}}},
}


def test_strict_closes_every_object() -> None:
    closed = strict(SCHEMA)
    assert closed["required"] == list(SCHEMA["properties"])
    assert closed["additionalProperties"] is False
    assert closed["$defs"]["Inner"]["additionalProperties"] is False
    assert "default" not in closed["properties"]["evidence"]


def test_a_server_is_asked_for_the_strict_schema_as_it_is_now() -> None:
    schema = copy.deepcopy(SCHEMA)
    assert response_format(schema)["json_schema"]["schema"] == strict(SCHEMA)
    schema["properties"] = {"other": {"type": "string"}}
    assert list(response_format(schema)["json_schema"]["schema"]["properties"]) == ["other"]
    assert response_format(SCHEMA)["json_schema"]["schema"] == strict(SCHEMA)


def test_tighten_bounds_what_is_free() -> None:
    before = copy.deepcopy(SCHEMA)
    fields = tighten(SCHEMA)["properties"]
    assert SCHEMA == before
    assert fields["evidence"]["maxItems"] == 6
    assert fields["code"]["pattern"] == "^[A-Z]{2}$"
    assert fields["why"] == SCHEMA["properties"]["why"]
    assert fields["short"]["pattern"].endswith("{1,20}$")
    assert fields["type"]["pattern"].endswith("{1,240}$")
    assert re.match(fields["type"]["pattern"], "Fine, thank you – 好 😀.")
    assert not re.match(fields["type"]["pattern"], 'say "no"')


def test_many_strings_get_less_room_each() -> None:
    dimension = {"type": "object", "properties": {"reason": {"type": "string"}}}
    schema = {"properties": {str(n): {"$ref": "#/$defs/D"} for n in range(20)}}
    bounded = tighten({**schema, "$defs": {"D": dimension}})
    assert bounded["$defs"]["D"]["properties"]["reason"]["pattern"].endswith("{1,80}$")


def test_lists_of_strings_count_too() -> None:
    schema = {"properties": {"notes": {"type": "array", "items": {"type": "string"}}}}
    notes = tighten(schema)["properties"]["notes"]
    assert (notes["maxItems"], notes["items"]["pattern"][-8:]) == (6, "{1,240}$")


def test_the_schema_goes_to_the_end_of_the_last_message() -> None:
    messages = with_schema([{"role": "user", "content": "Hi."}], {"type": "object"})
    assert messages[0]["content"].startswith("Hi.\n\n")
    assert messages[0]["content"].endswith('{"type": "object"}')
