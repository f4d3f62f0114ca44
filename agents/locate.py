"""From an import path, a file or an installed package's entry point to the object it names."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from emoharbor.errors import ConfigError, EmoHarborError

GROUP = "emoharbor.agents"


@dataclass(frozen=True)
class Located:
    """What was found, in which module, and the "name version" of the package that offers it."""

    found: Any
    module: ModuleType
    package: str = ""

    @property
    def version(self) -> str:
        """The package, if any, and a hash of the source of the module and of what it found."""
        names = dict.fromkeys((self.module.__name__, _home(self.found)))
        files = [getattr(sys.modules.get(name), "__file__", None) for name in names]
        sources = [Path(file).read_bytes() for file in files if file]
        data = b"\0".join(sources) or self.module.__name__.encode()
        return f"{self.package} {hashlib.blake2b(data, digest_size=6).hexdigest()}".strip()


def locate(use: str) -> Located:
    """`package.module:attribute` or `folder/file.py:attribute`, also from the working directory.

    Raises ConfigError for whatever goes wrong in between, with the line of it where there is one.
    """
    target, _, attribute = use.rpartition(":")
    try:
        module = _file(Path(target)) if target.endswith(".py") else _module(target)
        return Located(attrgetter(attribute)(module), module)
    except EmoHarborError:
        raise
    except Exception as error:
        raise ConfigError(f"cannot import {use}: {told(error)}") from error


def locate_plugin(entry: EntryPoint) -> Located:
    """What an entry point leads to."""
    found = locate(entry.value)
    return Located(found.found, found.module, package_of(entry))


def plugins() -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of installed packages by their name, as in `thinker.stoic`."""
    return _plugins(tuple(sys.path))


def package_of(entry: EntryPoint) -> str:
    """Name and version of the package that an entry point belongs to."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


def told(error: Exception) -> str:
    """What a user's own code raised, and in which line of which file."""
    kind = "" if isinstance(error, ImportError | SyntaxError) else f"{type(error).__name__}: "
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = last.filename not in (__file__, importlib.__file__) and "frozen" not in last.filename
    where = f" ({last.filename}, line {last.lineno})" if own else ""
    return f"{kind}{error}{where}"


@lru_cache(maxsize=8)
def _plugins(path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Read once for a search path: it means opening a file for each installed package."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=GROUP):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return MappingProxyType(found)


def _module(name: str) -> ModuleType:
    _make_importable(os.getcwd())
    return importlib.import_module(name)


def _file(path: Path) -> ModuleType:
    """The module in a file, under a name that nothing else has; its neighbours can be imported."""
    if not path.is_file():
        raise ConfigError(f"no file {path}")
    where = path.resolve()
    name = f"{where.stem}_{hashlib.blake2b(str(where).encode(), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    _make_importable(os.getcwd())
    _make_importable(str(where.parent))
    spec = importlib.util.spec_from_file_location(name, where)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _make_importable(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _home(found: Any) -> str:
    """The module in which a class, a function, or an instance's class is written."""
    found = inspect.unwrap(found) if callable(found) else found
    return _home(found.func) if isinstance(found, partial) else str(found.__module__)
