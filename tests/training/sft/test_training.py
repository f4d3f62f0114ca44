"""Training for real, of a model that is too small to learn anything; needs the extra `train`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.hf_model import load_tokenizer
from emoharbor.training.sft.config import TrainConfig, make_config
from emoharbor.training.sft.dialogues import Dialogue
from emoharbor.training.sft.encoding import encode
from emoharbor.training.sft.merging import merge
from emoharbor.training.sft.metrics import Metrics, losses
from emoharbor.training.sft.training import Trained, train
from tests.models.tiny_model import CHATML, make_model
from tests.training.sft.made import TALK, THINKING, line, write

for _name in ("torch", "transformers", "peft", "trl"):
    pytest.importorskip(_name, reason="needs the extra `train`")

MARKED = CHATML.replace(
    "{{ m.content }}<|im_end|>",
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}"
    "{% else %}{{ m.content }}<|im_end|>{% endif %}",
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "base")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write(folder / "train.jsonl", "".join(line(TALK[: 3 + 2 * (n % 2)]) for n in range(10)))
    write(folder / "validation.jsonl", line() * 2)
    return folder


def config(base: Path, data: Path, **more: object) -> TrainConfig:
    values = {"base": str(base), "data": str(data), "batch_size": 2, "accumulate": 1}
    return make_config({**values, "epochs": 2, "save_every": 3, "rank": 4, **more}, "x.yaml")


def trained(wanted: TrainConfig, where: Path, *, resume: bool = False) -> tuple[Trained, str]:
    said: list[str] = []
    done = train(wanted, where, said.append, lambda step, steps, loss: None, resume=resume)
    return done, "\n".join(said)


def learnt(text: str, base: Path) -> str:
    """The text of the tokens that the loss counts in TALK, with the template `text`."""
    tokenizer = load_tokenizer(str(base), "base")
    tokenizer.chat_template = text
    example = encode([Dialogue(TALK, "x:1")], tokenizer, 500).examples[0]
    return str(tokenizer.decode([i for i, m in zip(example.ids, example.mask, strict=True) if m]))


@pytest.mark.parametrize("template", [CHATML, MARKED], ids=["compared", "marked"])
def test_only_the_replies_are_learnt(base: Path, template: str) -> None:
    assert learnt(template, base) == "Tell me more.<|im_end|>I am sorry.<|im_end|>"


def test_a_template_that_trl_knows(base: Path) -> None:
    folder = Path(str(import_module("trl").__file__)).parent / "chat_templates"
    qwen3 = (folder / "qwen3.jinja").read_text(encoding="utf-8")
    replies = [each["content"] for each in TALK if each["role"] == "assistant"]
    # It learns the line's end behind the end mark too.
    wanted = " ".join(f"<think> </think> {reply}<|im_end|>" for reply in replies)
    assert learnt(qwen3, base).split() == wanted.split()


def test_a_template_that_shows_nothing_is_an_error(base: Path) -> None:
    with pytest.raises(ConfigError, match="does not mark what the assistant says"):
        learnt(THINKING, base)


def test_a_dialogue_that_the_template_refuses(base: Path, tmp_path: Path) -> None:
    strict = CHATML.replace("not in ('system', 'user'", "not in ('user'")
    folder = make_model(tmp_path / "strict", template=strict)
    path = write(tmp_path / "train.jsonl", line(TALK[1:]) + line())
    with pytest.raises(ConfigError, match=r"train.jsonl:2: .*template refuses.*role: system"):
        trained(config(folder, path), tmp_path / "out")


def test_an_adapter_with_its_card(base: Path, data: Path, tmp_path: Path) -> None:
    where = tmp_path / "mix"
    done, said = trained(config(base, data, learning_rate=0.02), where)
    assert (done.step, done.steps, done.stopped) == (10, 10, None)
    assert done.losses["last"] < done.losses["first"] and "validation" in done.losses
    assert "train: 10 dialogues" in said
    files = {path.name for path in where.iterdir()}
    assert files >= {"adapter_config.json", "adapter_model.safetensors", "README.md", "loss.png"}
    assert files >= {"tokenizer.json", "chat_template.jinja", "metrics.jsonl", "training.json"}
    lines = Metrics(where / "metrics.jsonl").read()
    assert [step for step, _ in losses(lines)] == list(range(1, 11))
    assert [step for step, _ in losses(lines, "eval_loss")] == [5, 10]
    assert "| train | 10 dialogues" in (where / "README.md").read_text()
    with pytest.raises(ConfigError, match="this training has finished"):
        trained(config(base, data), where, resume=True)


def test_what_is_too_long_is_counted(base: Path, data: Path, tmp_path: Path) -> None:
    _, said = trained(config(base, data, max_length=100, epochs=1), tmp_path / "out")
    assert "over max_length (100): 5 dialogues shortened by" in said and "0 left out" in said
    with pytest.raises(ConfigError, match="in none of 10 dialogues does a reply end within 20"):
        trained(config(base, data, max_length=20), tmp_path / "other")


RUN = """
import os, signal, sys
from pathlib import Path
from emoharbor.models.hf_model import load_tokenizer
from emoharbor.training.sft.config import load_config
from emoharbor.training.sft.training import train

how, at = sys.argv[3], int(sys.argv[4])

def on_step(step, steps, loss):
    if step == at:
        os.kill(os.getpid(), getattr(signal, how))

done = train(load_config(Path(sys.argv[1])), Path(sys.argv[2]), print, on_step)
print(done)
"""


def ended(wanted: TrainConfig, where: Path, how: str, at: int) -> subprocess.CompletedProcess[str]:
    """A training in another process that gets the signal `how` once it has made step `at`."""
    values = wanted.model_dump(mode="json", exclude={"output", "threads"})
    path = write(where.parent / "sft.yaml", json.dumps(values))
    return subprocess.run(
        [sys.executable, "-c", RUN, str(path), str(where), how, str(at)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )


def test_a_killed_run_goes_on_as_if_nothing_had_been(
    base: Path, data: Path, tmp_path: Path
) -> None:
    wanted, where = config(base, data, dropout=0.2), tmp_path / "killed" / "out"
    assert ended(wanted, where, "SIGKILL", 8).returncode == -signal.SIGKILL
    assert len(losses(Metrics(where / "metrics.jsonl").read())) == 8
    with pytest.raises(ConfigError, match="has not finished; go on with --resume"):
        trained(wanted, where)
    done, said = trained(wanted, where, resume=True)
    assert "Going on after step 6 of 10." in said and done.step == 10
    trained(wanted, tmp_path / "whole")
    mended, whole = (
        dict(losses(Metrics(folder / "metrics.jsonl").read()))
        for folder in (where, tmp_path / "whole")
    )
    assert mended == pytest.approx(whole)
    weights = [folder / "adapter_model.safetensors" for folder in (where, tmp_path / "whole")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_a_signal_keeps_the_step_in_progress(base: Path, data: Path, tmp_path: Path) -> None:
    wanted, where = config(base, data), tmp_path / "stopped" / "out"
    done = ended(wanted, where, "SIGINT", 4)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Stopping after this step" in done.stdout
    assert "step=5, steps=10" in done.stdout and "stopped=2" in done.stdout
    _, said = trained(wanted, where, resume=True)
    assert "Going on after step 5 of 10." in said


def test_a_whole_model_answers_as_base_and_adapter(base: Path, data: Path, tmp_path: Path) -> None:
    torch, peft = import_module("torch"), import_module("peft")
    auto = import_module("transformers").AutoModelForCausalLM
    adapter, where = tmp_path / "adapter", tmp_path / "whole"
    trained(config(base, data, learning_rate=0.05, epochs=1), adapter)
    merge(adapter, where)
    ids = torch.tensor([[1, 2, 3, 4]])
    plain = auto.from_pretrained(str(base))
    before = plain(ids).logits
    both = peft.PeftModel.from_pretrained(plain, str(adapter)).eval()(ids).logits
    merged = auto.from_pretrained(str(where))(ids).logits
    assert torch.allclose(merged, both, atol=1e-4) and not torch.allclose(merged, before, atol=1e-2)
    assert {"tokenizer.json", "README.md"} <= {path.name for path in where.iterdir()}
    with pytest.raises(ConfigError, match="is not empty; name another folder with -o"):
        merge(adapter, where)
