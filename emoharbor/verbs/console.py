"""The one console of standard output."""

from __future__ import annotations

from rich.console import Console

out = Console()
