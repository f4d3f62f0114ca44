"""The measures of Appendix E, each with its name, and the standard statistics beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from emoharbor.reports.reference import PublishedDiscrimination, published_discrimination
from emoharbor.sheets import Cell
from emoharbor.stats.anova import FTest, blocked, one_way
from emoharbor.stats.concordance import kendalls_w
from emoharbor.stats.discrimination import (
    Separated,
    as_printed,
    floor,
    paired_share,
    printed_f,
    standard_f,
    unpaired_share,
)

Row = Mapping[str, Cell | float | int | str]
STANDARD = "standard"


def measure_rows(table: pd.DataFrame, *, reference: bool, seed: int) -> Iterator[Row]:
    """A row a measure; what is undefined says why."""
    known = published_discrimination() if reference else None
    yield from _printed(table, known, seed)
    yield from _standard(table)
    for its, value in (
        (paired_share(table)[0], known.share if known else ""),
        (unpaired_share(table), ""),
    ):
        yield _shared(its, len(table.dropna(how="all")), value)
    # fmt: skip


def _printed(
    table: pd.DataFrame, known: PublishedDiscrimination | None, seed: int
) -> Iterator[Row]:
    its, noise = as_printed(table), floor(table, seed=seed)
    why = its.why or "too few people"

    def row(name: str, kind: str, value: float | None, published: float | None = None) -> Row:
        return {
            "measure": name,
            "kind": kind,
            "value": cell(value, why),
            "people": its.people,
            "published": "" if published is None else published,
        }

    drawn, shuffled = "F distribution", "shuffled"
    yield row("MSR", "eq. 11", its.msr, known.msr if known else None)
    yield row("  if all were equal: mean", drawn, noise.expected)
    yield row("  if all were equal: 95 % below", drawn, noise.high)
    yield row("  if all were equal: mean", shuffled, noise.shuffled)
    yield row("  if all were equal: 95 % below", shuffled, noise.shuffled_high)
    yield row("MAC", "eq. 12", its.mac, known.mac if known else None)
    yield row("F", "eq. 13", its.f, known.f if known else None)


def _standard(table: pd.DataFrame) -> Iterator[Row]:
    alone = one_way(table)
    yield _tested("F", alone.test)
    for name, value in (("η²", alone.eta2), ("ω²", alone.omega2), ("ICC(1)", alone.icc1)):
        yield {
            "measure": name,
            "kind": f"{STANDARD}, {alone.test.method}",
            "value": cell(value, alone.test.why),
            "people": alone.test.people,
        }
    yield _tested("F by person", blocked(table))
    agreed = kendalls_w(table)
    told = f"χ² {agreed.chi2:.1f}, df {agreed.df}, {p_text(agreed.p)}" if agreed.chi2 else ""
    yield {
        "measure": "Kendall's W",
        "kind": f"{STANDARD}, Friedman",
        "value": cell(agreed.w, agreed.why),
        "test": Cell(told, why=agreed.why if agreed.w is not None else ""),
        "people": agreed.people,
    }


def _tested(name: str, its: FTest) -> Row:
    told = ""
    if its.df is not None:
        told = f"df {its.df[0]}, {its.df[1]:,}, {p_text(its.p)}"
    if its.epsilon is not None:
        told += f"; Greenhouse-Geisser ε {its.epsilon:.2f}, {p_text(its.p_epsilon)}"
    return {
        "measure": name,
        "kind": f"{STANDARD}, {its.method}",
        "value": cell(its.f, its.why),
        "test": Cell(told, why=its.why if its.f is not None else ""),
        "people": its.people,
    }


def _shared(its: Separated, people: int, published: float | str) -> Row:
    told = f"{its.different} of {its.pairs} pairs"
    told += f", {its.untested} untested" if its.untested else ""
    return {
        "measure": "P",
        "kind": f"eq. 14, {its.method}",
        "value": cell(its.share, its.why),
        "test": told if its.share is not None else "",
        "people": people,
        "published": published,
    }


def cell(value: float | None, why: str) -> Cell:
    """A value, or why there is none."""
    return Cell(value) if value is not None else Cell(None, why=why)


def p_text(p: float | None) -> str:
    """A p to two digits, however small."""
    return "no p" if p is None else f"p {p:.2g}" if p >= 1e-16 else "p < 1e-16"


def printed_notes(table: pd.DataFrame, reference: bool) -> list[str]:
    """How the printed measures hang together with the standard ones, and with each other."""
    out = len(table) - len(table.dropna())
    notes = [
        "a rating is the mean of all dimensions over repeats; without a mark in one there is none",
        "equation 12 is MSR / (1 + MSR); equation 13 is (U - 1) / U of the one-way F, U people",
        "the one-way statistics and the Mann-Whitney test take one person's ratings for strangers'",
        "the one-way test treats every rating, F by person and the signed-rank test each person "
        "against themselves; a low W with a large F means that many people make up for discord",
    ]
    if out:
        notes.append(
            f"as printed and W want every rating: {out} of {len(table)} people are not in them; "
            "the other statistics use every rating there is"
        )
    if reference:
        known = published_discrimination()
        m, u = known.systems, known.users
        by_13, by_anova = printed_f(known.msr, m, u), standard_f(known.msr, m, u)
        notes.append(
            f"published (Table 2): with {m} systems and {u} users an MSR of {known.msr} gives an F "
            f"of {by_13:.1f} by equation 13 and {by_anova:.1f} by the one-way ANOVA, not "
            f"{known.f:.0f}; the test behind the published P is not named"
        )
    return notes
