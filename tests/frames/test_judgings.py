"""A later judging is named by its folder, or by any part that fits one alone."""

from __future__ import annotations

import pandas as pd
import pytest

from emoharbor.frames.judgings import judging_meant

SCORES = pd.DataFrame({"judging": ["", "gpt-4o--standard--ten", "gpt-4o--user_aware--ten", "gpt"]})


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("standard", "gpt-4o--standard--ten"),
        ("gpt", "gpt"),
        ("gpt-4o", "gpt-4o"),
        ("standart", "standart"),
        ("", ""),
    ],
)
def test_a_part_that_fits_one_alone_is_enough(wanted: str, found: str) -> None:
    assert judging_meant(SCORES, wanted) == found
