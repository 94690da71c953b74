"""Figures as SVG text or PNG bytes, the same bytes for the same numbers; the extra `report`.

Matplotlib is imported inside the functions, and pyplot, with its state and windows, never. Colours
of SVGs follow the page that they stand in: what is drawn in ink takes the text's colour. Labels are
text, never mathematics: a `$` in an agent's name is a `$`. Axes are `Any` because matplotlib leaves
its keyword arguments untyped.
"""

import io
import math
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from hyperspace.kernel.errors import LibraryMissing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS: Final = (
    *("#3c95fe", "#e3621a", "#699570", "#9a3a95"),
    *("#72645b", "#3867d0", "#ad7aba", "#b43a00"),
)
DASHES: Final = ("solid", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1.5, 1.5, 1.5)))
GENERATION: Final = "generation"  # an axis of this name is numbered by whole numbers
IDEA: Final = "idea"  # so is this one
MOST_TICKS: Final = 11  # names along a side of a table of colours
_BEND, _MOST_BENT = 0.3, 0.25  # of an arrow: of its length, and of the panel's height at most
_INK: Final = "#1c2129"  # stands for the page's text colour in SVGs
_PANEL_IN, _WIDE_IN = 4.6, 8.0  # width of one panel of several, and of one alone
_LEGEND_DOWN_IN, _LEGEND_ROW_IN = 0.42, 0.16  # room for the axis, and a row of names below it
_RC: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hyperspace",
    "text.parse_math": False,
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), _INK),
}


class FiguresUnavailable(LibraryMissing):
    """The packages of the extra `report` are not installed."""


class Drawn(NamedTuple):
    """A figure with its name.

    Attributes:
        name: Of letters, digits and dashes; also the name of its file.
        caption: What it shows, in a sentence.
        figure: What matplotlib made.
    """

    name: str
    caption: str
    figure: "Figure"


class Curve(msgspec.Struct, frozen=True):
    """One series of a panel.

    Attributes:
        label: Its name in the legend; empty for none.
        xs: Positions, ascending.
        ys: Values, as many; None leaves a gap.
        kind: `line`, `steps` (a value holds until the next), or `dots`.
        series: Number of its colour and dash, any from 0 on; equal numbers look alike.
        deviations: Half the height of a band around each value; empty for none.
    """

    label: str
    xs: tuple[float, ...]
    ys: tuple[float | None, ...]
    kind: Literal["line", "steps", "dots"] = "line"
    series: int = 0
    deviations: tuple[float, ...] = ()


class Arrow(msgspec.Struct, frozen=True):
    """An arrow from one point of a panel to another, in the panel's own units.

    It is bent and drawn in ink, so that nobody takes it for a curve or loses one below it.
    """

    from_x: float
    from_y: float
    to_x: float
    to_y: float


class Scale(msgspec.Struct, frozen=True):
    """One side of a table that is drawn as colours.

    Attributes:
        label: What its rows or columns are.
        names: Of each row or column; where there are many, some of them are written.
    """

    label: str
    names: tuple[str, ...]


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """One plot of a figure.

    Attributes:
        title: Above it.
        x: Name and unit of the horizontal axis.
        y: Name and unit of the vertical axis.
        curves: What is drawn.
        arrows: Drawn over the curves.
        y_range: Lowest and highest value shown; None fits them to the curves.
    """

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    arrows: tuple[Arrow, ...] = ()
    y_range: tuple[float, float] | None = None


class Estimate(msgspec.Struct, frozen=True):
    """A named value with an interval around it and the values that it sums up."""

    label: str
    value: float
    low: float | None
    high: float | None
    values: tuple[float, ...] = ()


class Node(msgspec.Struct, frozen=True):
    """A node of a tree, where it is to be drawn.

    Attributes:
        x: Horizontal position.
        y: Vertical position.
        parent: Index of its parent among the nodes; None for a root.
        value: What its colour says, from 0 to 1; None draws it hollow.
        marked: Whether it stands out.
    """

    x: float
    y: float
    parent: int | None
    value: float | None
    marked: bool = False


def draw_panels(panels: Sequence[Panel], *, columns: int = 2) -> "Figure":
    """Draw plots side by side, from the left, then down.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    wide = max(1, min(columns, len(panels)))
    rows = max(1, -(-len(panels) // wide))
    width = _PANEL_IN if wide > 1 else _WIDE_IN
    below = 0
    for panel in panels:
        named = sum(bool(curve.label) for curve in panel.curves)
        below = max(below, -(-named // _legend_columns(panel, width)))
    with _drawing():
        figure = _figure(width * wide, (2.8 + _LEGEND_ROW_IN * below) * rows)
        for at, panel in enumerate(panels):
            _draw_panel(figure.add_subplot(rows, wide, at + 1), panel, width)
    return figure


def draw_estimates(estimates: Sequence[Estimate], *, title: str, x: str) -> "Figure":
    """Draw values with their intervals, one row each, from the top.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    with _axes(1.0 + 0.45 * len(estimates)) as (figure, axes):
        for at, estimate in enumerate(estimates):
            _draw_estimate(axes, -at, estimate)
        axes.set_yticks([-at for at in range(len(estimates))], [e.label for e in estimates])
        axes.set_ylim(0.6 - len(estimates), 0.6)
        _name(axes, title, x, "")
    return figure


def draw_heat(
    values: Sequence[Sequence[float | None]], *, title: str, x: Scale, y: Scale, value: str
) -> "Figure":
    """Draw a table of values in [0, 1] as colours; rows from the bottom up; None stays empty.

    Args:
        values: Rows of cells.
        title: Above it.
        x: Its columns.
        y: Its rows.
        value: What a colour says.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    with _axes(6.0) as (figure, axes):
        grid = [[float("nan") if cell is None else cell for cell in row] for row in values]
        edges = range(len(x.names) + 1), range(len(y.names) + 1)
        drawn = axes.pcolormesh(*edges, grid, vmin=0.0, vmax=1.0)
        _draw_scale(figure, axes, drawn, value)
        _name(axes, title, x.label, y.label)
        axes.set_xticks(*_ticks(x))
        axes.set_yticks(*_ticks(y))
    return figure


def draw_tree(nodes: Sequence[Node], *, title: str, x: str, value: str) -> "Figure":
    """Draw a tree with an edge from each node to its parent.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    tall = max((node.y for node in nodes), default=0.0) - min((n.y for n in nodes), default=0.0)
    with _axes(min(1.6 + 0.07 * tall, 30.0)) as (figure, axes):
        from matplotlib.collections import LineCollection

        edges = [(nodes[node.parent], node) for node in nodes if node.parent is not None]
        lines = [[(up.x, up.y), (up.x, node.y), (node.x, node.y)] for up, node in edges]
        look: dict[str, Any] = {"colors": _INK, "alpha": 0.35, "linewidths": 0.6, "zorder": 1}
        axes.add_collection(LineCollection(lines, **look))
        _draw_nodes(figure, axes, nodes, value)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        _name(axes, title, x, "")
    return figure


def to_svg(figure: Any, name: str) -> str:
    """Return a figure as an `<svg>` element for a page.

    Args:
        figure: From one of the `draw_` functions.
        name: Of letters, digits and dashes, unique on the page: it keeps ids apart.
    """
    file = io.StringIO()
    with _drawing():
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    svg = file.getvalue()
    svg = svg[svg.index("<svg ") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", svg)
    return svg.replace(_INK, "currentColor")


def to_png(figure: Any) -> bytes:
    """Return a figure as a PNG image on white."""
    file = io.BytesIO()
    with _drawing():
        figure.savefig(file, format="png", dpi=144, facecolor="white", metadata={"Software": None})
    return file.getvalue()


@contextmanager
def _drawing() -> Generator[None]:
    try:
        mpl: Any = import_module("matplotlib")
    except ImportError as error:
        raise FiguresUnavailable(f"figures need matplotlib ({error})", "report") from error
    with mpl.rc_context():
        mpl.rcdefaults()  # a person's own matplotlibrc must not change our bytes
        mpl.rcParams.update(_RC)
        yield


@contextmanager
def _axes(height_in: float) -> Generator[tuple["Figure", Any]]:
    """Draw on the one panel of a figure."""
    with _drawing():
        figure = _figure(_WIDE_IN, height_in)
        yield figure, figure.add_subplot()


def _figure(width_in: float, height_in: float) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw_panel(axes: Any, panel: Panel, width_in: float) -> None:
    handles = [_draw_curve(axes, curve) for curve in panel.curves]
    for arrow in panel.arrows:
        look: dict[str, Any] = {"arrowstyle": "-|>", "connectionstyle": partial(_bent, axes)}
        look |= {"color": _INK, "linewidth": 0.9, "shrinkA": 3, "shrinkB": 3}
        ends = {"xy": (arrow.to_x, arrow.to_y), "xytext": (arrow.from_x, arrow.from_y)}
        axes.annotate("", **ends, arrowprops=look)
    named = [(h, c) for h, c in zip(handles, panel.curves, strict=True) if c.label]
    _draw_legend(axes, named, _legend_columns(panel, width_in))
    if panel.y_range is not None:
        low, high = panel.y_range
        peak = _MOST_BENT / 2 if panel.arrows else 0.0  # over the ends of an arrow
        axes.set_ylim(low, low + (high - low) / (1 - peak))
    _name(axes, panel.title, panel.x, panel.y)


def _bent(axes: Any, start: tuple[float, float], end: tuple[float, float], **look: Any) -> Any:
    """Return the path of an arrow; a long one is bent less, so that it stays in its panel."""
    from matplotlib.patches import ConnectionStyle

    length_px = max(1.0, math.dist(start, end))
    bend = min(_BEND, _MOST_BENT * axes.bbox.height / length_px)
    arc: Any = ConnectionStyle("arc3", rad=-bend)
    return arc(start, end, **look)


def _draw_legend(axes: Any, named: Sequence[tuple[Any, Curve]], columns: int) -> None:
    """Name curves below the axis and its name, where no curve can be under it."""
    from matplotlib.transforms import ScaledTranslation

    if not named:
        return
    down = ScaledTranslation(0, -_LEGEND_DOWN_IN, axes.figure.dpi_scale_trans)
    axes.legend(
        [handle for handle, _ in named],
        # A label that begins with an underscore would be left out.
        [f" {curve.label}" for _, curve in named],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=axes.transAxes + down,
        borderaxespad=0.0,
        ncols=columns,
        frameon=False,
        fontsize=8,
    )


def _legend_columns(panel: Panel, width_in: float) -> int:
    """As many as fit, by a guess at the width of letters."""
    longest = max((len(curve.label) for curve in panel.curves), default=0)
    return max(1, int((width_in - 0.6) / (0.55 + 0.065 * longest)))


def _draw_curve(axes: Any, curve: Curve) -> Any:
    ys = [float("nan") if y is None else y for y in curve.ys]
    look: dict[str, Any] = {"color": colour(curve.series), "label": ""}
    if curve.kind == "dots":
        look |= {"linestyle": "none", "marker": ".", "markersize": 3.5, "alpha": 0.6}
    else:
        look |= {"linestyle": DASHES[curve.series % len(DASHES)], "linewidth": 1.4}
    if curve.kind == "steps":
        look["drawstyle"] = "steps-post"
    if curve.kind == "line":
        look |= {"marker": ".", "markersize": 3}  # a value between two gaps is seen as well
    if curve.deviations:
        low, high = (
            [y + sign * d for y, d in zip(ys, curve.deviations, strict=True)] for sign in (-1, 1)
        )
        axes.fill_between(curve.xs, low, high, color=colour(curve.series), alpha=0.15, linewidth=0)
    return axes.plot(curve.xs, ys, **look)[0]


def _draw_estimate(axes: Any, y: float, estimate: Estimate) -> None:
    shown = colour(0)
    heights = [y - 0.22] * len(estimate.values)
    axes.plot(estimate.values, heights, ".", color=_INK, alpha=0.55, markersize=5)
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [y, y], color=shown, linewidth=2.5)
    axes.plot([estimate.value], [y], "o", color=shown, markersize=7)


def _draw_nodes(figure: Any, axes: Any, nodes: Sequence[Node], value: str) -> None:
    hollow = [node for node in nodes if node.value is None]
    at = ([node.x for node in hollow], [node.y for node in hollow])
    axes.scatter(*at, s=9, facecolors="none", edgecolors=_INK, linewidths=0.6, zorder=2)
    valued = [(node, node.value) for node in nodes if node.value is not None]
    xs, ys = [node.x for node, _ in valued], [node.y for node, _ in valued]
    sizes = [70 if node.marked else 16 for node, _ in valued]
    shades = [shade for _, shade in valued]
    drawn = axes.scatter(xs, ys, s=sizes, c=shades, vmin=0.0, vmax=1.0, zorder=3)
    _draw_scale(figure, axes, drawn, value)


def _draw_scale(figure: Any, axes: Any, drawn: Any, value: str) -> None:
    bar = figure.colorbar(drawn, ax=axes)
    bar.outline.set_visible(False)
    bar.set_label(value)


def _ticks(scale: Scale) -> tuple[list[float], list[str]]:
    """Where the middles of cells are, and their names, as many as can be read."""
    every = max(1, -(-len(scale.names) // MOST_TICKS))
    shown = range(0, len(scale.names), every)
    return [at + 0.5 for at in shown], [scale.names[at] for at in shown]


def _name(axes: Any, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left")
    axes.locator_params(axis="x", integer=x in (GENERATION, IDEA))
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def colour(series: int) -> str:
    """Return the colour of a series, as a page's class `series-N` has it."""
    return COLOURS[series % len(COLOURS)]
