"""Whether a simulated user is any good, as far as that can be counted without a model."""

from emoharbor.audit.reading import Corpus, read_corpus
from emoharbor.audit.report import Audit, audit

__all__ = ["Audit", "Corpus", "audit", "read_corpus"]
