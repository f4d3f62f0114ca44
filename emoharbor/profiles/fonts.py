"""A font that has every character of some labels; none is drawn as an empty box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from emoharbor.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

OWN = "DejaVu Sans"  # comes with matplotlib
# Families in which simplified Chinese is well drawn, the most liked first, as parts of file names.
LIKED = (
    "notosanscjksc", "notosanssc", "sourcehansans", "notosanscjk", "pingfang", "hiragino",
    "msyh", "wqy", "simhei", "stheiti",
)  # fmt: skip


def families(texts: Iterable[str]) -> list[str]:
    """Names of font families that together have all characters of `texts`.

    Raises ConfigError with the characters that no installed font has.
    """
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    wanted = {ord(each) for text in texts for each in text if not each.isspace()}
    missing = wanted - set(FT2Font(font_manager.findfont(OWN)).get_charmap())
    if not missing:
        return [OWN]
    least = missing
    for path, font in _installed():
        lacking = missing - set(font.get_charmap())
        if not lacking:
            # Not every installed font is in matplotlib's own list, which it keeps for long.
            font_manager.fontManager.addfont(path)
            return [OWN, font.family_name]
        least = min(least, lacking, key=len)
    shown = " ".join(f"{chr(code)} (U+{code:04X})" for code in sorted(least)[:5])
    raise ConfigError(
        f"no installed font has all characters of the labels ({shown}): install one that does, "
        "for Chinese as with `apt install fonts-noto-cjk`"
    )


def _installed() -> Iterator[tuple[str, FT2Font]]:
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    for path in sorted(font_manager.findSystemFonts(), key=_liking):
        try:
            yield path, FT2Font(path)
        except RuntimeError:
            continue  # no outlines in it, so nothing to draw with


def _liking(path: str) -> tuple[int, bool, str]:
    """Liked families first, regular weights before others."""
    name = path.lower().replace("-", "").replace("_", "")
    rank = next((i for i, liked in enumerate(LIKED) if liked in name), len(LIKED))
    return rank, "regular" not in name, path
