"""Runs as tidy data frames, for statistics and notebooks."""

from emoharbor.frames.files import FrameFormat, write_frames
from emoharbor.frames.load import COLUMNS, Frames, load

__all__ = ["COLUMNS", "FrameFormat", "Frames", "load", "write_frames"]
