"""The dialogue graph as text: Mermaid for pages, box drawing for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.graph import END, START
from rich.cells import cell_len, set_cell_size

from emoharbor.graphs.picture import LEGEND, EdgePicture, GraphPicture, NodePicture

WIDEST, NARROWEST = 66, 44
INDENT = 2
ENDS = {START: "start", END: "end"}
Point = tuple[int, int]

_JOINTS = {
    "lr": "─", "du": "│", "dr": "╭", "dl": "╮", "ru": "╰", "lu": "╯", "dlru": "┼",
    "dru": "├", "dlu": "┤", "dlr": "┬", "lru": "┴", "u": "│", "d": "│", "l": "─", "r": "─",
}  # fmt: skip
_WAYS = {(1, 0): ("d", "u"), (-1, 0): ("u", "d"), (0, 1): ("r", "l"), (0, -1): ("l", "r")}
# For terminals and pipes that cannot show more.
PLAIN = str.maketrans("─│╭╮╰╯├┤┬┴┼▼►◄●·", "-|+++++++++v><*-")


def as_mermaid(picture: GraphPicture) -> str:
    """A flowchart in Mermaid's language, which GitHub, GitLab and notebooks draw."""
    lines = ["flowchart TD"]
    lines += [f"  {_id(end)}([{word}])" for end, word in ENDS.items()]
    for node in picture.nodes:
        words = (f"<b>{_escaped(node.title)}</b>", *map(_escaped, _words(node, 200)))
        lines.append(f'  {_id(node.name)}["{"<br/>".join(words)}"]')
    for edge in picture.edges:
        arrow = f'-. "{_escaped(edge.label)}" .->' if edge.label else "-->"
        lines.append(f"  {_id(edge.source)} {arrow} {_id(edge.target)}")
    if picture.active:
        lines.append("  classDef active stroke-width:3px")
        lines.append(f"  class {_id(picture.active)} active")
    return "\n".join(lines) + "\n"


def as_ascii(picture: GraphPicture) -> str:
    """Boxes one below the other, loops on the left, in at most 100 columns for short labels."""
    words = {node.name: _words(node, WIDEST) for node in picture.nodes}
    widest = max(cell_len(line) for lines in words.values() for line in lines)
    left = INDENT + max(_arms(picture.loops), default=0)
    right = left + max(NARROWEST, widest) + 3
    row, middle = 2, (left + right) // 2
    canvas, ports = _Canvas(), {}
    canvas.write((0, INDENT), f"{picture.title}: {picture.subtitle}")
    canvas.write((row, middle), "● start")
    row = _step_down(canvas, picture, START, row, middle)
    for node in picture.nodes:
        bottom = row + len(words[node.name]) + 1
        ports[node.name] = (row + 1, bottom - 1)
        canvas.line((row, left), (row, right), (bottom, right), (bottom, left), (row, left))
        title = f"► {node.title} (active)" if node.name == picture.active else node.title
        canvas.write((row, left + 2), f" {title} ")
        for number, line in enumerate(words[node.name], start=row + 1):
            canvas.write((number, left + 2), line)
        row = _step_down(canvas, picture, node.name, bottom, middle)
    canvas.write((row, middle), "● end")
    for edge, arm in zip(picture.loops, _arms(picture.loops), strict=True):
        _aside(canvas, edge, ports, left, left - arm)
    for edge, arm in zip(picture.skips, _arms(picture.skips), strict=True):
        _aside(canvas, edge, ports, right, right + arm)
    canvas.write((row + 2, INDENT), "   ".join(f"{name}: {what}" for name, what in LEGEND.items()))
    return canvas.text()


class _Canvas:
    """Lines that know where they meet, and words on top of them."""

    def __init__(self) -> None:
        self._strokes: dict[Point, set[str]] = {}
        self._words: dict[Point, str] = {}

    def line(self, *points: Point) -> None:
        """Straight from point to point, (row, column) each."""
        for (row, column), (row_to, column_to) in zip(points, points[1:], strict=False):
            down, across = _sign(row_to - row), _sign(column_to - column)
            there, back = _WAYS[down, across]
            while (row, column) != (row_to, column_to):
                self._strokes.setdefault((row, column), set()).add(there)
                row, column = row + down, column + across
                self._strokes.setdefault((row, column), set()).add(back)

    def write(self, at: Point, words: str) -> None:
        """Words from a point to the right; a wide character takes two cells."""
        row, column = at
        for letter in words:
            self._words[row, column] = letter
            column += cell_len(letter)

    def text(self) -> str:
        """Everything, a line a row, without blanks at the ends."""
        cells = {p: _JOINTS["".join(sorted(s))] for p, s in self._strokes.items()} | self._words
        lines = [""] * (1 + max(row for row, _ in cells))
        for (row, column), glyph in sorted(cells.items()):
            lines[row] = set_cell_size(lines[row], column) + glyph
        return "\n".join(lines) + "\n"


def _step_down(canvas: _Canvas, picture: GraphPicture, source: str, row: int, column: int) -> int:
    """Draws the edge to the node below and returns that node's first row."""
    edge = picture.down(source)
    if edge is None:
        return row + 2
    if edge.label:
        canvas.line((row, column), (row + 1, column), (row + 2, column))
        canvas.write((row + 1, column + 2), edge.label)
        row += 1
    elif source != START:
        canvas.line((row, column), (row + 1, column))
    canvas.write((row + 1, column), "▼")
    return row + 2


def _aside(
    canvas: _Canvas, edge: EdgePicture, ports: dict[str, tuple[int, int]], side: int, lane: int
) -> None:
    """An edge past other boxes: out at the last line of its source, in at the target's first."""
    goes_out, comes_in = ports[edge.source][1], ports[edge.target][0]
    outwards = _sign(lane - side)
    near = side + outwards
    canvas.line((goes_out, side), (goes_out, lane), (comes_in, lane), (comes_in, near))
    canvas.write((comes_in, near), "►" if outwards < 0 else "◄")
    label = f" {edge.label} " if edge.label else ""
    canvas.write((goes_out, side + 2 if outwards > 0 else side - 1 - len(label)), label)


def _arms(edges: Sequence[EdgePicture]) -> list[int]:
    """How far from the boxes each of the edges beside them runs: past all their labels."""
    longest = max((cell_len(edge.label) for edge in edges), default=0)
    return [longest + 5 + 3 * number for number in range(len(edges))]


def _words(node: NodePicture, width: int) -> list[str]:
    """What stands in a node below its title."""
    reads, writes = (", ".join(names) for names in (node.access.reads, node.access.writes))
    return [*node.lines(width), f"reads {reads} · writes {writes}"]


def _id(name: str) -> str:
    """A node's name in Mermaid, where `end` is a word of the language."""
    return {START: "begin", END: "finish"}.get(name, name)


def _escaped(text: str) -> str:
    """Mermaid's own entities; a quotation mark or a bracket would end a label."""
    names = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;"}
    return "".join(names.get(c, c) for c in text)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
