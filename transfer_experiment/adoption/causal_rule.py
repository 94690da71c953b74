"""Adoption by the causal rule: what came into the code from a peer by an observed path.

For agent A at generation g and a strategy B that was in sight: d_own = distance to A's previous
code, d_peer = distance to B's code, ratio = d_peer over their sum; below 0.4 the code went towards
the peer. Telling lines are those of B that A never had. B was *adopted* if the ratio, of the texts
or of their normal forms, is below 0.4 and at least half of the telling lines that came in have a
path from B: fewer would say that most of what is alike came from elsewhere.
Source: docs/reference/analysis.md.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Final, NamedTuple

from transfer_experiment.adoption.events import Adoption, Verdict
from transfer_experiment.adoption.lineage import Lineages
from transfer_experiment.paths.carried import CarriedLines
from transfer_experiment.paths.line_path import NOT_KNOWN, LinePath
from transfer_experiment.paths.rewritten import Rewriting, is_renamed, rewriting_of
from transfer_experiment.paths.tracing import PathFinder
from transfer_experiment.similarity.moves import THRESHOLD, CodeMove, Moves
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.lines import lines_of
from transfer_experiment.turns.notes import code_lines
from transfer_experiment.turns.path_step import PathStep

_MOST_TRACED: Final = 64  # lines of one generation; more are chosen evenly


class _Lines(NamedTuple):
    """The telling lines of one strategy that came into a generation.

    Attributes:
        all: Those that stand in it.
        paths: Those of them that were traced, each with its path.
    """

    all: Sequence[str]
    paths: Mapping[str, LinePath]

    def of(self, seen: SeenStrategy) -> list[LinePath]:
        """The paths that come from a strategy; none if they are those of notes alone."""
        found = {ln: path for ln, path in self.paths.items() if path.strategy == seen.folder}
        code = code_lines(seen.text) | code_lines(seen.meta)
        return [] if code.isdisjoint(found) else list(found.values())

    def elsewhere(self, folder: str) -> int:
        """How many of the traced ones have a path from another strategy."""
        return sum(path.strategy not in ("", folder) for path in self.paths.values())


class CausalJudge:
    """Judges the generations of one agent, one after the other; each costs the same.

    Attributes:
        agent: Whose generations.
        lineages: The lines that the agent's code had so far.
        previous: The last generation that was taken in; None before the first.
    """

    def __init__(self, agent: str, moves: Moves | None = None) -> None:
        self.agent = agent
        self.lineages = Lineages()
        self.previous: TurnCode | None = None
        self._carried = CarriedLines()
        self._moves = moves or Moves()

    def judge(self, code: TurnCode) -> list[Adoption]:
        """Judge a generation against each peer's strategy in sight, before it is taken in.

        The agent's own past, shown as a strategy, is nothing that it could adopt. What own files
        carry from strategies that are no longer in sight is judged as well.
        """
        previous = self.previous
        if code.text is None or previous is None:
            return []
        strategies = [*self._peers(code), *self._out_of_sight(code)]
        held = {
            s.folder: list(dict.fromkeys(self.lineages.task.from_peer(code.text, _lines(s))))
            for s in strategies
        }
        paths = self._paths(code, list(dict.fromkeys(chain.from_iterable(held.values()))))
        events = (
            self._judge(
                previous,
                code,
                strategy,
                _Lines(
                    held[strategy.folder],
                    {line: paths[line] for line in held[strategy.folder] if line in paths},
                ),
                {*chain.from_iterable(held.values())}.difference(held[strategy.folder]),
            )
            for strategy in strategies
        )
        return [event for event in events if event is not None]

    def take(self, code: TurnCode) -> None:
        """Take a generation in; one without code is passed over."""
        if code.text is None:
            return
        if not code.history.is_empty:
            self._carried.take(code, self._finder(code), self.lineages.task.lines)
        self.lineages.take(code)
        self.previous = code

    def _peers(self, code: TurnCode) -> list[SeenStrategy]:
        return [seen for seen in code.seen if seen.peer != self.agent]

    def _out_of_sight(self, code: TurnCode) -> Iterator[SeenStrategy]:
        """Strategies that were in sight before, of which own files hold lines that came in now."""
        if not any(self._carried.files.values()):
            return iter(())
        text = lines_of(code.text or "")
        in_sight = {seen.folder for seen in code.seen}
        carried = (row for lines in self._carried.files.values() for row in lines.items())
        found = {c.strategy.folder: c.strategy for line, c in carried if line in text}
        return (strategy for folder, strategy in found.items() if folder not in in_sight)

    def _finder(self, code: TurnCode, *, own_past: bool = False) -> PathFinder:
        before = "" if self.previous is None else self.previous.text or ""
        return PathFinder(
            code.history, self._peers(code), self._carried.files, before, own_past=own_past
        )

    def _paths(self, code: TurnCode, lines: Sequence[str]) -> dict[str, LinePath]:
        """The paths of some of the lines."""
        chosen = _evenly(lines)
        if code.history.is_empty and code.history.problem:
            return dict.fromkeys(chosen, NOT_KNOWN)
        finder = self._finder(code)
        return {line: finder.find(line) for line in chosen}

    def _judge(
        self,
        previous: TurnCode,
        code: TurnCode,
        seen: SeenStrategy,
        lines: _Lines,
        of_others: Set[str],
    ) -> Adoption | None:
        text, own = code.text or "", previous.text or ""
        again = self._taken_again(previous, code, seen) if not lines.all else lines
        paths = again.of(seen)
        measure = self._moves.whole if paths else self._moves.below
        measured = measure(text, own, seen.text)
        rewriting = None
        if not paths:
            rewriting = self._rewriting(previous, code, seen, of_others)
            if rewriting is not None:
                paths = [rewriting.path] if rewriting.path.strategy else []
                measured = self._moves.whole(text, own, seen.text)
        if measured is None:
            return None
        elsewhere = lines.elsewhere(seen.folder)
        if not paths and 2 * elsewhere > len(lines.paths):
            return None  # one act is one adoption: what is alike came from another strategy
        verdict = self._verdict(again, paths, measured, rewriting, (text, own, seen.text))
        return Adoption(
            agent=self.agent,
            peer=seen.peer,
            generation=code.generation,
            strategy=seen.strategy,
            **measured._asdict(),
            score_before=previous.val_score,
            score_after=code.val_score,
            peer_lines=len(again.all) - elsewhere,
            rule="causal",
            verdict=verdict,
            evidence=seen.evidence,
            lines=self.lineages.task.count(text, lines_of(seen.text)),
            path=_most_usual(paths),
        )

    def _taken_again(self, previous: TurnCode, code: TurnCode, seen: SeenStrategy) -> _Lines:
        """The lines of a strategy that was taken whole once more.

        They first came from a peer; where an own earlier generation is what they were taken from,
        they have no path.
        """
        if code.text != seen.text or code.text == previous.text or not seen.was_read:
            return _Lines((), {})
        owed = self.lineages.task.owed(seen.text)
        finder = self._finder(code, own_past=True)
        return _Lines(owed, {line: finder.find_again(line) for line in _evenly(owed)})

    def _rewriting(
        self, previous: TurnCode, code: TurnCode, seen: SeenStrategy, of_others: Set[str]
    ) -> Rewriting | None:
        """What the generation has of a strategy in other words; None if there is nothing.

        Lines that another strategy has as they are do not count: equal is nearer than renamed.
        """
        history = code.history
        if history.is_empty or code.text in (previous.text, seen.text):
            return None
        if not (seen.was_read or history.has_accesses):
            return None  # of published runs nothing else can be said of it
        texts = code.text or "", previous.text or ""
        known = self.lineages.task.lines | of_others
        return rewriting_of(*texts, seen, known.__contains__, self._finder(code), self._moves)

    def _verdict(
        self,
        lines: _Lines,
        paths: Sequence[LinePath],
        measured: CodeMove,
        rewriting: Rewriting | None,
        texts: tuple[str, str, str],
    ) -> Verdict:
        if rewriting is not None and paths:
            return "adopted" if rewriting.is_whole else "inspired"
        if paths:
            is_enough = 2 * len(paths) >= len(lines.paths)
            is_near = measured.ratio < THRESHOLD
            if is_enough and (is_near or is_renamed(*texts, self._moves)):
                return "adopted"
            return "inspired"
        is_known = all(path.is_known for path in lines.paths.values())
        if rewriting is not None:
            is_known = is_known and rewriting.path.is_known
        return "coincident" if is_known else "unproven"


def _evenly(lines: Sequence[str]) -> Sequence[str]:
    """As many of some lines as are traced, evenly chosen."""
    return lines[:: -(-len(lines) // _MOST_TRACED)] if lines else ()


def _lines(strategy: SeenStrategy) -> frozenset[str]:
    task, meta = lines_of(strategy.text), lines_of(strategy.meta)
    return task if meta <= task else task | meta


def _most_usual(paths: Sequence[LinePath]) -> tuple[PathStep, ...]:
    """The first of the paths that have the kinds of steps that most of them have."""
    kinds = [tuple(step.kind for step in path.steps) for path in paths]
    if not kinds:
        return ()
    usual = Counter(kinds).most_common(1)[0][0]
    return paths[kinds.index(usual)].steps
