"""The EmoHarbor paper's Table 1: how judges correlated with people there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from emoharbor.ratings import dimension_key
from emoharbor.stats.panels import Who

FILE = Path(__file__).parents[1] / "data" / "reference" / "table1_pearson.yaml"


@dataclass(frozen=True)
class Published:
    """Table 1: its source, and Pearson's r of each judge and strategy by dimension."""

    source: str
    rows: dict[Who, dict[str, float]]


@cache
def table1() -> Published:
    """The table that comes with the package."""
    found = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    keys = [dimension_key(name) or name for name in found["dimensions"]]
    rows = {
        (row["judge"], row["strategy"]): dict(zip(keys, row["pearson"], strict=True))
        for row in found["rows"]
    }
    return Published(found["source"], rows)
