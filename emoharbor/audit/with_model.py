"""An audit with a model: every dialogue read beside its profile, resumable as any run is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field, ValidationError

from emoharbor.agents.auditor import Auditor, Reading
from emoharbor.audit.reading import Corpus, Readings
from emoharbor.errors import ConfigError
from emoharbor.models.config import Sampling
from emoharbor.models.pool import spec_of
from emoharbor.models.spec import FINISHED_BOTS
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.runs.answers import Asked
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.inquiry import Inquiry, InquiryConfig, Question
from emoharbor.runs.seats import MakeModel
from emoharbor.state.profile import Language
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import changed, fault_of

KIND = "model-audit"
NODE = "auditor"
# Goes up when the agent or what its reply is held against changes.
AUDITOR_VERSION = 1
FOLDER = "audit"


class AuditConfig(InquiryConfig):
    """What run.yaml keeps. `source` is what is audited; `store`: it is a run in Redis, whose
    address is not kept. `limit` takes the first so many dialogues.
    """

    inquiry: str = KIND
    source: str
    store: bool = False
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    limit: Annotated[int, Field(ge=1)] | None = None


def audit_config(values: Mapping[str, Any], settings: Mapping[str, Any]) -> AuditConfig:
    """The configuration of these values with `settings` (dotted keys). Raises ConfigError."""
    try:
        config = AuditConfig.model_validate(changed(values, settings))
    except ValidationError as error:
        raise ConfigError(f"audit: {fault_of(error, AuditConfig)}") from error
    spec = spec_of(config.model)
    if spec.provider in FINISHED_BOTS:
        raise ConfigError(f"{spec} is a finished bot, which audits nothing: name a model")
    return config


def folder_of(source: Path, config: AuditConfig) -> Path:
    """Where readings of `source` are kept: in the run, or beside the other runs; by the model."""
    name = re.sub(r"[^\w.-]+", "-", spec_of(config.model).model).strip("-.")
    if (source / "run.yaml").is_file():
        return source / FOLDER / name
    return Path("runs") / f"{FOLDER}-{source.stem}-{name}"


def make_audit(config: AuditConfig, corpus: Corpus, make_model: MakeModel) -> Inquiry:
    """A question a dialogue that did not fail and in which the user speaks, person by person.

    Raises ConfigError and PromptError.
    """
    records = [r for r in corpus.records if not r.failure and any(m.role == "user" for m in r.h_s)]
    records.sort(key=lambda r: (r.repeat, r.profile, r.supporter))
    model = make_model(config.model, Sampling(temperature=config.temperature))
    auditors, hashes = dict[Language, Auditor](), dict[str, str]()
    for language in get_args(Language):
        prompts = {name: load_prompt(name, language) for name in ("auditor", "repair")}
        auditors[language] = Auditor(model, prompts["auditor"], prompts["repair"])
        hashes |= {f"{name}.{language}": prompt.hash for name, prompt in prompts.items()}
    asked = {"version": AUDITOR_VERSION, "temperature": config.temperature, "prompts": hashes}
    questions = tuple(
        _question(config, corpus, record, auditors[record.language])
        for record in records[: config.limit]
    )
    spec = {"model": config.model.spec}
    return Inquiry(config.values, {NODE: config.model}, {**spec, **asked}, questions)


def _question(
    config: AuditConfig, corpus: Corpus, record: DialogueRecord, auditor: Auditor
) -> Question:
    profile = (corpus.people or {}).get(record.profile)
    words = "\n".join(record.imported.person) if record.imported else ""
    said = [[message.role, message.text] for message in record.h_s]
    return Question(
        key=record.name,
        node=NODE,
        seed=int(digest([config.seed, record.name]), 16) >> 17,
        about={"dialogue": record.name, "language": record.language},
        shape=[said, auditor.person(profile, words), *_hashes(auditor)],
        ask=partial(auditor, record.h_s, profile, words),
    )


def _hashes(auditor: Auditor) -> list[str]:
    prompts: tuple[Prompt, ...] = (auditor.prompt, auditor.repair)
    return [prompt.hash for prompt in prompts]


def readings_of(config: AuditConfig, asked: Asked) -> Readings:
    """What came of the questions."""
    failures = {r.key: r.failure for r in asked.failed if r.failure}
    return Readings(
        by=config.model.spec or "",
        read={r.key: Reading.model_validate(r.answer) for r in asked.answers},
        failed={key: f.cause or f.error for key, f in failures.items()},
        left=asked.left,
    )
