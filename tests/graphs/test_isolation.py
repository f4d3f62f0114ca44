"""A supporter sees H_s and nothing else, by the graph's construction."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Sequence
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config, get_store, get_stream_writer
from langgraph.runtime import get_runtime

from emoharbor.agents.scripted import ScriptedThinker
from emoharbor.graphs.dialogue import Opening
from emoharbor.models.scripted import ScriptedChat, echo
from emoharbor.models.where import WHERE
from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.state.profile import Language, Profile
from tests.agents import seats
from tests.graphs.playing import Played, compiled, config, play, scripted
from tests.people import leaves, profile_data, view

MARKS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz痛苦悔", min_size=4, max_size=9).map(
    "§{}§".format
)
LABELS = ("id", "language", "mbti", "goal")


def marked(data: Any, mark: str, key: str = "") -> Any:
    """`data` with `mark` in the place of every free text."""
    if isinstance(data, dict):
        return {name: marked(value, mark, name) for name, value in data.items()}
    if isinstance(data, list):
        return [marked(value, mark) for value in data]
    return f"{mark} {key}" if isinstance(data, str) and key not in LABELS else data


def marked_states(mark: str) -> tuple[Appraisal | Emotion, ...]:
    texts = {n: f"{mark} {n}" for n, f in Appraisal.model_fields.items() if f.annotation is str}
    assert {"cognition", "emotion", "goals"} <= texts.keys()
    emotion = Emotion(label=mark, transition_reason=mark, description=mark, deteriorated=True)
    return (Appraisal(**texts, intensity=5, leaning="leave"), emotion)  # type: ignore[arg-type]


def words_of(model: ScriptedChat) -> str:
    return "\n".join(m["content"] for request in model.requests for m in request.messages)


@settings(max_examples=25, deadline=None)
@given(MARKS, st.sampled_from(get_args(Language)), st.sampled_from(get_args(Opening)))
def test_no_supporter_request_holds_a_word_of_the_users_inner_world(
    mark: str, language: Language, opening: Opening
) -> None:
    profile = Profile.model_validate(marked(profile_data(language), mark))
    model = ScriptedChat(echo)
    agents = scripted(
        supporter=seats.supporter(model, language), thinker=ScriptedThinker(marked_states(mark))
    )
    result = asyncio.run(play(agents, opening=opening, profile=profile))
    assert len(model.requests) == 3
    assert mark not in words_of(model)
    assert mark not in "\n".join(result.lines)
    # The mark is where it belongs: the user's own agents are shown it everywhere.
    shown = view(result.state["h_u"], profile=profile, language=language)
    asked = seats.talker(language=language).conversation(shown)
    assert sum(m["content"].count(mark) for m in asked) > 20


def test_every_free_text_of_a_profile_is_marked() -> None:
    texts = [v for path, v in leaves(marked(profile_data(), "§x§")) if isinstance(v, str)]
    assert sum("§x§" not in text for text in texts) == len(LABELS)


def reached_from_inside(reach: Callable[[], Any]) -> Any:
    """What a supporter gets who tries `reach` during a dialogue; its exception where it fails."""
    found: list[Any] = []

    async def curious(history: Sequence[Message]) -> str:
        try:
            found.append(reach())
        except Exception as error:
            found.append(error)
        return "hm"

    asyncio.run(play(scripted(supporter=curious), saver=InMemorySaver(), max_turns=1))
    return found[0]


def test_langgraph_tells_a_supporter_nothing() -> None:
    for reach in (get_config, get_runtime, get_store, get_stream_writer):
        assert isinstance(reached_from_inside(reach), RuntimeError | KeyError)
    assert reached_from_inside(lambda: var_child_runnable_config.get(None)) is None


def test_a_supporters_context_holds_where_it_is_and_nothing_else() -> None:
    held = reached_from_inside(contextvars.copy_context)
    assert list(held) == [WHERE]
    assert vars(held[WHERE]).keys() == {"thread", "step", "node", "attempt", "seed", "ordinals"}


def test_what_a_supporter_sets_does_not_leave_its_visit() -> None:
    leaky: contextvars.ContextVar[int] = contextvars.ContextVar("leaky", default=0)
    found: list[int] = []

    async def setting(history: Sequence[Message]) -> str:
        found.append(leaky.get())
        leaky.set(leaky.get() + 1)
        return "hm"

    asyncio.run(play(scripted(supporter=setting)))
    assert found == [0, 0, 0]


def test_a_history_cannot_be_changed_by_the_supporter() -> None:
    kinds: list[type] = []

    async def greedy(history: Sequence[Message]) -> str:
        kinds.append(type(history))
        return "hm"

    asyncio.run(play(scripted(supporter=greedy)))
    assert set(kinds) == {tuple}


def test_a_graph_inside_a_supporter_is_a_graph_of_its_own() -> None:
    saver = InMemorySaver()
    inner: list[Played] = []

    async def nested(history: Sequence[Message]) -> str:
        inner.append(await play(saver=InMemorySaver(), max_turns=2))
        return "hm"

    async def both() -> dict[str, Any]:
        agents = scripted(supporter=nested)
        await play(agents, saver=saver, max_turns=1)
        return dict((await compiled(agents, saver=saver).aget_state(config())).values)

    outer = asyncio.run(both())
    assert inner[0].state["turn"] == 2
    assert [m.text for m in outer["h_s"]] == ["hm", "hi"]
