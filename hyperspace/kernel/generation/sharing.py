"""Which strategies an agent is shown, what of them, and under what name and scores.

Pure functions of what is published. Source of the arms: docs/guide/fleets.md.
"""

import random
from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Final

import msgspec

from guards.content.rewrite import CannotRewrite, without_notes
from hyperspace.options.fleet import META_AGENT, Sharing

MADE_UP: Final = "peer_"
"""How made-up names begin; no agent's does, as slugs have no underscore before a number."""


class PublishedStrategy(msgspec.Struct, frozen=True):
    """A strategy as it was published, without its code.

    Attributes:
        agent: Whose it is.
        model: That agent's model, without options.
        generation: Its generation.
        fitness: In [0, 1].
        train_score: None if it was not evaluated.
        val_score: None if it was not evaluated.
    """

    agent: str
    model: str
    generation: int
    fitness: float
    train_score: float | None
    val_score: float | None


class ShownStrategy(msgspec.Struct, frozen=True):
    """A strategy as one agent is shown it.

    Attributes:
        source: Whose code it is, in truth.
        agent: Under which agent's name.
        model: Under which model's name.
        train_score: With which train score.
        val_score: With which validation score.
    """

    source: PublishedStrategy
    agent: str
    model: str
    train_score: float | None
    val_score: float | None


_Ranked = tuple[float, int, int, PublishedStrategy]
_IsSeen = Callable[[PublishedStrategy], bool]


class PublishedStrategies:
    """What agents have published, kept in order for all who look at it.

    Args:
        islands: The island of each agent, in turn order.
    """

    def __init__(self, islands: Sequence[str]) -> None:
        self._islands = islands
        self._by_turn: list[list[PublishedStrategy]] = [[] for _ in islands]
        self._ranked: dict[str | None, dict[str, list[_Ranked]]] = {}

    def add(self, turn: int, strategy: PublishedStrategy) -> None:
        """Add what the agent of a turn has published next."""
        self._by_turn[turn].append(strategy)
        for island in (None, self._islands[turn]):
            if island in self._ranked:
                rows = self._ranked[island].setdefault(strategy.model, [])
                insort(rows, _ranked(turn, strategy))

    def of_peers(
        self,
        agent: str,
        model: str,
        island: str | None,
        rules: Sharing,
        is_seen: _IsSeen | None = None,
    ) -> list[PublishedStrategy]:
        """Return as much of what an agent's peers have published as `choose_shown` chooses from.

        Args:
            agent: Who looks.
            model: Its model, without options.
            island: The island whose agents are in its sight; None for all.
            rules: The run's.
            is_seen: Whether a strategy was there when it looked; None for all of them.
        """
        if rules.arm == "none" or rules.show == "none":
            return []
        if rules.show == "best" or (rules.arm == "shuffled" and rules.k == 1):
            of_peers = (row for _, row in self._in_sight(island) if row.agent != agent)
            return list(filter(is_seen, of_peers))
        ranked = (
            rows
            for other, rows in self._by_model(island).items()
            if not (rules.only_other_models and other == model)
        )
        of_peers = (row[-1] for row in merge(*ranked) if row[-1].agent != agent)
        return list(islice(filter(is_seen, of_peers), rules.k))

    def _in_sight(self, island: str | None) -> Iterator[tuple[int, PublishedStrategy]]:
        """What agents of an island, or all, have published, with their turns; oldest first."""
        for turn, strategies in enumerate(self._by_turn):
            if island is None or island == self._islands[turn]:
                for strategy in strategies:
                    yield turn, strategy

    def _by_model(self, island: str | None) -> dict[str, list[_Ranked]]:
        """What is in sight by model, the best first; of equals as `choose_shown` has them."""
        if island not in self._ranked:
            ranked = self._ranked[island] = dict[str, list[_Ranked]]()
            for turn, strategy in self._in_sight(island):
                ranked.setdefault(strategy.model, []).append(_ranked(turn, strategy))
            for rows in ranked.values():
                rows.sort()
        return self._ranked[island]


def _ranked(turn: int, strategy: PublishedStrategy) -> _Ranked:
    return (-strategy.fitness, strategy.generation, turn, strategy)


def choose_shown(
    own: Sequence[PublishedStrategy],
    peers: Sequence[PublishedStrategy],
    model: str,
    rules: Sharing,
    rng: random.Random,
) -> tuple[ShownStrategy, ...]:
    """Choose what an agent is shown.

    Args:
        own: Its own published strategies, oldest first.
        peers: Those of the peers in its sight, by peer in turn order, oldest first.
        model: Its model, without options.
        rules: The run's.
        rng: A stream of this agent and generation alone; only `shuffled` draws from it.

    Returns:
        One for each folder below `strategies/`; with `placebo` as many as with `sharing`.
    """
    eligible = [
        strategy for strategy in peers if not (rules.only_other_models and strategy.model == model)
    ]
    picked = _picked(eligible, rules)
    if rules.arm == "none":
        return ()
    if rules.arm == "placebo":
        return tuple(_disguised(own, slot, number) for number, slot in enumerate(picked) if own)
    if rules.arm == "shuffled":
        # What is shown trades scores; one alone takes that of anything published so far.
        pool = picked if len(picked) > 1 else [*own, *eligible]
        return tuple(map(_as, picked, rng.sample(pool, len(pool))))
    return tuple(_as(strategy, strategy) for strategy in picked)


def _picked(eligible: Sequence[PublishedStrategy], rules: Sharing) -> list[PublishedStrategy]:
    if rules.show == "best":
        # A strategy is published when it is a new best, so an agent's last one is its best.
        return list({strategy.agent: strategy for strategy in eligible}.values())
    if rules.show == "top":
        return sorted(eligible, key=lambda strategy: (-strategy.fitness, strategy.generation))[
            : rules.k
        ]
    return []


def _disguised(
    own: Sequence[PublishedStrategy], slot: PublishedStrategy, number: int
) -> ShownStrategy:
    """The agent's own past in a peer's place, the newest first; from the start when it is short."""
    source = own[-1 - number % len(own)]
    shown = _as(source, source)
    return msgspec.structs.replace(shown, agent=f"{MADE_UP}{number + 1}", model=slot.model)


def _as(source: PublishedStrategy, scored: PublishedStrategy) -> ShownStrategy:
    return ShownStrategy(source, source.agent, source.model, scored.train_score, scored.val_score)


def shared_files(files: Mapping[str, str], rules: Sharing) -> dict[str, str]:
    """Return the part of a strategy's code that the rules show.

    Args:
        files: All of it, path to text.
        rules: The run's.
    """
    shown = {
        path: text
        for path, text in files.items()
        if ("meta" if path == META_AGENT else "task") in rules.what
    }
    if "notes" in rules.what:
        return shown
    silent = {path: _silent(text) for path, text in shown.items() if path.endswith(".py")}
    return {path: text for path, text in silent.items() if text}


def _silent(text: str) -> str:
    """Code without its notes; nothing where it cannot be told what is a note."""
    try:
        return without_notes(text)
    except CannotRewrite:
        return ""
