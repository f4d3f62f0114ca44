"""What an agreement study says in words: first of all whether people agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from emoharbor.frames.labels import label_of
from emoharbor.reports.agreement_study import Study
from emoharbor.stats.agreement import RELIABLE, TENTATIVE, Grade
from emoharbor.stats.correlation import FEWEST_DRAWS, PAIRS

GRADES: dict[Grade, str] = {
    "unknown": "unknown",
    "none": "no agreement",
    "weak": f"weak (< {TENTATIVE})",
    "tentative": f"tentative (< {RELIABLE})",
    "reliable": "reliable",
}
FEW_PEOPLE = 20


def headline(study: Study) -> list[str]:
    """Whether people agree, and what a judge's figures are then worth; worst first."""
    graded: dict[Grade, list[str]] = {}
    for name, among in study.people.items():
        graded.setdefault(among.grade, []).append(name)
    said = {
        "none": "PEOPLE DO NOT AGREE AMONG THEMSELVES on {which}: Krippendorff's α (ordinal) "
        "{range}, and {every} interval reaches 0 or below, as chance would. No judge can be "
        "validated on these marks, whatever its figures are.",
        "weak": "People agree only weakly on {which}: α {range}, under "
        f"{TENTATIVE}, below which Krippendorff draws no conclusion, not even a tentative one. "
        "Read a judge's figures beside the ceiling, and as no validation.",
        "tentative": "People agree enough for tentative conclusions on {which}: α {range}, under "
        f"{RELIABLE}.",
        "reliable": "People agree on {which}: α {range}.",
        "unknown": "Whether people agree on {which} cannot be known ({why}): the figures say how "
        "a judge follows these marks, and nothing says how a person would.",
    }
    grades: tuple[Grade, ...] = ("none", "weak", "unknown", "tentative", "reliable")
    return [
        said[grade].format(
            which=_which(study, graded[grade], "any of the" if grade == "none" else "all"),
            range=_range(study, graded[grade]),
            every="every" if len(graded[grade]) > 1 else "its",
            why=study.people[graded[grade][0]].alpha.why.partition(":")[0],
        )
        + (_order(study, graded[grade]) if grade == "none" else "")
        for grade in grades
        if grade in graded
    ]


def verdict(study: Study) -> str:
    """The same in a few words, for a title."""
    found = Counter(among.grade for among in study.people.values())
    many = len(study.people)
    if found["none"] == many:
        return "none"
    if found["none"]:
        return f"none on {found['none']} of {many} dimensions"
    if found["unknown"] == many:
        return "unknown"
    return f"under {TENTATIVE} on {found['weak']} of {many} dimensions" if found["weak"] else "seen"


def how(study: Study, seed: int, draws: int) -> Iterator[str]:
    """How intervals were made."""
    many, items = len(set(study.panels.clusters.tolist())), len(study.panels.items)
    who = "people who sought support" if study.panels.by == "person" else "items"
    yield f"[…]: 95 % intervals, percentiles of {draws} draws of {many} {who}, seed {seed}"
    if many < FEW_PEOPLE:
        yield f"under {FEW_PEOPLE} {who}: intervals are rough, and rather too narrow"
    paired = min(draws, max(FEWEST_DRAWS, PAIRS // items**2))
    if paired < draws:
        yield f"Kendall's τ-b: {paired} draws, its pairs being many"
    if study.within_rater:
        yield (
            "within raters: all marks less the rater's own mean, the judge's less its mean over "
            "the same items; α, bias and variances are of the marks as given"
        )


def missing(ratings: pd.DataFrame) -> Iterator[str]:
    """What has no score, and why; people's and judges' apart."""
    gone = ratings[ratings["score"].isna()]
    for judge, its in gone.groupby(gone["rater_kind"] == "judge"):
        whys = Counter(why or "left empty" for why in its["missing"])
        told = ", ".join(f"{n} ({why})" for why, n in whys.most_common())
        yield f"missing marks of {'judges' if judge else 'people'}, in no figure: {told}"


def raters(ratings: pd.DataFrame) -> str:
    """Who the people are."""
    people = ratings[(ratings["rater_kind"] != "judge") & ratings["score"].notna()]
    each = people.groupby("rater_kind", sort=False)["rater_id"].nunique()
    told = ", ".join(f"{n} {kind}" for kind, n in each.items())
    return f"people: {told}; {len(people)} marks of {people['item_id'].nunique()} items"


def apart(ratings: pd.DataFrame) -> Iterator[str]:
    """What people and judges do not share: items and dimensions."""
    judged = ratings[ratings["rater_kind"] == "judge"]
    people = ratings[(ratings["rater_kind"] != "judge") & ratings["score"].notna()]
    if judged.empty:
        return
    marked = set(people["item_id"])
    for (name, strategy), its in judged.groupby(["rater_id", "strategy"]):
        theirs = set(its["item_id"])
        who = f"{name}, {strategy}" if strategy else str(name)
        if not theirs & marked:
            yield (
                f"{who} judged none of the {len(marked)} items that people marked: its items are "
                f"named like {min(theirs)}, people's like {min(marked)}"
            )
        elif len(theirs & marked) < max(len(theirs), len(marked)):
            yield (
                f"{who} judged {len(theirs & marked)} of the {len(marked)} items that people "
                f"marked, and {len(theirs - marked)} others, which are left out"
            )
    alone = [d for d in judged["dimension"].unique() if d not in set(people["dimension"])]
    if alone:
        yield f"judged, but marked by nobody, and left out: {_named(alone)}"


def _order(study: Study, names: Sequence[str]) -> str:
    """What is left: people may mark at other heights, and order items a little alike."""
    found = [study.people[name].ceiling["pearson"].interval() for name in names]
    alike = [one.value for one in found if one.value is not None and (one.low or 0) > 0]
    if not alike:
        return ""
    said = f" On {len(alike)} of these, one person's order follows the others' a little (r up to "
    said += f"{max(alike):.2f}), at another height of the scale"
    return said + ("." if study.within_rater else "; --within-rater looks at the order.")


def _which(study: Study, names: Sequence[str], every: str) -> str:
    if len(names) == len(study.people):
        return f"{every} {len(names)} dimensions" if len(names) > 1 else _named(names)
    return f"{len(names)} of {len(study.people)} dimensions ({_named(names)})"


def _named(names: Sequence[str]) -> str:
    return ", ".join(label_of(name).short for name in names)


def _range(study: Study, names: Sequence[str]) -> str:
    known = [study.people[name].alpha.value for name in names]
    values = sorted(value for value in known if value is not None)
    if not values:
        return ""
    if len(values) == 1:
        return f"is {values[0]:+.2f}"
    return f"lies between {values[0]:+.2f} and {values[-1]:+.2f}"
