"""The shape of the repository: its links, and files and functions one can read at a sitting."""

from __future__ import annotations

import ast
import gc
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINKS = {name: f"../{name}" for name in ("agents", "checkpoints", "graphs", "prompts", "state")}
LINKS["cli.py"] = "../cli.py"
LONGEST_FILE, LONGEST_FUNCTION = 250, 40


@pytest.mark.parametrize("name", sorted(LINKS))
def test_the_links_are_there(name: str) -> None:
    link = ROOT / "emoharbor" / name
    assert link.is_symlink(), (
        f"emoharbor/{name} must be a symbolic link to {LINKS[name]}; this copy lost its links. "
        "On Windows: git config core.symlinks true, then git checkout -- emoharbor"
    )
    assert os.readlink(link) == LINKS[name]


def sources() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split() or [str(p) for p in ROOT.glob("[a-z]*/**/*.py")]
    yield from (ROOT / n for n in names if (ROOT / n).is_file() and not _in_link(ROOT / n))


def _in_link(path: Path) -> bool:
    return any(part.is_symlink() for part in (path, *path.parents) if part != ROOT)


def test_no_file_is_too_long() -> None:
    long = {str(p): n for p in sources() if (n := len(p.read_text().splitlines())) > LONGEST_FILE}
    assert not long, f"over {LONGEST_FILE} lines: is it two rooms? {long}"


def test_no_function_is_too_long() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path in sources()
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long, f"over {LONGEST_FUNCTION} lines: {long}"


def _tree(path: Path) -> ast.AST:
    """CPython 3.11 miscounts its depth when garbage is collected while it builds a tree."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


def test_every_tests_folder_is_a_package() -> None:
    folders = {p.parent for p in (ROOT / "tests").rglob("test_*.py")}
    assert not [f for f in folders if not (f / "__init__.py").exists()]
