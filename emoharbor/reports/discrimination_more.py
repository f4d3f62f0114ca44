"""Beside the measures: by dimension, how many people are needed, how firm the ranking is, gaps."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from emoharbor.frames.labels import label_of
from emoharbor.reports.discrimination_measures import Row, cell, p_text
from emoharbor.reports.settings import Measured
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.anova import one_way
from emoharbor.stats.concordance import kendalls_w
from emoharbor.stats.discrimination import as_printed, paired_share
from emoharbor.stats.pairwise import ALPHA
from emoharbor.stats.power import EFFICIENCY, POWER, people_needed, spread
from emoharbor.stats.stability import stability

DIFFERENCES = (0.1, 0.2, 0.3)


def dimension_sheet(tables: Mapping[str, pd.DataFrame]) -> Sheet:
    """The main measures of each dimension by itself."""
    columns = (
        Column("dimension", "dimension"), Column("people", "people"), Column("msr", "MSR", 3),
        Column("mac", "MAC", 3), Column("printed", "F, eq. 13", 1), Column("f", "F, one-way", 1),
        Column("p", "p"), Column("omega2", "ω²", 3), Column("icc", "ICC(1)", 3),
        Column("w", "W", 3), Column("share", "P, paired", 2),
    )  # fmt: skip
    rows = tuple(_dimension(key, table) for key, table in tables.items())
    notes = ("P: signed-rank test over people, Benjamini-Hochberg within the dimension",)
    return Sheet("discrimination-dimensions", "By dimension", columns, rows, notes)


def _dimension(key: str, table: pd.DataFrame) -> Row:
    printed, alone = as_printed(table), one_way(table)
    agreed, share = kendalls_w(table), paired_share(table)[0]
    p, why = alone.test.p, alone.test.why
    return {
        "dimension": label_of(key).short,
        "people": len(table.dropna(how="all")),
        "msr": cell(printed.msr, printed.why),
        "mac": cell(printed.mac, printed.why),
        "printed": cell(printed.f, printed.why),
        "f": cell(alone.test.f, alone.test.why),
        "p": Cell(None, why=why) if p is None else p_text(p).removeprefix("p "),
        "omega2": cell(alone.omega2, alone.test.why),
        "icc": cell(alone.icc1, alone.test.why),
        "w": cell(agreed.w, agreed.why),
        "share": cell(share.share, share.why),
    }  # fmt: skip


def power_sheet(table: pd.DataFrame) -> Sheet:
    """How many people separate two supporters that differ by so much."""
    its = spread(table)
    pairs = max(its.pairs, 1)
    columns = (
        Column("difference", "difference", 1), Column("typical", "people"),
        Column("strict", "people, strictest"), Column("widest", "people, widest pair"),
    )  # fmt: skip
    rows: list[Row] = []
    for one in DIFFERENCES:
        typical, widest = its.typical, its.widest
        if typical and widest:
            rows.append(
                {
                    "difference": one,
                    "typical": people_needed(one, typical),
                    "strict": people_needed(one, typical, alpha=ALPHA / pairs),
                    "widest": people_needed(one, widest),
                }
            )
        else:
            why = Cell(None, why=its.why or "the pair in the middle does not vary")
            rows.append({"difference": one, "typical": why, "strict": why, "widest": why})
    notes = [
        f"two-sided signed-rank test, power {POWER:.0%}, α {ALPHA}: the people of a paired t-test "
        f"divided by {EFFICIENCY:.3f}, the asymptotic relative efficiency for normal differences"
    ]
    if its.typical and its.widest:
        notes.append(
            f"standard deviation of paired differences: {its.typical:.2f} in the middle of "
            f"{its.pairs} pairs, {its.widest:.2f} in the widest; strictest is with α / {pairs}, "
            "the hardest step of the correction for so many pairs"
        )
    return Sheet("power", "People needed to tell two apart", columns, tuple(rows), tuple(notes))


def stability_sheet(table: pd.DataFrame, seed: int) -> Sheet:
    """The rank of each supporter, and where it falls with other people."""
    its = stability(table, seed=seed)
    columns = (
        Column("supporter", "supporter"), Column("mean", "mean"), Column("rank", "rank"),
        Column("low", "from"), Column("high", "to"),
    )  # fmt: skip
    title = "Would other people rank alike"
    if its.same_top is None:
        return Sheet("stability", title, columns, (), (its.why,))
    places = sorted(its.places.items(), key=lambda one: one[1].rank)
    rows: tuple[Row, ...] = tuple(
        {
            "supporter": name,
            "mean": place.mean,
            "rank": place.rank,
            "low": place.low,
            "high": place.high,
        }
        for name, place in places
    )
    tau = f"{its.tau:.2f}" if its.tau is not None else "undefined: all means are the same"
    notes = (
        f"first: {', '.join(its.top)}, and so in {its.same_top:.0%} of {its.draws:,} draws of "
        f"people (seed {seed}); mean Kendall τ between a draw's ranking and this one: {tau}",
        "from, to: the ranks of 95 % of the draws; equals share the better rank",
    )
    return Sheet("stability", title, columns, rows, notes)


def missing_sheet(found: Measured, table: pd.DataFrame) -> Sheet | None:
    """Who has no rating of whom, and why; None when every person rated every supporter."""
    rows: list[Row] = []
    for supporter in found.supporters:
        mine = found.dialogues[found.dialogues["supporter"] == supporter]
        rated = set(table.index[table[supporter].notna()]) if supporter in table else set()
        reasons: dict[str, list[str]] = {}
        for person in table.index:
            if person not in rated:
                states = set(mine.loc[mine["profile"] == person, "state"])
                reasons.setdefault(_reason(states), []).append(str(person))
        rows += [
            {"supporter": supporter, "why": why, "many": len(who), "people": ", ".join(who)}
            for why, who in reasons.items()
        ]
    columns = (
        Column("supporter", "supporter"), Column("why", "why"), Column("many", "ratings missing"),
        Column("people", "people"),
    )  # fmt: skip
    return Sheet("missing", "Missing ratings", columns, tuple(rows)) if rows else None


def _reason(states: set[str]) -> str:
    if "judged" in states:
        return "a dimension is unscored"
    for state, why in (("failed", "failed"), ("unjudged", "not judged")):
        if state in states:
            return why
    return "no such dialogue"
