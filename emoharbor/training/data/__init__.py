"""Dialogues of runs as training data for a supporter, kept apart from who measures it."""

from emoharbor.training.data.asked import Asked, Wanted
from emoharbor.training.data.export import Exported, export
from emoharbor.training.data.formats import FORMATS
from emoharbor.training.data.leaks import Overlap, overlaps, overlaps_within
from emoharbor.training.data.people import Person, people_at

__all__ = [
    "FORMATS",
    "Asked",
    "Exported",
    "Overlap",
    "Person",
    "Wanted",
    "export",
    "overlaps",
    "overlaps_within",
    "people_at",
]
