"""Which later judge's marks are meant."""

from __future__ import annotations

import pandas as pd

from emoharbor.errors import ConfigError, nearest


def judging_meant(scores: pd.DataFrame, wanted: str) -> str:
    """The judging of `scores` that `wanted` names: whole, or by a part that fits one alone.

    `wanted` itself where it fits none or several.
    """
    known = {str(name) for name in scores["judging"].unique()} - {""}
    fitting = [name for name in known if wanted in name]
    return fitting[0] if wanted and wanted not in known and len(fitting) == 1 else wanted


def prefix_judging(scores: pd.DataFrame, wanted: str | None) -> str | None:
    """The judging of `scores` that has prefixes; `wanted` chooses one by its folder's name
    or a part of it.

    None where there is none and none is wanted. Raises ConfigError where the wanted one has no
    prefixes, or where several have and none is wanted.
    """
    known = [str(name) for name in scores.loc[scores["upto"].notna(), "judging"].unique()]
    if wanted is not None:
        wanted = judging_meant(scores, wanted)
        if wanted not in known:
            raise ConfigError(
                f"--judging {wanted}: no prefixes are judged so{nearest(wanted, known)}"
            )
        return wanted
    if len(known) > 1:
        raise ConfigError(
            f"prefixes are judged by several: choose one with --judging {' | '.join(known)}"
        )
    return known[0] if known else None
