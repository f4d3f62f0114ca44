"""The command line in this process: the same door as a process, without a process's imports."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from emoharbor.cli import main
from tests.processes import ROOT, WIDTH


def emoharbor(*args: str, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    """`emoharbor ARGS`: its exit code and its words."""
    out, error = io.StringIO(), io.StringIO()
    argv, environ, thresholds = sys.argv, dict(os.environ), gc.get_threshold()
    sys.argv = ["emoharbor", *args]
    os.environ.update({"COLUMNS": WIDTH, **env})
    try:
        with chdir(cwd), redirect_stdout(out), redirect_stderr(error):
            with pytest.raises(SystemExit) as end:
                main()
    finally:
        sys.argv = argv
        os.environ.clear()
        os.environ.update(environ)
        gc.set_threshold(*thresholds)
    code = end.value.code or 0
    assert isinstance(code, int), code
    return subprocess.CompletedProcess(args, code, out.getvalue(), error.getvalue())
