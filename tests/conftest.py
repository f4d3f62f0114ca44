from __future__ import annotations

import os

# A console that was made without it asks for it each time: a test may choose how wide tables are.
os.environ.pop("COLUMNS", None)
