"""`step`: its flags, and where the dialogue comes from.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags

if TYPE_CHECKING:
    from emoharbor.suite import Suite


def step(
    suite: Annotated[
        str, typer.Argument(help="A suite, its YAML file, or a run's folder to go on with.")
    ],
    profile: Annotated[str | None, typer.Option(help="The person's id (the first one).")] = None,
    supporter: flags.Supporters = [],  # noqa: B006
    model: flags.Model = None,
    judge: flags.Judge = None,
    language: flags.LanguageName = None,
    profiles: flags.Profiles = None,
    turns: flags.Turns = None,
    seed: flags.Seed = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Run folder (runs/step-SUITE-PROFILE).")
    ] = None,
    settings: flags.Settings = [],  # noqa: B006
    store: flags.Store = None,
) -> None:
    """Play one dialogue node by node: look at it, edit it, swap agents, go on or leave."""
    plain = {"language": language, "profiles": profiles, "max_turns": turns, "seed": seed}
    changes = {"supporters": supporter, "model": model, "judge": judge, "settings": settings}
    if _is_run(suite, store):
        where = folder or Path(suite)
        given = any(v not in (None, []) for v in (*plain.values(), *changes.values(), profile))
        if given or where != Path(suite):
            raise ConfigError(
                f"{suite} is a run and goes on as it is: its agents are swapped at the prompt, "
                "with w NODE KEY=VALUE"
            )
        resolved = asyncio.run(_suite_of(where, store))
    else:
        resolved, person = _one(suite, profile, changes, plain)
        where = folder or Path("runs") / f"step-{resolved.name}-{person}"
    from emoharbor.verbs.session import play

    play(resolved, where, store)


def _is_run(name: str, store: str | None) -> bool:
    from emoharbor.suite import shipped_suites

    if name.endswith((".yaml", ".yml")) or name in shipped_suites():
        return False
    return store is not None or Path(name).is_dir()


async def _suite_of(run: Path, store: str | None) -> Suite:
    from emoharbor.runs.stepping import suite_of

    return await suite_of(run, store)


def _one(
    name: str, profile: str | None, changes: dict[str, Any], plain: dict[str, Any]
) -> tuple[Suite, str]:
    """The suite of one dialogue, and whose it is."""
    from emoharbor.flags import suite_from_flags
    from emoharbor.profiles import load_profiles
    from emoharbor.runs.stepping import one_dialogue

    suite = one_dialogue(suite_from_flags(name, plain=plain, **changes), profile)
    return suite, load_profiles(suite.profiles)[0].id
