"""Marks that people and judges gave to the same dialogues, in one long table."""

from emoharbor.ratings.judged import judged
from emoharbor.ratings.names import dimension_key, in_order
from emoharbor.ratings.read import read_ratings
from emoharbor.ratings.table import COLUMNS, JUDGE, PEOPLE, Rating, frame_of
from emoharbor.ratings.write import checked, write_ratings

__all__ = [
    "COLUMNS",
    "JUDGE",
    "PEOPLE",
    "Rating",
    "checked",
    "dimension_key",
    "frame_of",
    "in_order",
    "judged",
    "read_ratings",
    "write_ratings",
]
