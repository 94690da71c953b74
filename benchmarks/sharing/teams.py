"""Teams of two simulated agents on worlds of the domain `panel`: no sandbox, no model, no text.

An agent climbs strictly: it edits one rule of its code, and keeps the edit if more train rows are
right. One agent edits numbers alone, the other structure alone, so neither can repair every defect.
Where strategies are shared, an agent looks at its peer's best one in every second generation, and
takes each of its rules that is right more often on train; each rule that it tries costs as much as
an edit does. This is the model of the domain's design, and real policies are beside it in
docs/domains/panel.md.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from hyperspace.options.fleet import TeamMeasure
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.tasks.base import Split
from hyperspace.tasks.panel.domain import PanelOptions
from hyperspace.tasks.panel.kinds import draw_kinds
from hyperspace.tasks.panel.rows import Sharing, draw_rows
from hyperspace.tasks.panel.rules import Point, RangeRule, Rule
from hyperspace.tasks.streams import stream

GENERATIONS: Final = 10
EVALUATIONS: Final = 60
"""What an agent may try in a generation, edits and foreign rules alike."""

Repertoire = Literal["numbers", "structure"]
TEAM: Final[tuple[Repertoire, ...]] = ("numbers", "structure")
ARMS: Final = ("panel", "panel_none", "panel_aa")
_MEASURE: Final = TeamMeasure()


class World:
    """The rules and rows of one run seed, and how many rows each rule is right on."""

    def __init__(self, seed: int, dial: Sharing) -> None:
        options = PanelOptions(rows_seed=seed, sharing=dial)
        self.kinds = draw_kinds(
            options.kinds, options.defects, options.regime, stream("panel", seed, "kinds")
        )
        rows = draw_rows(self.kinds, options.per, dial, seed)
        number = {kind.name: index for index, kind in enumerate(self.kinds)}
        self._rows: dict[tuple[Split, int], list[tuple[Point, bool]]] = {}
        self._totals = {split: len(table) for split, table in rows.items()}
        for split, table in rows.items():
            for row in table:
                inputs = row.inputs
                point = Point(inputs["a"], inputs["b"], inputs["c"])
                at = self._rows.setdefault((split, number[inputs["kind"]]), [])
                at.append((point, row.label == "yes"))
        self._right: dict[tuple[Split, int, Rule], int] = {}

    def right(self, split: Split, kind: int, rule: Rule) -> int:
        """Return on how many rows of a kind a rule is right."""
        key = (split, kind, rule)
        if key not in self._right:
            says_yes = rule.says_yes
            rows = self._rows[split, kind]
            self._right[key] = sum(says_yes(point) == label for point, label in rows)
        return self._right[key]

    def score(self, split: Split, rules: Sequence[Rule]) -> float:
        """Return the share of all rows of a split on which the rules are right."""
        right = sum(self.right(split, kind, rule) for kind, rule in enumerate(rules))
        return right / self._totals[split]


class Strategy(NamedTuple):
    """Rules that were the best of an agent by validation when they were made."""

    val: float
    rules: tuple[Rule, ...]


class Agent:
    """One agent of a team: its rules, and its score after every generation."""

    def __init__(self, repertoire: Repertoire, world: World, draw: random.Random) -> None:
        self._edit = _EDITS[repertoire]
        self._world, self._draw = world, draw
        self._rules = [kind.seed for kind in world.kinds]
        self.best = Strategy(world.score("val", self._rules), tuple(self._rules))
        self.vals = [self.best.val]

    def play(self, shown: Strategy | None) -> None:
        """Make one generation, with a peer's strategy in sight or with none."""
        left = EVALUATIONS
        for kind, rule in enumerate(shown.rules if shown is not None else ()):
            if left and rule != self._rules[kind]:
                left -= 1
                self._keep_if_better(kind, rule)
        for _ in range(left):
            kind = self._draw.randrange(len(self._rules))
            self._keep_if_better(kind, self._edit(self._rules[kind], self._draw))
        val = self._world.score("val", self._rules)
        self.vals.append(val)
        if val > self.best.val:
            self.best = Strategy(val, tuple(self._rules))

    def _keep_if_better(self, kind: int, rule: Rule) -> None:
        right = self._world.right
        if right("train", kind, rule) > right("train", kind, self._rules[kind]):
            self._rules[kind] = rule


def play_world(seed: int, dial: Sharing) -> list[Run]:
    """Play every arm on one world; runs as the report reads them."""
    world = World(seed, dial)
    return [_play(world, arm, seed) for arm in ARMS]


def _play(world: World, arm: str, seed: int) -> Run:
    kind = arm.partition("_")[2]
    agents = [
        Agent(own, world, random.Random(f"{seed}/{own}/{'aa' * (kind == 'aa')}")) for own in TEAM
    ]
    for generation in range(1, GENERATIONS + 1):
        bests = [agent.best for agent in agents]
        looks = generation % 2 == 0 and kind != "none"
        for agent, peers_best in zip(agents, reversed(bests), strict=True):
            agent.play(peers_best if looks else None)
    terms: dict[str, object] = {"arm": "none" if kind == "none" else "sharing", "show": "best"}
    return Run(
        domain="panel",
        arm=arm,
        seed=seed,
        source="simulated",
        agents=tuple(_record(world, *pair) for pair in zip(TEAM, agents, strict=True)),
        stream="aa" * (kind == "aa"),
        terms=terms,
        measure=_MEASURE,
    )


def _record(world: World, name: str, agent: Agent) -> RunAgent:
    rows = tuple(
        Generation(generation=number, valid=True, val=val, fitness=val)
        for number, val in enumerate(agent.vals)
    )
    return RunAgent(name, rows, world.score("test", agent.best.rules), GENERATIONS)


def _with_other_number(rule: Rule, draw: random.Random) -> Rule:
    if isinstance(rule, RangeRule):
        low, high = sorted(round(bound + draw.gauss(0, 0.1), 3) for bound in rule)
        return RangeRule(low, high)
    name = draw.choice(("w1", "w2", "t1", "t2", "u"))
    value: float = getattr(rule, name)
    if name == "u":
        changed = draw.uniform(0.05, 0.95)
    elif name in ("t1", "t2"):
        changed = value + draw.uniform(-2, 2)
    else:
        changed = value * draw.uniform(0.5, 2)
    return rule._replace(**{name: round(changed, 3)})


def _with_other_structure(rule: Rule, draw: random.Random) -> Rule:
    if isinstance(rule, RangeRule):
        return rule  # its two comparisons are right as they are
    changes: Mapping[str, float | bool] = {
        "w1": -rule.w1,
        "w2": -rule.w2,
        "below": not rule.below,
    }
    name = draw.choice(tuple(changes))
    return rule._replace(**{name: changes[name]})


_EDITS: Final[dict[Repertoire, Callable[[Rule, random.Random], Rule]]] = {
    "numbers": _with_other_number,
    "structure": _with_other_structure,
}
