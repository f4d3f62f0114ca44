"""Tables that are told on a terminal, and as CSV, Markdown, LaTeX and HTML."""

from emoharbor.sheets.sheet import Cell, Column, Rank, Sheet, ranked
from emoharbor.sheets.write import Format, text_of, write_sheets

__all__ = ["Cell", "Column", "Format", "Rank", "Sheet", "ranked", "text_of", "write_sheets"]
