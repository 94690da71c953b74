"""Finds by which path a line came into a file of an agent within one generation.

A line that the model typed has a path if it was displayed to it before, in this generation, by a
program that had a peer's file. One that it did not type was put there by a program: it has a path
if the program had a peer's file, or a file that carries the line from there.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from hyperspace.runs.files import TASK
from transfer_experiment.paths.line_path import NO_PATH, NOT_KNOWN, LinePath
from transfer_experiment.similarity.cache import TEXTS_AT_HAND
from transfer_experiment.turns.code import SeenStrategy
from transfer_experiment.turns.history import Reply, TurnHistory, UsedFile
from transfer_experiment.turns.path_step import QUOTE_CHARACTERS, PathStep
from transfer_experiment.turns.texts import TOKEN

_SHORTEST_TOKEN: Final = 3  # characters; a digit or two stand in any command
_VARIABLE: Final = re.compile(r"\$\{?#?(\w+)")
_BACKGROUND: Final = re.compile(r"(?<![&>|])&[ \t]*(?:$|[\n;)])")
_SCRATCH: Final = re.compile(r"/(?:tmp|var/tmp|dev/shm)/[\w./-]+")
_MOST_CARRIERS: Final = 8
_OWN_PAST: Final = re.compile(r"evals/gen_\d+/(?:task|meta)_agent\.py")


class CarriedLine(NamedTuple):
    """A line that an own file holds since an earlier generation, with its path into that file.

    Attributes:
        strategy: The strategy that it is from.
        generation: When it got into the file.
        steps: By which path.
    """

    strategy: SeenStrategy
    generation: int
    steps: tuple[PathStep, ...]


class _Remembered(NamedTuple):
    """Where a line was read that came in later, and in which step."""

    path: LinePath
    step: int


CarriedFiles = Mapping[str, Mapping[str, CarriedLine]]
"""By own file, the lines of peers that it holds since earlier generations."""


class PathFinder:
    """Finds the paths of one generation.

    Args:
        history: What happened in it.
        seen: The strategies of peers that were in sight.
        carried: What own files held when it began.
        before: The task agent that it began with.
        own_past: Whether lines may stand in earlier generations of the agent.
    """

    def __init__(
        self,
        history: TurnHistory,
        seen: Sequence[SeenStrategy],
        carried: CarriedFiles,
        before: str = "",
        *,
        own_past: bool = False,
    ) -> None:
        self._history = history
        self._seen = {strategy.folder: strategy for strategy in seen}
        self._carried = carried
        self._before = before
        self._own_past = own_past

    def find(self, line: str, file: str = TASK) -> LinePath:
        """Find how a line came into a file; a path from any of its writes counts."""
        writes = [used for used in self._history.writes(file) if used.holds(line)]
        if not writes:
            return self._without_accesses(line, file)
        return _best(self._written(line, used, _MOST_CARRIERS) for used in writes)

    def find_again(self, line: str) -> LinePath:
        """Find how a line came in with the last write of the task agent, though it had it before.

        So a strategy that is taken whole once more is told from an own version that is restored.
        """
        writes = list(self._history.writes(TASK))
        if not writes:
            return self._without_accesses(line, TASK)
        access = writes[-1].access
        reply = self._history.reply(access.step)
        source = None
        if reply is None or not reply.typed.holds(line):
            source = self._of_program(line, access.step, access.last, TASK, _MOST_CARRIERS)
        source = source or self._displayed_by_others(line, access.step)
        return source.then(self._history.at(writes[-1], "came_in"))

    def find_rewritten(
        self, mine: Sequence[str], theirs: Sequence[str], seen: SeenStrategy
    ) -> LinePath:
        """Find how code of a strategy came in that stands in the task agent in other words.

        Args:
            mine: Telling lines of it in the task agent.
            theirs: Telling lines of it in the strategy.
            seen: The strategy.
        """
        history = self._history
        if history.is_empty or not mine or not theirs:
            return NOT_KNOWN
        writes = [used for used in history.writes(TASK) if used.lines.intersection(mine)]
        if history.has_accesses and not writes:
            return NOT_KNOWN
        step = writes[-1].access.step if writes else len(history.replies)
        typed = [at for line in mine if (at := self._first_typed(line, step)) is not None]
        if 2 * len(typed) < len(mine):
            if not writes:
                return NOT_KNOWN
            return self._worked_on(theirs, step, writes[-1].access.last, seen)
        number = min(typed)
        reply = history.replies[number - 1]
        shown = [path for line in theirs if (path := self._displayed(line, number)).strategy]
        of_this = [path for path in shown if path.strategy == seen.folder]
        if 2 * len(of_this) >= len(theirs):
            return of_this[0].then(reply.quoting("typed", number, mine[0]))
        return self._displayed_anew(mine, theirs, number, seen)

    def _worked_on(
        self, theirs: Sequence[str], step: int, before: int | None, seen: SeenStrategy
    ) -> LinePath:
        """The path by a program that had most lines of a strategy in a step and wrote others."""
        sources = [self._of_program(line, step, before, TASK, _MOST_CARRIERS) for line in theirs]
        paths = [source for source in sources if source and source.strategy == seen.folder]
        return paths[0] if 2 * len(paths) >= len(theirs) else NO_PATH

    def _displayed_anew(
        self, mine: Sequence[str], theirs: Sequence[str], number: int, seen: SeenStrategy
    ) -> LinePath:
        """The path by a program that displayed a strategy in other words, which were then typed."""
        for at in range(number, 0, -1):
            reply = self._history.replies[at - 1]
            texts = [message.text for message in reply.shown]
            shown = [line for line in mine if any(text.holds(line) for text in texts)]
            if 2 * len(shown) >= len(mine):
                path = self._worked_on(theirs, at - 1, None, seen)
                typed = self._history.replies[number - 1].quoting("typed", number, mine[0])
                return path.then(reply.quoting("displayed", at - 1, shown[0]), typed)
        return NO_PATH

    def _written(self, line: str, write: UsedFile, left: int) -> LinePath:
        """How a line came into a file with one write."""
        step = write.access.step
        came_in = self._history.at(write, "came_in")
        is_typed_now = self._is_typed(line, step)
        first = self._first_typed(line, step)
        if is_typed_now:
            return self._typed(line, min(first or step, step), step).then(came_in)
        before = self._history.closed_by(write)
        source = self._of_program(line, step, before, write.access.path, left)
        if source is None and first is not None:
            source = self._typed(line, first, first)
        source = source or self._from_memory(line, step, write, left)
        return source.then(came_in)

    def _without_accesses(self, line: str, file: str) -> LinePath:
        """By the trace alone: typed or not, it has a path if it was displayed before."""
        last = len(self._history.replies)
        came_in = PathStep("came_in", file, quote=line[:QUOTE_CHARACTERS])
        first = self._first_typed(line, last)
        if first is not None:
            return self._typed(line, first, first).then(came_in)
        displayed = self._displayed(line, last)
        if displayed.strategy:
            return displayed.then(came_in)
        if self._history.problem or self._history.has_accesses:
            return NOT_KNOWN
        holders = (name for name, s in self._seen.items() if s.line_number(line) is not None)
        return NOT_KNOWN if any(map(self._history.names, holders)) else NO_PATH

    def _first_typed(self, line: str, upto: int) -> int | None:
        replies = enumerate(self._history.replies[:upto], start=1)
        return next((number for number, reply in replies if reply.typed.holds(line)), None)

    def _is_typed(self, line: str, step: int) -> bool:
        """Return True if a reply types a line, or all that is new in it to the agent."""
        reply = self._history.reply(step)
        if reply is None:
            return False
        if reply.typed.holds(line):
            return True
        new = self._new_tokens(line)
        return bool(new) and new.issubset(TOKEN.findall(reply.in_calls))

    def _new_tokens(self, line: str) -> frozenset[str]:
        """What is new in a line to the agent; nothing if that is too short to tell."""
        new = frozenset(TOKEN.findall(line)) - self._known
        return new if any(len(token) >= _SHORTEST_TOKEN for token in new) else frozenset()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(TOKEN.findall(self._before))

    def _typed(self, line: str, number: int, step: int) -> LinePath:
        reply = self._history.replies[number - 1]
        return self._displayed(line, number).then(reply.quoting("typed", step, line))

    def _displayed(self, line: str, number: int) -> LinePath:
        """The path by which a line was last displayed before a reply: who displayed it counts."""
        found = (self._displayed_in(line, at) for at in range(number, 0, -1))
        return next((path for path in found if path is not None), NO_PATH)

    def _displayed_in(self, line: str, number: int) -> LinePath | None:
        """The path by which the request for a reply displayed a line; None if it did not."""
        reply = self._history.replies[number - 1]
        showing = [message for message in reply.shown if message.text.holds(line)]
        if not showing:
            return self._displayed_in_parts(line, reply, number - 1)
        source = self._source_of_display(line, number - 1, by_tool=showing[-1].by_tool)
        return source.then(reply.quoting("displayed", number - 1, line))

    def _displayed_in_parts(self, line: str, reply: Reply, step: int) -> LinePath | None:
        """The path by a program that had a line and displayed what is new in it, no more."""
        new = self._new_tokens(line)
        if not new or not any(new <= message.text.tokens for message in reply.shown):
            return None
        source = self._of_program(line, step, None, "", _MOST_CARRIERS)
        return source and source.then(reply.quoting("displayed", step, " ".join(sorted(new))))

    def _displayed_by_others(self, line: str, number: int) -> LinePath:
        """The same, where the agent's own file, displayed since, has the line too."""
        for at in range(number, 0, -1):
            opened = {used.access.path for used in self._history.reads(at - 1, since=at - 1)}
            if self._own_past and any(map(_OWN_PAST.fullmatch, opened)):
                return NO_PATH
            found = self._displayed_in(line, at)
            if found is not None and found.strategy:
                return found
        return NO_PATH

    def _source_of_display(self, line: str, step: int, *, by_tool: bool) -> LinePath:
        """From where a program had a line that it displayed in a step."""
        if not self._history.has_accesses:
            return self._named(line, step)
        source = self._of_program(line, step, None, "", _MOST_CARRIERS)
        if source is None and not by_tool:
            remembered = self._remembered(line, step, None)
            source = None if remembered is None else remembered.path
        source = source or self._from_memory(line, step, None, _MOST_CARRIERS)
        return (
            self._named(line, step) if self._history.unobserved and not source.strategy else source
        )

    def _of_program(
        self, line: str, step: int, before: int | None, target: str, left: int
    ) -> LinePath | None:
        """The last file with a line that was read in a step; None if none was.

        Args:
            line: The line.
            step: The step.
            before: Ordinal of the event before which it was read; None for any.
            target: The file that was written then.
            left: How many carriers may still follow.
        """
        latest: tuple[int, LinePath] | None = None
        for used in self._history.reads(step, since=step):
            access = used.access
            if access.path == target:
                continue
            if before is not None and access.first > before:
                continue
            ordinal = access.last if before is None or access.last < before else access.first
            if latest is not None and ordinal < latest[0]:
                continue
            source = self._holding(line, used, left)
            if source is not None:
                latest = ordinal, source
        return None if latest is None else latest[1]

    def _holding(self, line: str, used: UsedFile, left: int) -> LinePath | None:
        """Where a line in a file that was read is from; None if the file has it not."""
        path = used.access.path
        if path.startswith("strategies/"):
            return self._opened(line, used)
        if _OWN_PAST.fullmatch(path):
            return NO_PATH if self._own_past else None
        if left > 0:
            earlier = [
                write
                for write in (
                    *(w for w in self._history.held_by(line, used.access.step)),
                    *self._history.opaque_writes(path, used.access.step),
                )
                if write.access.path == path and write.access.first < used.access.last
            ]
            if earlier:
                return self._through(line, earlier[-1], left - 1)
        carried = self._carried.get(path, {}).get(line)
        return None if carried is None else self._of_carried(path, carried)

    def _through(self, line: str, write: UsedFile, left: int) -> LinePath | None:
        """The path through a file that was written in this generation."""
        if write.holds(line):
            source = self._written(line, write, left)
            source = source._replace(steps=source.steps[:-1])  # it came into the carrier
        else:  # nobody knows what is in it
            access = write.access
            before = self._history.closed_by(write)
            source = self._of_program(line, access.step, before, access.path, left)
            if source is not None and not self._has_room(write, source):
                return None
        return None if source is None else source.then(self._history.at(write, "carried"))

    def _has_room(self, write: UsedFile, source: LinePath) -> bool:
        """Return True if an encoded text can hold a strategy: it is as long as that one packed."""
        strategy = self._seen.get(source.strategy)
        is_text = bool(write.access.lines)
        return not is_text or strategy is None or write.characters >= _packed(strategy.text)

    def _opened(self, line: str, used: UsedFile) -> LinePath | None:
        _, folder, *file = used.access.path.split("/", 2)
        strategy = self._seen.get(folder)
        if strategy is None or not file:
            return None
        number = strategy.line_number(line, file[0])
        if number is None:
            return None
        in_sight = PathStep("in_sight", used.access.path, number, None, line[:QUOTE_CHARACTERS])
        return LinePath(folder, steps=(in_sight, self._history.at(used, "opened")))

    def _of_carried(self, path: str, carried: CarriedLine) -> LinePath:
        since = f"{path} since generation {carried.generation}"
        step = PathStep("carried", path, quote=since)
        return LinePath(carried.strategy.folder, steps=(*carried.steps, step))

    def _from_memory(self, line: str, step: int, write: UsedFile | None, left: int) -> LinePath:
        """From where a program may have had a line that opened no file with it in that step."""
        target = "" if write is None else write.access.path
        held = self._history.held_by(line, step) if left > 0 else ()
        moved = [other for other in held if other.access.path != target]
        if moved:
            return self._through(line, moved[-1], left - 1) or NO_PATH
        remembered = self._remembered(line, step, write)
        if remembered is None:
            is_whole = not (self._history.unobserved or self._history.problem)
            return NO_PATH if is_whole else NOT_KNOWN
        return remembered.path if self._keeps_state(remembered.step, step) else NOT_KNOWN

    def _remembered(self, line: str, step: int, write: UsedFile | None) -> _Remembered | None:
        """The last file with a line that was read up to a step, and before a write in it."""
        sources = [
            _Remembered(source, used.access.step)
            for used in self._history.reads(step)
            if (write is None or used.access.first < write.access.last)
            and (source := self._holding(line, used, 1)) is not None
        ]
        return sources[-1] if sources else None

    def _keeps_state(self, since: int, step: int) -> bool:
        """Return True if the program of a step can have kept what one read in an earlier step.

        The agent's own program can; a shell can in a variable that both commands name, in a
        program in the background, and in scratch files where nobody watches them.
        """
        if self._history.problem:
            return False
        reply, earlier = self._history.reply(step), self._history.reply(since)
        if reply is None or not reply.in_calls:
            return True
        before = "" if earlier is None else earlier.in_calls
        names = {found[1] for found in _VARIABLE.finditer(reply.in_calls)}
        is_named = not names.isdisjoint(TOKEN.findall(before))
        shared = {*_SCRATCH.findall(before)}.intersection(_SCRATCH.findall(reply.in_calls))
        is_scratch = bool(shared) and not self._history.has_scratch
        return is_named or is_scratch or _BACKGROUND.search(before) is not None

    def _named(self, line: str, step: int) -> LinePath:
        """The strategy with a line that was displayed, where no access tells which one it was."""
        holders = [s for s in self._seen.values() if s.line_number(line) is not None]
        reply = self._history.reply(step)
        said = "" if reply is None else reply.in_calls
        holder = next((s for s in holders if s.folder in said), next(iter(holders), None))
        if holder is None:
            return self._carried_unseen(line)
        number = holder.line_number(line) or 0
        file = f"{holder.strategy}/{TASK}"
        quote = line[:QUOTE_CHARACTERS]
        return LinePath(holder.folder, steps=(PathStep("in_sight", file, number, None, quote),))

    def _carried_unseen(self, line: str) -> LinePath:
        for path, lines in self._carried.items():
            if line in lines:
                return self._of_carried(path, lines[line])
        return NO_PATH


@lru_cache(maxsize=TEXTS_AT_HAND)
def _packed(text: str) -> int:
    """How many bytes a text has when it is packed: a checksum or a count has fewer."""
    return len(zlib.compress(text.encode("utf-8", "surrogatepass"), 9))


def _best(paths: Iterable[LinePath]) -> LinePath:
    """A path if there is one, else what is not known, else none."""
    ranked: Iterator[tuple[int, LinePath]] = (
        (0 if path.strategy else 1 + path.is_known, path) for path in paths
    )
    return min(ranked, key=lambda row: row[0], default=(2, NO_PATH))[1]
