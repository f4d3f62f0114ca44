"""The dialogue graph as an SVG, and the SVG as a PNG.

The graph is one column with its loops on the left, so it is laid out here, for every format alike.
The PNG is rendered by resvg-py: one wheel of 1.4 MB without dependencies that carries its renderer,
needs no system package and no network. With it comes a font (Inter), so that the picture is the
same on every machine. A character that Inter lacks (Chinese, for one) is drawn with a font of the
system, and as an empty box where no font has it. In an SVG the text stays text: there the reader's
fonts decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from langgraph.graph import END, START
from rich.cells import cell_len

from emoharbor.errors import ConfigError
from emoharbor.graphs.picture import LEGEND, EdgePicture, GraphPicture, NodePicture

FONTS = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
INK, MUTED, LINE, PAPER, BORDER = "#1f2933", "#5b6774", "#8292a2", "#f6f8fa", "#d5dce3"
TESTED, USER, LOOP, ACTIVE = "#2f6fad", "#8a5a9e", "#1f7a72", "#d9822b"
CHIPS = {"H_s": ("#e1ecf8", "#235a8c"), "H_u": ("#f0e5f5", "#6f3f85")}
PLAIN_CHIP = ("#e9edf1", "#46515e")

# All in pixels; CELL is what one terminal cell of a card's small text takes in a wide font.
CELL, ROW, GAP, PAD, LANE, FOLD = 7.3, 19, 40, 16, 78, 60
TOP, END_HEIGHT, TITLE_ROW, CHIP_ROW, NARROWEST = 84, 28, 22, 30, 360
SCALE = 2


@dataclass(frozen=True)
class _Layout:
    """Where things are: cards from `left` to `right`, `spans` holds each one's top and bottom."""

    picture: GraphPicture
    left: float
    right: float
    spans: dict[str, tuple[float, float]]

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def as_svg(picture: GraphPicture) -> str:
    """One drawing that needs no other file; it has a light background of its own."""
    at = _laid_out(picture)
    width = at.right + PAD * 2 + LANE * len(picture.skips)
    height = at.spans[END][1] + 86
    parts = [
        f'<rect width="{width:g}" height="{height:g}" rx="14" fill="{PAPER}"/>',
        _text(PAD * 2, 40, picture.title, 19, weight=600),
        _text(PAD * 2, 62, picture.subtitle, 13, MUTED),
        *(_straight(at, name) for name in (START, *(n.name for n in picture.nodes))),
        *(_aside(at, e, at.left, at.left - LANE * (k + 0.75)) for k, e in enumerate(picture.loops)),
        *(
            _aside(at, e, at.right, at.right + LANE * (k + 0.75))
            for k, e in enumerate(picture.skips)
        ),
        *(_card(at, node) for node in picture.nodes),
        _terminal(at, START, "start"),
        _terminal(at, END, "end"),
        _legend(PAD * 2, height - 48),
    ]
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONTS}" role="img">'
    title = f"<title>{escape(picture.title)}: the dialogue graph</title>"
    return "\n".join([head, title, _markers(), *parts, "</svg>"]) + "\n"


def as_png(picture: GraphPicture) -> bytes:
    """The SVG at twice its size. Raises ConfigError where the extra `draw` is not installed."""
    try:
        import fontpkg
        import resvg_py
    except ImportError as error:
        raise ConfigError(
            "a PNG needs one more package: pip install 'emoharbor[draw]' (an SVG needs none)"
        ) from error
    inter = str(fontpkg.path("Inter"))
    return resvg_py.svg_to_bytes(svg_string=as_svg(picture), zoom=SCALE, font_files=[inter])


def _laid_out(picture: GraphPicture) -> _Layout:
    widest = max(cell_len(line) for node in picture.nodes for line in node.lines(FOLD))
    left = PAD * 2 + LANE * len(picture.loops)
    y = float(TOP + END_HEIGHT)
    spans = {START: (y - END_HEIGHT, y)}
    y += GAP
    for node in picture.nodes:
        bottom = y + PAD + TITLE_ROW + ROW * len(node.lines(FOLD)) + CHIP_ROW + 8
        spans[node.name] = (y, bottom)
        below = picture.down(node.name)
        y = bottom + GAP + (12 if below and below.label else 0)
    spans[END] = (y, y + END_HEIGHT)
    return _Layout(picture, left, left + max(NARROWEST, widest * CELL) + PAD * 2, spans)


def _card(at: _Layout, node: NodePicture) -> str:
    """A node: title, who is in it, and chips for what it reads and writes."""
    top, bottom = at.spans[node.name]
    active = node.name == at.picture.active
    stroke = f'stroke="{ACTIVE}" stroke-width="3"' if active else f'stroke="{BORDER}"'
    colour = TESTED if node.name == "supporter" else USER
    x, y = at.left + PAD + 4, top + PAD + 10
    box = f'x="{at.left:g}" y="{top:g}" width="{at.right - at.left:g}" height="{bottom - top:g}"'
    parts = [
        f'<rect {box} rx="10" fill="#ffffff" {stroke}/>',
        f'<rect x="{at.left + 7:g}" y="{top + 10:g}" width="4" height="{bottom - top - 20:g}" '
        f'rx="2" fill="{colour}"/>',
        _text(x, y, node.title, 15, weight=600),
    ]
    if active:
        parts.append(_text(at.right - PAD, y, "active", 12, ACTIVE, "end", 600))
    for line in node.lines(FOLD):
        y += ROW
        parts.append(_text(x, y + 3, line, 12.5, MUTED))
    y += CHIP_ROW
    for word, names in (("reads", node.access.reads), ("writes", node.access.writes)):
        parts.append(_text(x, y, word, 12, MUTED))
        x += 44
        for name in names:
            parts.append(_chip(x, y, name))
            x += _chip_width(name) + 6
        x += 14
    return "\n".join(parts)


def _chip(x: float, y: float, name: str) -> str:
    fill, ink = CHIPS.get(name, PLAIN_CHIP)
    width = _chip_width(name)
    box = f'<rect x="{x:g}" y="{y - 14:g}" width="{width:g}" height="19" rx="9.5" fill="{fill}"/>'
    return box + _text(x + width / 2, y, name, 12, ink, "middle", 600)


def _chip_width(name: str) -> float:
    return len(name) * CELL + 16


def _terminal(at: _Layout, name: str, word: str) -> str:
    top = at.spans[name][0]
    box = f'x="{at.middle - 34:g}" y="{top:g}" width="68" height="{END_HEIGHT}" rx="14"'
    return f'<rect {box} fill="{MUTED}"/>' + _text(
        at.middle, top + 18.5, word, 12.5, "#ffffff", "middle", 600
    )


def _straight(at: _Layout, source: str) -> str:
    """The way to the node below."""
    edge = at.picture.down(source)
    if edge is None:
        return ""
    top, bottom = at.spans[source][1], at.spans[edge.target][0]
    line = _way(f"M{at.middle:g} {top:g}V{bottom - 9:g}", LINE)
    return line + _pill(at.middle, (top + bottom) / 2 - 3, edge.label, MUTED)


def _aside(at: _Layout, edge: EdgePicture, side: float, lane: float) -> str:
    """A way past other cards: out at the foot of its source, in at the head of its target."""
    out, into = at.spans[edge.source][1] - 26, at.spans[edge.target][0] + 26
    colour = LOOP if into < out else LINE
    turn, rise = (14 if lane < side else -14), (14 if into < out else -14)
    path = (
        f"M{side:g} {out:g}H{lane + turn:g}Q{lane:g} {out:g} {lane:g} {out - rise:g}"
        f"V{into + rise:g}Q{lane:g} {into:g} {lane + turn:g} {into:g}"
        f"H{side - (9 if turn > 0 else -9):g}"
    )
    return _way(path, colour) + _pill(
        lane, (out + into) / 2, edge.label, LOOP if colour == LOOP else MUTED
    )


def _way(path: str, colour: str) -> str:
    name, width = ("loop", 2.5) if colour == LOOP else ("way", 1.75)
    style = f'stroke="{colour}" stroke-width="{width}" marker-end="url(#{name})"'
    return f'<path d="{path}" fill="none" {style}/>'


def _markers() -> str:
    head = (
        '<marker id="{}" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="10" markerHeight="10" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="{}"/></marker>'
    )
    return f"<defs>{head.format('way', LINE)}{head.format('loop', LOOP)}</defs>"


def _pill(x: float, y: float, label: str, colour: str) -> str:
    """A condition, on the line that it guards."""
    if not label:
        return ""
    width = cell_len(label) * CELL + 18
    box = f'x="{x - width / 2:g}" y="{y - 11:g}" width="{width:g}" height="22" rx="11"'
    frame = f'<rect {box} fill="{PAPER}" stroke="{colour}"/>'
    return frame + _text(x, y + 4.2, label, 12, colour, "middle", 600)


def _legend(x: float, y: float) -> str:
    """Two rows: the memories, and whose side a card is on."""
    parts, start = [], x
    for name, what in LEGEND.items():
        parts += [_chip(x, y, name), _text(x + _chip_width(name) + 7, y, what, 12, MUTED)]
        x += _chip_width(name) + len(what) * 6.4 + 26
    x, y = start, y + 26
    for colour, what in ((TESTED, "the supporter under test"), (USER, "the simulated user")):
        parts.append(
            f'<rect x="{x:g}" y="{y - 12:g}" width="4" height="15" rx="2" fill="{colour}"/>'
        )
        parts.append(_text(x + 12, y, what, 12, MUTED))
        x += len(what) * 6.4 + 38
    return "\n".join(parts)


def _text(
    x: float,
    y: float,
    words: str,
    size: float,
    colour: str = INK,
    anchor: str = "start",
    weight: int = 400,
) -> str:
    place = f'x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}"'
    return f'<text {place} text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
