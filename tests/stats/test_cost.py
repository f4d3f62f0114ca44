"""What is not known is not free."""

from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.state.record import RoleUsage
from emoharbor.stats.cost import Cost, Price, cost_of, load_prices, price_of, total_cost

USED = RoleUsage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000, calls=3)
PRICES = {"m": Price(input=2.0, cached_input=0.5, output=10.0)}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_fresh_cached_and_output_tokens_have_their_prices() -> None:
    assert cost_of(USED, "openai:m@http://h/v1", PRICES) == pytest.approx(1.2 + 0.2 + 1.0)
    assert cost_of(USED, "m", {"m": Price(input=2.0, output=10.0)}) == pytest.approx(3.0)
    silent = USED.model_copy(update={"cached_tokens": None})
    assert cost_of(silent, "m", PRICES) == pytest.approx(3.0)


@pytest.mark.parametrize(
    "usage",
    [
        RoleUsage(),
        RoleUsage(input_tokens=5, calls=1),
        RoleUsage(output_tokens=5, calls=1),
        RoleUsage(input_tokens=5, output_tokens=5, calls=2, unknown=1),
    ],
)
def test_unknown_usage_has_an_unknown_cost(usage: RoleUsage) -> None:
    assert cost_of(usage, "m", PRICES) is None
    assert cost_of(usage, "local:smollm2", PRICES) == 0.0


def test_an_unknown_model_has_an_unknown_cost() -> None:
    assert cost_of(USED, "openai:n", PRICES) is None
    assert cost_of(USED, "openai:qwen@http://127.0.0.1:8000/v1", load_prices()) is None
    assert cost_of(USED, "scripted:echo", {}) == 0.0


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("gpt-4o", 10.0),
        ("openai:gpt-4o-2024-11-20", 10.0),
        ("openai:gpt-4o-2024-05-13", 15.0),
        ("openai:gpt-4o-mini", 0.6),
        ("openai:gpt-4o-audio-preview", None),
        ("openai:gpt-5-pro", None),
        ("openai:claude-sonnet-4-5-20250929@https://api.anthropic.com/v1", 15.0),
        ("langchain:langchain_openai.ChatOpenAI:gpt-4.1@https://h/v1", 8.0),
        ("openai:deepseek-chat@http://127.0.0.1:8000/v1", None),
        ("openai:ft:gpt-4o", None),
    ],
)
def test_shipped_prices_fit_by_name(model: str, output: float | None) -> None:
    price = price_of(model, load_prices())
    assert (price and price.output) == output


def test_own_prices_come_first_entry_by_entry() -> None:
    Path("prices.yaml").write_text(
        "gpt-4o: {input: 1, output: 4}\n'qwen*@http://127.0.0.1*': {input: 0, output: 0}\n"
    )
    prices = load_prices()
    assert price_of("gpt-4o", prices) == Price(input=1.0, output=4.0)
    assert price_of("gpt-4o-mini", prices) == price_of("gpt-4o-mini", load_prices_elsewhere())
    assert cost_of(USED, "openai:qwen3@http://127.0.0.1:8000/v1", prices) == 0.0
    assert cost_of(USED, "openai:qwen3@http://other/v1", prices) is None


def load_prices_elsewhere() -> dict[str, Price]:
    empty = Path("empty.yaml")
    empty.write_text("# nothing\n")
    return dict(load_prices(empty))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("m: {input: 1}", "m.output: Field required"),
        ("m: {input: -1, output: 1}", "m.input"),
        ("m: {input: '1', output: 1}", "m.input"),
        ("m: {input: .nan, output: 1}", "m.input"),
        ("m: {input: 1, output: 1, reasoning: 2}", "m.reasoning"),
        ("- m", "the file"),
        ("m: [", "not YAML"),
    ],
)
def test_a_wrong_file_is_named_with_its_entry(text: str, words: str) -> None:
    path = Path("mine.yaml")
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"mine\.yaml") as caught:
        load_prices(path)
    assert words in str(caught.value)


def test_a_named_file_must_be_there() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_prices(Path("none.yaml"))


def test_a_sum_says_how_much_is_missing() -> None:
    assert total_cost([0.5, None, 0.25]) == Cost(usd=0.75, known=2, unknown=1)
    assert total_cost([0.5, None]).total is None
    assert total_cost([0.5, 0.0]).total == 0.5
