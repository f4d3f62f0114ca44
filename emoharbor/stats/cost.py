"""What a run costs, as far as prices and usage are known; what is not known is never a zero."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import fsum
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from emoharbor.errors import ConfigError
from emoharbor.state.profile import Frozen
from emoharbor.state.record import RoleUsage

SHIPPED = Path(__file__).parent.parent / "data" / "prices.yaml"
OWN = Path("prices.yaml")
_MILLION = 1_000_000
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d\d-\d\d)$")
# Models that run in this process.
_FREE = ("local:", "scripted:")

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


class Price(Frozen):
    """USD for a million tokens. Without a price of their own, cached tokens cost as the others."""

    input: Usd
    output: Usd
    cached_input: Usd | None = None


Prices = Mapping[str, Price]
_NOTHING = Price(input=0.0, output=0.0)
_PRICES: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price])


@dataclass(frozen=True)
class Cost:
    """A sum in USD of what is known, of how many parts, and how many more are unknown."""

    usd: float
    known: int
    unknown: int

    @property
    def total(self) -> float | None:
        """The sum where every part is known, None otherwise."""
        return None if self.unknown else self.usd


def load_prices(path: Path | None = None) -> Prices:
    """Prices by pattern, the first that fits counts: those of `path`, then the shipped ones.

    Without `path` it is prices.yaml of the working directory, where there is one. Raises
    ConfigError with the file and the entry that is wrong.
    """
    if path is None:
        own = _read(OWN) if OWN.is_file() else {}
    else:
        own = _read(path)
    return own | {name: price for name, price in _read(SHIPPED).items() if name not in own}


def cost_of(usage: RoleUsage, model: str, prices: Prices) -> float | None:
    """USD of a role's calls to `model`, a spec or a bare name; None where anything is unknown.

    Cached tokens that a server does not report count in full, as it grants no discount then.
    """
    return cost_at(usage, price_of(model, prices))


def cost_at(usage: RoleUsage, price: Price | None) -> float | None:
    """USD of calls at a price; None where the price or the usage is unknown."""
    if price == _NOTHING:
        return 0.0
    if price is None or usage.unknown or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = usage.input_tokens - cached
    return (fresh * price.input + cached * cached_price + usage.output_tokens * price.output) / (
        _MILLION
    )


def price_of(model: str, prices: Prices) -> Price | None:
    """The price of a spec or of a bare name, by its full name first and then without its date.

    A model that runs in this process costs nothing; None where no price is known.
    """
    if model.startswith(_FREE):
        return _NOTHING
    name, url = _name_and_url(model)
    for spelling in (name, _DATE.sub("", name)):
        for pattern, price in prices.items():
            if fnmatchcase(f"{spelling}@{url}" if "@" in pattern else spelling, pattern):
                return price
    return None


def total_cost(parts: Iterable[float | None]) -> Cost:
    """The sum of what is known, beside the number of parts that are not."""
    parts = list(parts)
    known = [part for part in parts if part is not None]
    return Cost(fsum(known), len(known), len(parts) - len(known))


def _name_and_url(model: str) -> tuple[str, str]:
    provider, _, rest = model.partition(":")
    if provider == "openai":
        model = rest
    elif provider == "langchain":
        model = rest.partition(":")[2]
    found = re.search(r"@(?=https?://)", model)
    return (model[: found.start()], model[found.end() :]) if found else (model, "")


def _read(path: Path) -> dict[str, Price]:
    try:
        found: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        return _PRICES.validate_python({} if found is None else found)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: prices cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: this is not YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ConfigError(
            f"{path}: {place}: {first['msg']}; an entry is "
            "model: {input: 2.5, cached_input: 1.25, output: 10}, in USD for a million tokens"
        ) from error
