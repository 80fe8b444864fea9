"""Charts as SVG that grows with the page: places across are shares of the width, everything else is pixels.

So the letters keep their size on a telephone and in print. Series differ by shape as well as by colour; colours are those of
the style sheet. Labels stand left of the plot, values right of it: the SVG lets what lies outside show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from markupsafe import Markup

SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -5.6L5.4 4.2H-5.4z",
    "M0 -6L6 0L0 6L-6 0z",
    "M0 5.6L5.4 -4.2H-5.4z",
    "M-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",
)
"""The marks of the series, around 0 0: disc, square, triangle, lozenge, triangle upside down, cross."""
_ENDS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99)
_STEPS = {1.0: 0.25, 0.5: 0.1, 0.2: 0.05, 0.1: 0.02, 0.05: 0.01, 0.02: 0.005, 0.01: 0.0025}
_TALLEST = 780
"""Pixels of a chart at most, so that it fits on a printed page."""
_TOP = 26
_LETTER = 7.2
_SHORT = 13
"""Labels of up to so many letters stand left of their row, longer ones above it."""


@dataclass(frozen=True)
class Scale:
    """The shares that a chart shows, from ``low`` to ``high``."""

    low: float = 0.0
    high: float = 1.0

    @classmethod
    def around(cls, low: float, high: float) -> Scale:
        """The shortest of some round scales, which begin at 0% or end at 100%, that shows everything in between."""
        start = max(end for end in _ENDS if end <= low)
        stop = min(round(1 - end, 2) for end in _ENDS if round(1 - end, 2) >= high)
        return cls(start, 1.0) if 1 - start <= stop else cls(0.0, stop)

    def place(self, share: float) -> float:
        """Where a share is, in percent of the width."""
        return round(100 * (share - self.low) / (self.high - self.low), 3)

    @property
    def ticks(self) -> list[float]:
        """The shares to be named."""
        step = _STEPS[round(self.high - self.low, 2)]
        return [round(self.low + number * step, 4) for number in range(floor((self.high - self.low) / step + 1e-6) + 1)]

    @property
    def note(self) -> str:
        """A warning where the scale is not the whole."""
        if self.low > 0:
            return f"The scale begins at {axis_text(self.low)}, not at 0%."
        return f"The scale ends at {axis_text(self.high)}, not at 100%." if self.high < 1 else ""


def axis_text(share: float) -> str:
    """A round share: 50%, 99.5%."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


@dataclass(frozen=True)
class Dot:
    """A share with its interval, of one series; ``tip`` says it in words, ``value`` in short."""

    series: int
    share: float
    low: float
    high: float
    tip: str
    value: str


@dataclass(frozen=True)
class Row:
    """What stands on one line of a chart."""

    label: str
    dots: tuple[Dot, ...]


def mark(series: int, extra: str = "") -> Markup:
    """The mark of a series."""
    return Markup('<path class="mark s{}{}" d="{}"/>').format(series % len(SHAPES), extra, SHAPES[series % len(SHAPES)])


def legend_mark(series: int) -> Markup:
    """The mark of a series beside its name."""
    return Markup('<svg class="key" width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">{}</svg>').format(mark(series))


def _at(place: float, y: float, inner: Markup) -> Markup:
    """Something drawn around a point."""
    return Markup('<svg x="{}%" y="{:g}" width="1" height="1" overflow="visible">{}</svg>').format(place, y, inner)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="{}" x1="{:g}%" y1="{:g}" x2="{:g}%" y2="{:g}"/>').format(kind, x1, y1, x2, y2)


def _text(kind: str, x: str, y: float, text: str, shift: int = 0) -> Markup:
    return Markup('<text class="{}" x="{}" y="{:g}" dx="{}">{}</text>').format(kind, x, y, shift, text)


def _svg(label: str, height: float, left: float, right: float, parts: Sequence[Markup]) -> Markup:
    style = f"margin-left:{left:.0f}px;width:calc(100% - {left + right:.0f}px)"
    return Markup('<svg class="chart" role="img" aria-label="{}" height="{:.0f}" style="{}"><title>{}</title>{}</svg>').format(
        label, height, style, label, Markup("").join(parts)
    )


def _heights(rows: Sequence[Row], most: int, above: bool) -> float:
    return max(24.0, 13.0 * most + 9) + (17 if above else 0)


def pages(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in about equal parts, none taller than a printed page."""
    if not rows:
        return
    each = _heights(rows, max(len(row.dots) for row in rows), _labels_above(rows))
    fit = max(1, int((_TALLEST - _TOP) // each))
    number = -(-len(rows) // fit)
    size = -(-len(rows) // number)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _labels_above(rows: Sequence[Row]) -> bool:
    return max(len(row.label) for row in rows) > _SHORT


def dot_chart(rows: Sequence[Row], scale: Scale, label: str, *, arrows: bool = False, most: int = 0) -> Markup:
    """A line for each row, with a dot and the bar of its interval for each of its series.

    ``arrows``: from the first to the second dot of a row goes an arrow. ``most``: the dots for which each row has room.
    """
    most = 1 if arrows else most or max(len(row.dots) for row in rows)
    above = _labels_above(rows)
    each = _heights(rows, most, above)
    left = 8.0 if above else _LETTER * max(len(row.label) for row in rows) + 14
    right = 64.0 if most == 1 else 16.0
    bottom = _TOP + each * len(rows)
    parts = [Markup('<rect class="band" x="0" y="{:g}" width="100%" height="{:g}"/>').format(_TOP + each * at, each)
             for at in range(0, len(rows), 2)]  # fmt: skip
    for number, tick in enumerate(scale.ticks):
        parts.append(_line("grid", scale.place(tick), _TOP - 4, scale.place(tick), bottom))
        minor = " minor" if len(scale.ticks) > 5 and number % 2 != (len(scale.ticks) - 1) % 2 else ""
        parts.append(_text(f"tick{minor}", f"{scale.place(tick)}%", _TOP - 9, axis_text(tick)))
    for at, row in enumerate(rows):
        top = _TOP + each * at
        head = 17 if above else 0
        middle = top + head + (each - head) / 2
        parts.append(_text("label above", "0", top + 15, row.label) if above else _text("label", "-8", middle + 4, row.label))
        if arrows and len(row.dots) == 2:
            parts.append(_line("link", scale.place(row.dots[0].share), middle, scale.place(row.dots[1].share), middle))
        for number, dot in enumerate(row.dots):
            y = middle if arrows else middle + 13 * (number - (len(row.dots) - 1) / 2)
            colour = dot.series % len(SHAPES)
            bar = [_line(f"bar s{colour}", scale.place(dot.low), y, scale.place(dot.high), y)]
            for end in (dot.low, dot.high):
                bar.append(_line(f"bar s{colour}", scale.place(end), y - 4, scale.place(end), y + 4))
            drawn = [*bar, _at(scale.place(dot.share), y, mark(dot.series))]
            parts.append(Markup("<g><title>{}</title>{}</g>").format(dot.tip, Markup("").join(drawn)))
        if most == 1 and row.dots:
            parts.append(_text("value", "100%", middle + 4, row.dots[-1].value, 10))
    return _svg(label, bottom + 4, left, right, parts)


@dataclass(frozen=True)
class Point:
    """A card in a scatter: its printed number across, a share upwards; ``number`` where it is named below."""

    printed: int
    share: float
    tip: str
    number: int | None = None


def scatter(points: Sequence[Point], fit: Sequence[tuple[int, float]], label: str, axis: str) -> Markup:
    """Printed numbers across, shares upwards, and a line for the shares that go with each number."""
    height, top, bottom = 300.0, 12.0, 262.0
    numbers = sorted({point.printed for point in points})
    first, last = numbers[0] - 0.5, numbers[-1] + 0.5

    def across(number: float) -> float:
        return round(100 * (number - first) / (last - first), 3)

    def up(share: float) -> float:
        return round(bottom - (bottom - top) * share, 2)

    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [_line("grid", 0, up(tick), 100, up(tick)), _text("label", "-8", up(tick) + 4, axis_text(tick))]
    for number in range(numbers[0], numbers[-1] + 1):
        parts.append(_text("tick", f"{across(number)}%", bottom + 19, str(number)))
    parts.append(_text("tick", "50%", bottom + 36, axis))
    for (one, share), (other, later) in pairwise(fit):
        parts.append(_line("fit", across(one), up(share), across(other), up(later)))
    names: list[tuple[int, float, float, int]] = []
    crowds: dict[tuple[int, int], list[Point]] = {}
    for point in points:
        crowds.setdefault((point.printed, round(up(point.share) / 7)), []).append(point)
    for (printed, _), crowd in sorted(crowds.items()):
        step = min(9.0, 26.0 / max(1, len(crowd) - 1))
        marks = []
        for place, point in enumerate(crowd):
            offset = step * (place - (len(crowd) - 1) / 2)
            outlier = point.number is not None
            shape = mark(3 if outlier else 0, " out" if outlier else " faint")
            drawn = Markup('<g transform="translate({:g} 0)"><title>{}</title>{}</g>').format(offset, point.tip, shape)
            marks.append((outlier, _at(across(printed), up(point.share), drawn)))
        parts += [drawn for _, drawn in sorted(marks, key=lambda entry: entry[0])]
        names += [(printed, up(point.share), step * (len(crowd) - 1) / 2, point.number) for point in crowd if point.number is not None]
    together: list[list[tuple[int, float, float, int]]] = []
    for name in sorted(names):
        if together and together[-1][-1][0] == name[0] and name[1] - together[-1][-1][1] < 12:
            together[-1].append(name)
        else:
            together.append([name])
    for some in together:
        said = ", ".join(str(number) for number in sorted(number for *_, number in some))
        text = Markup('<text class="named" x="{:g}" y="4">{}</text>').format(max(offset for _, _, offset, _ in some) + 9, said)
        parts.append(_at(across(some[0][0]), sum(y for _, y, _, _ in some) / len(some), text))
    return _svg(label, height, 46, 12, parts)
