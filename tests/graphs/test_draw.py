"""Pictures of the graph: true to what a dialogue does, the same in four formats."""

from __future__ import annotations

import asyncio
import io
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args
from xml.etree import ElementTree

import pytest
from langgraph.graph import END, START
from PIL import Image
from rich.cells import cell_len

from emoharbor.agents.scripted import ScriptedTalker
from emoharbor.agents.shape import Node
from emoharbor.errors import ConfigError
from emoharbor.flags import suite_from_flags
from emoharbor.graphs.dialogue import Opening, build_dialogue
from emoharbor.graphs.draw import PLAIN, as_ascii, as_mermaid
from emoharbor.graphs.picture import (
    EdgePicture,
    GraphPicture,
    access,
    picture,
)
from emoharbor.graphs.svg import SCALE, as_png, as_svg
from emoharbor.state.dialogue import Message, Utterance
from tests.graphs.playing import SCRIPTED, compiled, config, context, scripted
from tests.people import make_profile

PICTURES = Path(__file__).parent / "pictures"
OPENINGS: tuple[Opening, ...] = get_args(Opening)
NAMES = {"h_s": "H_s", "h_u": "H_u"}
LEAVES = ScriptedTalker((Utterance(text="bye", wants_to_end=True, why="satisfied"),))
GPT = "openai:gpt-4o"


def drawn(*, opening: Opening = "supporter", **flags: Any) -> GraphPicture:
    name = flags.pop("suite", "emoharbor")
    return picture(suite_from_flags(name, settings=[f"opening={opening}"], **flags))


def busy() -> GraphPicture:
    """A picture as a run makes it: lines added to every node, one of them active."""
    plain = drawn(opening="user", supporters=["a=openai:模型", f"b={GPT}"], model=GPT)
    notes = ("15 visits · 3.2 s", 'an error: <b>"x"</b> & #1;\x07 a\nb ' + "长" * 60)
    nodes = tuple(replace(node, notes=notes) for node in plain.nodes)
    return replace(plain, nodes=nodes, active="talker")


async def _updates(opening: Opening, **agents: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every node's updates over one dialogue, each memory begun with a mark of its own."""
    start = {
        "turn": 0,
        "h_s": [Message(role="supporter", text="§H_s§")],
        "h_u": [Message(role="supporter", text="§H_u§")],
    }
    graph = compiled(scripted(**agents), opening)
    setting = context(make_profile(), max_turns=2)
    stream = graph.astream(start, config(), context=setting, stream_mode="updates")
    return [item async for chunk in stream for item in cast("dict[str, Any]", chunk).items()]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_a_node_is_said_to_write_is_what_it_writes(opening: Opening) -> None:
    wrote: dict[str, set[str]] = defaultdict(set)
    for agents in ({}, {"talker": LEAVES}):
        for node, update in asyncio.run(_updates(opening, **agents)):
            wrote[node] |= {NAMES.get(k, k) for k, v in update.items() if v} - {"turn", "utterance"}
    assert wrote == {node: set(access(node, opening).writes) for node in get_args(Node)}


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_a_node_is_said_to_read_is_all_it_is_given(opening: Opening) -> None:
    read: dict[str, set[str]] = defaultdict(set)

    def noting(node: str, agent: Any) -> Any:
        async def noted(asked: Any) -> Any:
            read[node] |= {name for name in NAMES.values() if f"§{name}§" in repr(asked)}
            return await agent(asked)

        return noted

    agents = {node: noting(node, agent) for node, agent in vars(SCRIPTED).items()}
    asyncio.run(_updates(opening, **agents))
    assert read == {node: set(access(node, opening).reads) for node in get_args(Node)}
    schema = build_dialogue(SCRIPTED, opening=opening).nodes["supporter"].input_schema
    assert [NAMES[key] for key in schema.__annotations__] == ["H_s"]


@pytest.mark.parametrize("opening", OPENINGS)
def test_nodes_and_edges_are_those_of_the_real_graph(opening: Opening) -> None:
    graph = compiled(opening=opening).get_graph()
    shown = drawn(opening=opening)
    assert {n.name for n in shown.nodes} | {START, END} == set(graph.nodes)
    edges = {(e.source, e.target, e.data or "") for e in graph.edges}
    assert {(e.source, e.target, e.label) for e in shown.edges} == edges
    assert len(shown.edges) == len(graph.edges)


def test_the_loop_is_the_only_way_up() -> None:
    assert drawn().loops == [EdgePicture("termination", "supporter", "goes on")]
    assert drawn().skips == []
    user = drawn(opening="user")
    assert user.loops == [EdgePicture("supporter", "thinker", "goes on")]
    assert user.skips == [EdgePicture("termination", "evaluator", "over")]


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("suite", ["emoharbor", "demo"])
@pytest.mark.parametrize("format", ["mmd", "txt"])
def test_shipped_suites_look_as_they_did(suite: str, opening: Opening, format: str) -> None:
    shown = drawn(suite=suite, opening=opening)
    golden = (PICTURES / f"{suite}-{opening}.{format}").read_text(encoding="utf-8")
    assert golden == (as_mermaid(shown) if format == "mmd" else as_ascii(shown))


def test_who_is_in_a_node_is_named_with_its_model() -> None:
    shown = drawn(supporters=["my-bot=openai:b@http://127.0.0.1:8/v1"], model=GPT, judge="openai:j")
    assert {node.name: node.agents for node in shown.nodes} == {
        "supporter": ("my-bot: chat · openai:b@http://127.0.0.1:8/v1",),
        "thinker": (f"appraisal · {GPT}",),
        "talker": (f"talker · {GPT}",),
        "termination": ("structured · takes no model",),
        "evaluator": ("user_as_judge · openai:j",),
    }


def test_what_is_not_named_yet_is_said() -> None:
    agents = {node.name: node.agents for node in drawn().nodes}
    assert agents["supporter"] == ("no supporter named yet",)
    assert agents["thinker"] == ("appraisal · no model named yet",)


def test_several_supporters_are_one_node_that_names_them_all() -> None:
    first = drawn(supporters=["a=openai:x", "b=openai:y", "c=openai:z"]).nodes[0]
    assert first.agents == (
        "3 supporters",
        "a: chat · openai:x",
        "b: chat · openai:y",
        "c: chat · openai:z",
    )


@pytest.mark.parametrize(
    "settings, words",
    [
        (["agents.talker.use=talkr"], "did you mean 'talker'"),
        (["agents.talker.model=opnai:x"], "unknown model provider 'opnai'"),
    ],
)
def test_what_a_run_would_refuse_is_not_drawn(settings: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        picture(suite_from_flags("emoharbor", settings=settings))


def test_boxes_line_up_within_a_hundred_columns() -> None:
    text = as_ascii(busy())
    lines = ["".join(c.ljust(2) if cell_len(c) == 2 else c for c in x) for x in text.splitlines()]
    assert max(map(len, lines)) <= 100
    top = next(line for line in lines if "╭─ " in line)
    left, right = top.index("╭"), top.index("╮")
    body = [line for line in lines if "╭─ " not in line and line[left : left + 1] in ("│", "┤")]
    assert len(body) == 5 * 6 + 2 and all(line[right] in "│├" for line in body)
    assert any("► Talker (active)" in line for line in lines)
    assert as_ascii(drawn()).translate(PLAIN).isascii()


def test_lines_that_cross_and_meet_are_joined() -> None:
    plain = drawn()
    more = (
        EdgePicture("talker", "thinker", "again"),
        EdgePicture("thinker", "evaluator", "out"),
        EdgePicture("supporter", "termination"),
    )
    text = as_ascii(replace(plain, edges=plain.edges + more))
    assert "┼" in text and text.count("►") == 2 and text.count("◄") == 2
    assert "─ again ─" in text and "─ out ─" in text


def words_of(shown: GraphPicture) -> set[str]:
    nodes = {
        w for n in shown.nodes for w in (n.title, *n.agents, *n.access.reads, *n.access.writes)
    }
    return nodes | {e.label for e in shown.edges if e.label} | {shown.title, shown.subtitle}


@pytest.mark.parametrize("shown", [drawn(), drawn(opening="user"), busy()])
def test_an_svg_is_xml_that_holds_every_label(shown: GraphPicture) -> None:
    root = ElementTree.fromstring(as_svg(shown))
    texts = [text for text in root.iter() if text.tag.endswith("}text")]
    assert words_of(shown) <= {text.text for text in texts}
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(0 < _end(t) < width and 0 < float(t.attrib["y"]) < height for t in texts)
    arrows = [path for path in root.iter() if "marker-end" in path.attrib]
    assert len(arrows) == len(shown.edges)


def _end(text: ElementTree.Element) -> float:
    """Where a text ends in a wide font; one that is not set from the left ends at its place."""
    x, size = float(text.attrib["x"]), float(text.attrib["font-size"])
    wide = cell_len(text.text or "") * size * 0.6
    return x + wide if text.attrib["text-anchor"] == "start" else x


def test_the_active_node_is_marked() -> None:
    assert ">active</text>" in as_svg(busy()) and ">active</text>" not in as_svg(drawn())
    assert "class talker active" in as_mermaid(busy()) and "active" not in as_mermaid(drawn())


def test_a_label_cannot_break_out_of_mermaid() -> None:
    text = as_mermaid(busy())
    assert "#lt;b#gt;#quot;x#quot;#lt;/b#gt; #amp; #35;1;" in text
    assert all(line.count('"') in (0, 2) for line in text.splitlines())


@pytest.mark.parametrize("shown", [drawn(), busy()])
def test_a_png_opens_and_shows_the_words(shown: GraphPicture) -> None:
    image = Image.open(io.BytesIO(as_png(shown)))
    image.load()
    root = ElementTree.fromstring(as_svg(shown))
    assert image.size == tuple(int(float(root.attrib[k]) * SCALE) for k in ("width", "height"))
    for text in (t for t in root.iter() if t.tag.endswith("}text") and t.text):
        assert len(_colours(image, text)) > 4, f"nothing is drawn at {text.text!r}"


def _colours(image: Image.Image, text: ElementTree.Element) -> list[Any]:
    """The shades where a text begins: one where nothing is drawn."""
    x, y, size = (SCALE * float(text.attrib[key]) for key in ("x", "y", "font-size"))
    wide = {"start": (0, 2), "middle": (-0.5, 0.5), "end": (-2, 0)}[text.attrib["text-anchor"]]
    box = (int(x + wide[0] * size), int(y - size * 0.7), int(x + wide[1] * size), int(y))
    return image.crop(box).getcolors(maxcolors=100_000) or []
