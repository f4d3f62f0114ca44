"""Agents of installed packages, by the entry points of their metadata."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from emoharbor.agents.resolve import build, find, source_version
from emoharbor.errors import ConfigError
from tests.agents.own_code import install
from tests.here import emoharbor

STOIC = {"thinker.stoic": "stoic_minds:StoicThinker"}
ECHO = ("--supporter", "bot=scripted:echo", "--model", "scripted:echo", "--turns", "1")


def test_a_packages_agent_has_a_short_name(site: Path) -> None:
    install(site, "stoic-minds", STOIC)
    agent = build("thinker", "stoic", {"calm": 2}, lambda name, kind: NotImplemented)
    assert type(agent).__name__ == "StoicThinker" and agent.calm == 2
    version = source_version("thinker", "stoic") or ""
    assert version.startswith("stoic-minds 1.2 ") and len(version.split()[-1]) == 12


def test_it_is_offered_to_its_own_node_alone(site: Path) -> None:
    install(site, "stoic-minds", STOIC)
    with pytest.raises(ConfigError, match="talker: no agent 'stoic'"):
        find("talker", "stoic")
    with pytest.raises(ConfigError, match="did you mean 'stoic'"):
        find("thinker", "stoik")


def test_a_name_that_is_built_in_is_refused_with_both(site: Path) -> None:
    install(site, "stoic-minds", {"thinker.none": "stoic_minds:StoicThinker", **STOIC})
    with pytest.raises(ConfigError) as told:
        find("thinker", "none")
    assert "the built-in emoharbor.agents.thinker:no_thinker" in str(told.value)
    assert "stoic-minds 1.2 (stoic_minds:StoicThinker)" in str(told.value)
    assert find("thinker", "stoic").__name__ == "StoicThinker"


def test_two_packages_with_one_name_are_refused_with_both(site: Path) -> None:
    install(site, "stoic-minds", STOIC)
    install(site, "other-minds", {"thinker.stoic": "other_minds:StoicThinker"})
    with pytest.raises(ConfigError, match="stoic-minds 1.2.*other-minds 1.2|other.*stoic-minds"):
        find("thinker", "stoic")


def test_one_that_does_not_fit_or_load_is_refused(site: Path) -> None:
    entries = {"talker.stoic": "stoic_minds:StoicThinker", "talker.gone": "stoic_minds:Gone"}
    install(site, "stoic-minds", entries)
    with pytest.raises(ConfigError, match="talker: stoic does not fit\n.*wanted.*\n.*found"):
        find("talker", "stoic")
    with pytest.raises(ConfigError, match="talker: cannot import stoic_minds:Gone"):
        find("talker", "gone")


def test_a_run_has_the_packages_agent_and_its_version(site: Path) -> None:
    install(site, "stoic-minds", STOIC)
    use = ("--set", "agents.thinker={use: stoic, calm: 3}", "--limit", "1", "--out", "run")
    done = emoharbor("run", "emoharbor", *ECHO, *use, cwd=site.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((site.parent / "run" / "records.jsonl").read_text(encoding="utf-8"))
    assert [item["emotion"] for item in record["h_u"] if item["kind"] == "appraisal"] == ["calm 3"]
    assert "stoic-minds 1.2 " in (site.parent / "run" / "run.yaml").read_text(encoding="utf-8")


def test_another_version_of_the_package_is_another_configuration(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = ("--set", "agents.thinker={use: stoic}", "--limit", "1", "--out", "run")
    for version, code in (("1.2", 0), ("1.3", 2)):
        install(mine / version, "stoic-minds", STOIC, version)
        monkeypatch.syspath_prepend(str(mine / version))
        done = emoharbor("run", "emoharbor", *ECHO, *use, cwd=mine)
        assert done.returncode == code, done.stdout + done.stderr
    assert "stoic-minds 1.2" in done.stderr and "stoic-minds 1.3" in done.stderr
