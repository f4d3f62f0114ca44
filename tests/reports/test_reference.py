"""The published tables as they ship."""

from __future__ import annotations

from statistics import fmean

import pytest

from emoharbor.reports.reference import odd_rows, published, published_discrimination
from emoharbor.state.profile import Language


@pytest.mark.parametrize("language, systems", [("zh", 20), ("en", 17)])
def test_printed_averages_are_those_of_the_ten_but_for_one(
    language: Language, systems: int
) -> None:
    rows = published(language)
    assert len(rows) == systems and all(len(row.marks) == 10 for row in rows)
    odd = [row.name for row in rows if round(fmean(row.marks.values()) - row.printed, 3) > 0.005]
    odd += [row.name for row in rows if round(fmean(row.marks.values()) - row.printed, 3) < -0.005]
    assert odd == ([] if language == "zh" else ["Llama-3-8B-Instruct"])
    assert [row.name for row in rows if not row.follows] == odd


def test_the_odd_row_is_pointed_out() -> None:
    assert odd_rows("zh") == []
    (told,) = odd_rows("en")
    assert "Table 5, Llama-3-8B-Instruct" in told
    assert "3.04 is printed" in told and "3.029" in told


def test_a_row_as_it_is_printed() -> None:
    (one,) = (row for row in published("zh") if row.name == "Gemini-2.5-Pro")
    assert (one.printed, one.group, one.reasoning) == (4.12, "Closed-Source", True)
    assert one.marks["empathetic"] == 4.45
    assert one.marks["response_appropriateness"] == 3.61
    assert one.marks["redundancy"] == 3.96


def test_table_2_as_it_is_printed() -> None:
    its = published_discrimination()
    assert (its.msr, its.mac, its.f, its.share) == (0.745, 0.427, 112, 0.87)
    assert (its.systems, its.users) == (20, 100)
    assert its.mac == pytest.approx(its.msr / (1 + its.msr), abs=0.0005)
