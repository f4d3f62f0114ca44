"""docs/worst_case.md says of every control what it is meant to do, as the report has it."""

from __future__ import annotations

from itertools import pairwise

from emoharbor.reports.vary_measures import MEASURES
from emoharbor.runs.grid import SCALE_OF
from tests.runs.test_worst_case_page import rows


def test_what_is_meant_is_told() -> None:
    told = {
        (control, words.split(" ", 1)[0], measure, *levels)
        for control, words, between in rows("control", "is meant to bring")
        for measure in words.split(" ", 1)[1].split(", ")
        for levels in pairwise(between.split(", "))
    }
    meant = {
        (control, ("less", "", "more")[way + 1], measure.label.removesuffix(", %"), a, b)
        for measure in MEASURES
        for control, ranks in measure.meant.items()
        for a, b in pairwise(ranks)
        if (way := measure.direction(control, a, b))
    }
    assert told == meant


def test_every_level_that_is_meant_is_a_level() -> None:
    for measure in MEASURES:
        for control, ranks in measure.meant.items():
            assert [level for level in SCALE_OF[control] if level in ranks] == list(ranks)


def test_every_measure_is_told() -> None:
    assert [name for name, _ in rows("measure", "how")] == [measure.label for measure in MEASURES]
