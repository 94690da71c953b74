"""The archives of agents as a tree, drawn as SVG: time to the right, branches in lanes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from hyperspace.dashboard.pages.parts import shortened
from hyperspace.dashboard.pages.svg_scale import numbers_of
from hyperspace.reporting.page import Markup, escaped
from hyperspace.runs.archives import AgentArchive, ArchiveRow

WIDTH: Final = 900  # pixels that few generations are spread over
LEAST_STEP: Final = 18  # pixels between generations
MOST_STEP: Final = 48
LANE: Final = 20
MOST_LANES: Final = 24  # of one agent
_LEFT: Final = 110
_TOP: Final = 26
_RADIUS: Final = 5.5


class TreeNode(NamedTuple):
    """One generation of one agent."""

    agent: str
    generation: int


class TreeArrow(NamedTuple):
    """What was taken over from a peer.

    Attributes:
        source: The peer's generation.
        target: The generation that took it.
        told: What a hover tells.
        address: Where it leads.
        inspired: Whether only an idea was taken, in little code or other words.
    """

    source: TreeNode
    target: TreeNode
    told: str
    address: str
    inspired: bool


class TreeLook(NamedTuple):
    """What a tree is drawn with.

    Attributes:
        colours: Class of each agent's colour.
        addresses: Where each generation leads.
        low: Lowest validation score of all; the faintest.
        high: Highest; the fullest.
        has_scores: Whether there is any.
        step: Pixels between generations.
    """

    colours: Mapping[str, str]
    addresses: Mapping[TreeNode, str]
    low: float
    high: float
    has_scores: bool
    step: float

    def strength(self, value: float | None) -> float:
        """Return how full a score is drawn, from 0 to 1."""
        if value is None:
            return 0.0
        span = self.high - self.low
        return 0.15 + 0.85 * ((value - self.low) / span if span > 0 else 1.0)


class _Place(NamedTuple):
    x: float
    y: float


def tree_svg(
    archives: Sequence[AgentArchive],
    first: int,
    last: int,
    arrows: Iterable[TreeArrow],
    look: TreeLook,
) -> Markup:
    """Draw the generations from `first` to `last` of some agents.

    Args:
        archives: One band each.
        first: First generation that is drawn.
        last: Last one.
        arrows: Adoptions; those whose ends are not drawn come in from the left.
        look: Colours and addresses.
    """
    places: dict[TreeNode, _Place] = {}
    bands: list[str] = []
    top = _TOP
    for archive in archives:
        shown = [row for row in archive.rows if first <= row.generation <= last]
        lanes = _lanes(shown)
        for row in shown:
            node = TreeNode(archive.agent, row.generation)
            y = top + LANE / 2 + lanes[row.generation] * LANE
            places[node] = _Place(_LEFT + (row.generation - first) * look.step, y)
        height = (max(lanes.values(), default=0) + 1) * LANE
        bands += _band(archive, shown, top, places, look)
        top += height + LANE // 2
    width = _LEFT + (last - first) * look.step + 2 * LANE
    drawn = [
        *_axis(first, last, top, look.step),
        *_forks(archives, places, look),  # below the nodes of those between
        *bands,
        *_arrows(arrows, places, look),
    ]
    return Markup(
        f'<svg class="tree" width="{width:g}" height="{top}" viewBox="0 0 {width:g} {top}"'
        f"{_numbers(archives, first, last)}>{''.join(drawn)}</svg>"
    )


def _numbers(archives: Sequence[AgentArchive], first: int, last: int) -> Markup:
    rows = [
        (archive.agent, row.generation, row.parent, str(row.valid), row.train, row.val)
        for archive in archives
        for row in archive.rows
        if first <= row.generation <= last
    ]
    return numbers_of(("agent", "generation", "parent", "valid", "train", "validation"), rows)


def _lanes(rows: Sequence[ArchiveRow]) -> dict[int, int]:
    """Give each generation a lane: its parent's where that ends there, else one of its own.

    From its parent on, nothing else stands in a generation's lane; where there are no more lanes
    the last one takes several.
    """
    ends: list[int] = []  # of each lane, the generation that stands last in it
    lanes: dict[int, int] = {}
    for row in rows:
        begin = row.generation - 1 if row.parent not in lanes else row.parent or 0
        at = lanes.get(row.parent, -1) if row.parent is not None else -1
        if at < 0 or ends[at] != row.parent:
            free = (lane for lane, end in enumerate(ends) if end < begin and lane != at)
            at = next(free, min(len(ends), MOST_LANES - 1))
        if at == len(ends):
            ends.append(row.generation)
        ends[at] = row.generation
        lanes[row.generation] = at
    return lanes


def _band(
    archive: AgentArchive,
    shown: Sequence[ArchiveRow],
    top: float,
    places: Mapping[TreeNode, _Place],
    look: TreeLook,
) -> Iterator[str]:
    """Draw one agent: its name, lines to parents, generations."""
    name = archive.agent or "agent"
    short = shortened(name, 14)
    yield (
        f'<g class="{look.colours[archive.agent]}"><text class="name" x="4" '
        f'y="{top + LANE / 2 + 4}">{escaped(short)}<title>{escaped(name[:300])}</title></text>'
    )
    for row in shown:
        end = places[TreeNode(archive.agent, row.generation)]
        if row.parent is not None:
            start = places.get(TreeNode(archive.agent, row.parent))
            outside = _Place(end.x - LEAST_STEP, end.y)
            yield _line(start or outside, end, is_whole=start is not None)
    for row in shown:
        node = TreeNode(archive.agent, row.generation)
        yield _circle(row, places[node], look.addresses[node], look)
    yield "</g>"


def _forks(
    archives: Sequence[AgentArchive], places: Mapping[TreeNode, _Place], look: TreeLook
) -> Iterator[str]:
    """Draw a line to each agent that joined, from the generation whose code it began with."""
    for archive in archives:
        fork, end = archive.forked, places.get(TreeNode(archive.agent, 0))
        if fork is None or end is None:
            continue
        start = places.get(TreeNode(fork.source, fork.generation))
        kind, path = "branch outside", f"M{end.x - LEAST_STEP:g} {end.y:g}H{end.x:g}"
        if start is not None:
            middle = (start.y + end.y) / 2
            path = f"M{start.x:g} {start.y:g}C{start.x:g} {middle:g} {end.x:g} {middle:g}"
            kind, path = "branch fork", f"{path} {end.x:g} {end.y:g}"
        told = f"{archive.agent} began with the code of {fork.source} generation {fork.generation}"
        yield (
            f'<g class="{look.colours[archive.agent]}"><path class="{kind}" d="{path}">'
            f"<title>{escaped(told)}</title></path></g>"
        )


def _line(start: _Place, end: _Place, *, is_whole: bool) -> str:
    bend = start.x + LEAST_STEP / 2
    path = f"M{start.x:g} {start.y:g}C{bend:g} {start.y:g} {bend:g} {end.y:g}"
    kind = "branch" if is_whole else "branch outside"
    return f'<path class="{kind}" d="{path} {start.x + LEAST_STEP:g} {end.y:g}H{end.x:g}"/>'


def _circle(row: ArchiveRow, place: _Place, address: str, look: TreeLook) -> str:
    parent = "" if row.parent is None else f", from generation {row.parent}"
    val = "no validation score" if row.val is None else f"validation {row.val:.3f}"
    state = "" if row.valid else ", not valid"
    best = ", the best" if row.is_best else ""
    told = f"generation {row.generation}: {val}{state}{best}{parent}"
    ring = f'<circle class="ring" cx="{place.x:g}" cy="{place.y:g}" r="{_RADIUS + 3}"/>'
    cross = (
        f'<path class="cross" d="M{place.x - 3:g} {place.y - 3:g}l6 6m0-6l-6 6"/>'
        if not row.valid
        else ""
    )
    return (
        f'<a href="{escaped(address)}"><title>{escaped(told)}</title>{ring if row.is_best else ""}'
        f'<circle class="ground" cx="{place.x:g}" cy="{place.y:g}" r="{_RADIUS}"/>'
        f'<circle class="node" cx="{place.x:g}" cy="{place.y:g}" r="{_RADIUS}" '
        f'fill-opacity="{look.strength(row.val if row.valid else None):.2f}"/>{cross}</a>'
    )


def _arrows(
    arrows: Iterable[TreeArrow], places: Mapping[TreeNode, _Place], look: TreeLook
) -> Iterator[str]:
    for arrow in arrows:
        end = places.get(arrow.target)
        if end is None:
            continue
        start = places.get(arrow.source, _Place(_LEFT - LEAST_STEP, end.y - LANE))
        middle = (start.x + end.x) / 2
        up = _RADIUS + 2 if start.y < end.y else -_RADIUS - 2
        colour = look.colours.get(arrow.source.agent, "weak")
        kind = "taken inspired" if arrow.inspired else "taken"
        tip = f"{end.x:g} {end.y - up:g}"
        sign = 1 if up > 0 else -1
        yield (
            f'<a href="{escaped(arrow.address)}" class="{colour}">'
            f"<title>{escaped(arrow.told)}</title>"
            f'<path class="{kind}" d="M{start.x:g} {start.y:g}C{middle:g} {start.y:g} {end.x:g} '
            f'{(start.y + end.y) / 2:g} {tip}"/>'
            f'<path class="tip" d="M{tip}l-4 {-7 * sign}h8z"/></a>'
        )


def step_for(count: int) -> float:
    """Return how many pixels lie between so many generations."""
    return min(MOST_STEP, max(LEAST_STEP, WIDTH // max(1, count)))


def _axis(first: int, last: int, height: float, step: float) -> Iterator[str]:
    """Number every fifth generation, or each, and draw a faint line down from it."""
    yield f'<text class="axis" x="4" y="14">{escaped("generation")}</text>'
    for generation in range(first, last + 1):
        if generation % 5 == 0 or step > 2 * LEAST_STEP:
            x = _LEFT + (generation - first) * step
            yield f'<text class="axis" x="{x:g}" y="14" text-anchor="middle">{generation}</text>'
            yield f'<path class="grid" d="M{x:g} 20V{height}"/>'
