"""Dialogues that were had elsewhere, as records."""

from emoharbor.imports.bring import Brought, bring
from emoharbor.imports.folder import write_run
from emoharbor.imports.forms import read_form
from emoharbor.imports.shapes import FORMS

__all__ = ["FORMS", "Brought", "bring", "read_form", "write_run"]
