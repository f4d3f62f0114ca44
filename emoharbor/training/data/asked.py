"""What is asked of an export: which dialogues, how many of which arm, and in which form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.risk import RISKS
from emoharbor.state.profile import Frozen, Language
from emoharbor.state.verdict import EndingReason
from emoharbor.training.data.dialogue import Arm
from emoharbor.training.data.formats import FORMATS, FormatName

RecipeName = Literal["average", "worst", "mix"]
ARMS: Mapping[RecipeName, tuple[Arm, ...]] = {
    "average": ("average",),
    "worst": ("worst",),
    "mix": ("average", "worst"),
}
ENDINGS: tuple[EndingReason, ...] = get_args(EndingReason)
LANGUAGES: tuple[Language, ...] = get_args(Language)
NO_RISK = "none"
T = TypeVar("T", bound=str)


class Wanted(Frozen):
    """Which dialogues; what is None or empty lets every one pass.

    `min_mean` and `least`, by dimension, are marks from 1 to 5; `fewest` and `most` are exchanges;
    `risk` are flags of the profile, or "none".
    """

    min_mean: float | None = None
    least: dict[str, float] = {}
    endings: tuple[EndingReason, ...] = ()
    fewest: int | None = None
    most: int | None = None
    language: Language | None = None
    risk: tuple[str, ...] = ()
    supporters: tuple[str, ...] = ()


class Asked(Frozen):
    """An export. `counts` are dialogues an arm, or all in all under "all"; `validation` a share.

    With `recipe` None every dialogue that is wanted is taken, of whatever suite.
    """

    form: FormatName = "chat"
    wanted: Wanted = Wanted()
    recipe: RecipeName | None = None
    counts: dict[str, Annotated[int, Field(ge=1)]] = {}
    validation: Annotated[float, Field(ge=0, lt=1)] = 0.1
    seed: int = 0
    drop_overlap: bool = False
    inner_states: bool = False


def asked_from_flags(
    form: str,
    wanted: Wanted,
    recipe: str | None = None,
    count: str | None = None,
    *,
    validation: float = 0.1,
    seed: int = 0,
    drop_overlap: bool = False,
    inner_states: bool = False,
) -> Asked:
    """An export as the command line has it. Raises ConfigError that names the flag."""
    name, counts = _recipe(recipe, count)
    if not 0 <= validation < 1:
        raise ConfigError(f"--validation {validation:g}: a share from 0 to below 1 is wanted")
    return Asked(
        form=_one_of("--format", form, tuple(FORMATS)),
        wanted=wanted,
        recipe=name,
        counts=counts,
        validation=validation,
        seed=seed,
        drop_overlap=drop_overlap,
        inner_states=inner_states,
    )


def wanted_from_flags(
    min_mean: float | None = None,
    least: Sequence[str] = (),
    endings: Sequence[str] = (),
    exchanges: str | None = None,
    language: str | None = None,
    risk: str | None = None,
    supporters: Sequence[str] = (),
) -> Wanted:
    """The filters as the command line has them. Raises ConfigError that names the flag."""
    if min_mean is not None:
        _mark("--min-mean", str(min_mean))
    fewest, most = _range(exchanges)
    flags = tuple(risk.split(",")) if risk else ()
    return Wanted(
        min_mean=min_mean,
        least=dict(_least(text) for text in least),
        endings=tuple(_one_of("--ending", text, ENDINGS) for text in endings),
        fewest=fewest,
        most=most,
        language=None if language is None else _one_of("--language", language, LANGUAGES),
        risk=tuple(_one_of("--risk", flag, (*RISKS, NO_RISK)) for flag in flags),
        supporters=tuple(supporters),
    )


def _recipe(recipe: str | None, count: str | None) -> tuple[RecipeName | None, dict[str, int]]:
    """The recipe and its counts: `--count 100`, or of a mix `--count average=60,worst=40`."""
    name = None if recipe is None else _one_of("--recipe", recipe, tuple(ARMS))
    if count is None:
        return name, {}
    if re.fullmatch(r"[1-9]\d*", count):
        return name, {"all": int(count)}
    parts = [part.strip().partition("=") for part in count.split(",")]
    counts = {arm: int(number) for arm, _, number in parts if re.fullmatch(r"[1-9]\d*", number)}
    if len(counts) != len(parts) or name is None or set(counts) != set(ARMS[name]):
        raise ConfigError(
            f"--count {count}: a number is wanted, or with --recipe mix as in average=60,worst=40"
        )
    return name, counts


def _range(text: str | None) -> tuple[int | None, int | None]:
    if text is None:
        return None, None
    found = re.fullmatch(r"(\d*)(-?)(\d*)", text)
    if not found or not (found[1] or found[3]):
        raise ConfigError(f"--exchanges {text}: a number or a range is wanted, as 4-20, 4- or -20")
    low = int(found[1]) if found[1] else None
    high = (int(found[3]) if found[3] else None) if found[2] else low
    if low is not None and high is not None and low > high:
        raise ConfigError(f"--exchanges {text}: no dialogue is that long and that short")
    return low, high


def _least(text: str) -> tuple[str, float]:
    dimension, equals, value = text.partition("=")
    if not equals or not dimension:
        raise ConfigError(f"--min-score {text}: DIMENSION=MARK is wanted, as in empathetic=4")
    return dimension.strip(), _mark("--min-score", value, text)


def _mark(flag: str, value: str, text: str | None = None) -> float:
    try:
        mark = float(value)
    except ValueError:
        mark = 0.0
    if not 1 <= mark <= 5:
        raise ConfigError(f"{flag} {text or value}: a mark from 1 to 5 is wanted")
    return mark


def _one_of(flag: str, text: str, known: Sequence[T]) -> T:
    if text not in known:
        raise ConfigError(f"{flag} {text}{nearest(text, map(str, known))}")
    return known[list(known).index(text)]  # type: ignore[arg-type]
