"""How many people it takes to tell two supporters apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from emoharbor.stats.extra import needs_stats
from emoharbor.stats.pairwise import ALPHA, DIGITS, FEWEST

if TYPE_CHECKING:
    import pandas as pd

POWER = 0.8
# How far the signed-rank test stands behind Student's t where differences are normal (Pitman's
# asymptotic relative efficiency); it is ahead where they have heavy tails.
EFFICIENCY = 3 / math.pi


@dataclass(frozen=True)
class Spread:
    """The standard deviations of paired differences: of a pair in the middle, and the widest.

    None, with `why`, where no pair has FEWEST people in common or nobody's ratings differ.
    """

    typical: float | None
    widest: float | None
    pairs: int
    why: str = ""


def spread(table: pd.DataFrame) -> Spread:
    """How much the differences between two columns of `table` vary from person to person."""
    differences = ((table[b] - table[a]).dropna() for a, b in combinations(table.columns, 2))
    deviations = [round(float(d.std()), DIGITS) for d in differences if len(d) >= FEWEST]
    if not deviations:
        return Spread(None, None, 0, f"no two supporters have {FEWEST} people in common")
    if not any(deviations):
        return Spread(None, None, len(deviations), "the differences do not vary: nothing to plan")
    ordered = sorted(deviations)
    typical = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return Spread(typical, ordered[-1], len(ordered))


def people_needed(
    difference: float, deviation: float, *, alpha: float = ALPHA, power: float = POWER
) -> int:
    """People for a two-sided signed-rank test to see `difference` with this power.

    Those of the paired t-test, divided by EFFICIENCY; FEWEST at least. `deviation` is that of the
    paired differences, in the same unit, and above 0. Raises ConfigError without statsmodels.
    """
    try:
        from statsmodels.stats.power import TTestPower
    except ImportError as error:
        raise needs_stats(error) from error
    effect: float = abs(difference) / deviation
    test: Any = TTestPower()  # type: ignore[no-untyped-call]
    if test.power(effect, FEWEST * EFFICIENCY, alpha) >= power:
        return FEWEST
    n = test.solve_power(effect_size=effect, alpha=alpha, power=power)
    return math.ceil(round(float(n) / EFFICIENCY, DIGITS))
