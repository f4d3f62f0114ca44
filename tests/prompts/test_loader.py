from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from emoharbor.errors import PromptError
from emoharbor.prompts.loader import Prompt, load_prompt

Write = Callable[..., Prompt]
GOOD = "{% block system %}Be {{ how }}.{% endblock %}"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a prompt (and files beside it) and loads it anew."""

    def written(body: str, head: str = "---\nversion: 3\n---\n", **beside: str) -> Prompt:
        (tmp_path / "mine.md").write_text(head + body, encoding="utf-8")
        for name, text in beside.items():
            (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        load_prompt.cache_clear()
        return load_prompt(str(tmp_path / "mine.md"), "en")

    return written


def test_an_own_prompt_is_read(write: Write) -> None:
    prompt = write(GOOD)
    assert prompt.version == 3
    assert len(prompt.hash) == 12
    assert prompt.render("system", how="kind") == "Be kind."


def test_an_own_prompt_may_include_a_shipped_file(write: Write) -> None:
    with pytest.raises(PromptError, match="profile"):
        write('{% block system %}{% include "profile.md" %}{% endblock %}').render("system")


def test_a_variable_that_nobody_gave_is_named(write: Write) -> None:
    with pytest.raises(PromptError, match=r"mine\.md.*'system'.*'how' is undefined"):
        write(GOOD).render("system")


@pytest.mark.parametrize("expression", ["{% if how %}x{% endif %}", "{{ how.much }}", "{{ a[0] }}"])
def test_no_kind_of_use_passes_unnoticed(write: Write, expression: str) -> None:
    with pytest.raises(PromptError, match="is undefined"):
        write(f"{{% block system %}}{expression}{{% endblock %}}").render("system")


def test_a_missing_block_is_named_with_those_there_are(write: Write) -> None:
    with pytest.raises(PromptError, match=r"mine\.md: no block 'turn' \(it has: system\)"):
        write(GOOD).render("turn")


@pytest.mark.parametrize(
    "head",
    [
        "",
        "---\n---\n",
        "---\nversion: one\n---\n",
        "---\nversion: 1.5\n---\n",
        "---\nversion: true\n---\n",
        "---\n- version\n---\n",
        "---\nversion: [1\n---\n",
        "---\nversion: 1\n",
    ],
)
def test_bad_front_matter_is_told_with_the_name(write: Write, head: str) -> None:
    with pytest.raises(PromptError, match=r"mine\.md.*front matter"):
        write(GOOD, head)


def test_front_matter_that_is_never_closed(write: Write) -> None:
    with pytest.raises(PromptError, match=r"mine\.md.*front matter"):
        write("", "---\nversion: 1\n")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"nobody\.md"):
        load_prompt("nobody", "en")
    with pytest.raises(PromptError, match=r"gone\.md"):
        load_prompt(str(tmp_path / "gone.md"), "zh")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"---\nversion: 1\n---\ncaf\xe9")
    with pytest.raises(PromptError, match=r"latin\.md"):
        load_prompt(str(tmp_path / "latin.md"), "en")


@pytest.mark.parametrize(
    "body", ["{% block system %}", "{{ how", "{% block a %}{{ x | nofilter }}{% endblock %}"]
)
def test_broken_jinja_is_told_with_name_and_line(write: Write, body: str) -> None:
    with pytest.raises(PromptError, match=r"mine\.md, line \d"):
        write(body)


def test_a_broken_or_missing_included_file_is_found_at_once(write: Write) -> None:
    body = '{% block system %}{% include "part.md" %}{% endblock %}'
    with pytest.raises(PromptError, match=r"part\.md"):
        write(body)
    with pytest.raises(PromptError, match="line 1"):
        write(body, part="{% if %}")


def test_the_hash_covers_all_that_is_included(write: Write) -> None:
    body = '{% block system %}{% include "part.md" %}{% endblock %}'
    nested = 'one {% include "deep.md" %}'
    prompts = [
        write(body, part="one"),
        write(body, part="two"),
        write(body, "---\nversion: 4\n---\n", part="two"),
        write(body, part=nested, deep="three"),
        write(body, part=nested, deep="four"),
    ]
    assert len({prompt.hash for prompt in prompts}) == 5
    assert write(body, part="one").hash == prompts[0].hash
    assert prompts[4].render("system") == "one four"


def test_files_that_include_each_other_come_to_an_end(write: Write) -> None:
    body = '{% block system %}{% include "part.md" %}{% endblock %}'
    assert write(body, part='{% if 0 %}{% include "part.md" %}{% endif %}').hash


def test_loading_twice_reads_once() -> None:
    assert load_prompt("talker", "en") is load_prompt("talker", "en")
