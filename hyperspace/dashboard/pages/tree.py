"""The archives of agents as a tree, drawn as SVG: time to the right, branches in lanes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

from hyperspace.dashboard.pages.drawing import drawn, numbers_of
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


class DrawnLine(NamedTuple):
    """A line to a node from its parent."""

    kind: str
    path: str


class DrawnNode(NamedTuple):
    """A generation: where it lies, where it leads, what a hover tells, how full it is drawn."""

    x: float
    y: float
    address: str
    told: str
    strength: float
    is_best: bool
    is_valid: bool


class DrawnBand(NamedTuple):
    """One agent: its name at a height, its lines and its nodes."""

    colour: str
    agent: str
    y: float
    lines: list[DrawnLine]
    nodes: list[DrawnNode]


class DrawnFork(NamedTuple):
    """A line to an agent that joined, from the generation whose code it began with."""

    colour: str
    kind: str
    path: str
    told: str


class DrawnArrow(NamedTuple):
    """What was taken over from a peer: its line and its tip."""

    colour: str
    kind: str
    path: str
    tip: str
    address: str
    told: str


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
    bands: list[DrawnBand] = []
    top = _TOP
    for archive in archives:
        shown = [row for row in archive.rows if first <= row.generation <= last]
        lanes = _lanes(shown)
        for row in shown:
            node = TreeNode(archive.agent, row.generation)
            y = top + LANE // 2 + lanes[row.generation] * LANE
            places[node] = _Place(_LEFT + (row.generation - first) * look.step, y)
        height = (max(lanes.values(), default=0) + 1) * LANE
        bands.append(_band(archive, shown, top, places, look))
        top += height + LANE // 2
    axis = [
        (_LEFT + (generation - first) * look.step, generation)
        for generation in range(first, last + 1)
        if generation % 5 == 0 or look.step > 2 * LEAST_STEP  # every fifth one, or each
    ]
    return drawn(
        "tree_svg.html",
        width=_LEFT + (last - first) * look.step + 2 * LANE,
        height=top,
        rows=_numbers(archives, first, last),
        axis=axis,
        forks=_forks(archives, places, look),
        bands=bands,
        arrows=_arrows(arrows, places, look),
    )


def _numbers(archives: Sequence[AgentArchive], first: int, last: int) -> str:
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
    top: int,
    places: Mapping[TreeNode, _Place],
    look: TreeLook,
) -> DrawnBand:
    lines: list[DrawnLine] = []
    nodes: list[DrawnNode] = []
    for row in shown:
        node = TreeNode(archive.agent, row.generation)
        end = places[node]
        if row.parent is not None:
            start = places.get(TreeNode(archive.agent, row.parent))
            lines.append(_line(start, end))
        told, strength = _told(row), look.strength(row.val if row.valid else None)
        address = look.addresses[node]
        nodes.append(DrawnNode(end.x, end.y, address, told, strength, row.is_best, row.valid))
    colour = look.colours[archive.agent]
    return DrawnBand(colour, archive.agent or "agent", top + LANE // 2, lines, nodes)


def _line(start: _Place | None, end: _Place) -> DrawnLine:
    kind = "branch outside" if start is None else "branch"
    x, y = start or _Place(end.x - LEAST_STEP, end.y)
    bend, turned = x + LEAST_STEP / 2, x + LEAST_STEP
    return DrawnLine(
        kind, f"M{x:g} {y:g}C{bend:g} {y:g} {bend:g} {end.y:g} {turned:g} {end.y:g}H{end.x:g}"
    )


def _forks(
    archives: Sequence[AgentArchive], places: Mapping[TreeNode, _Place], look: TreeLook
) -> Iterator[DrawnFork]:
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
        yield DrawnFork(look.colours[archive.agent], kind, path, told)


def _told(row: ArchiveRow) -> str:
    parent = "" if row.parent is None else f", from generation {row.parent}"
    val = "no validation score" if row.val is None else f"validation {row.val:.3f}"
    state = "" if row.valid else ", not valid"
    best = ", the best" if row.is_best else ""
    return f"generation {row.generation}: {val}{state}{best}{parent}"


def _arrows(
    arrows: Iterable[TreeArrow], places: Mapping[TreeNode, _Place], look: TreeLook
) -> Iterator[DrawnArrow]:
    for arrow in arrows:
        end = places.get(arrow.target)
        if end is None:
            continue
        start = places.get(arrow.source, _Place(_LEFT - LEAST_STEP, end.y - LANE))
        middle = (start.x + end.x) / 2
        up = _RADIUS + 2 if start.y < end.y else -_RADIUS - 2
        tip = f"{end.x:g} {end.y - up:g}"
        bend = f"C{middle:g} {start.y:g} {end.x:g} {(start.y + end.y) / 2:g}"
        yield DrawnArrow(
            look.colours.get(arrow.source.agent, "weak"),
            "taken inspired" if arrow.inspired else "taken",
            f"M{start.x:g} {start.y:g}{bend} {tip}",
            f"M{tip}l-4 {-7 if up > 0 else 7}h8z",
            arrow.address,
            arrow.told,
        )


def step_for(count: int) -> float:
    """Return how many pixels lie between so many generations."""
    return min(MOST_STEP, max(LEAST_STEP, WIDTH // max(1, count)))
