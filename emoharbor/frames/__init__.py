"""Runs as tidy data frames, for statistics and notebooks."""

from emoharbor.frames.load import COLUMNS, Frames, load

__all__ = ["COLUMNS", "Frames", "load"]
