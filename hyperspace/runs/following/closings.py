"""Events of a closing mark: a generation that ended, and what was refused in it."""

from collections.abc import Callable, Iterator

from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.views.nothing import LEAST_TOLD, AgentEffect
from hyperspace.runs.following.events import Event, GenerationEnded, NothingSoFar, ViolationFound

ClosingReader = Callable[[RunMarks, Closing, int], Iterator[Event]]
"""Returns the events of a closing, given the run's open space, the closing, and the sequence of its
mark; called with the closings of a run one by one, in the order of their marks."""

MakeReader = Callable[[RunFolder, tuple[str, ...]], ClosingReader]
"""Makes a reader for the run in a folder, with these agents."""


class Closings:
    """Tells generations that ended, and what was refused in them; remembers the best of each."""

    def __init__(self, agents: tuple[str, ...]) -> None:
        self._archives = {agent: Archive(agent) for agent in agents}
        self._effects = {agent: AgentEffect() for agent in agents}
        self._told = set[str]()

    def read(self, marks: RunMarks, closing: Closing, sequence: int) -> Iterator[Event]:
        """Return the events of a closing, the generation first."""
        yield self._ended(closing, sequence)
        manifest = closing.manifest
        yield from self._nothing_so_far(closing, sequence)
        for violation in manifest.violations:
            yield ViolationFound(
                sequence=sequence,
                agent=manifest.agent,
                generation=manifest.generation,
                refused=violation.was_refused,
                topic=violation.topic,
                what=violation.what,
                path=violation.path,
                verdict=violation.verdict,
                reason=violation.reason,
            )

    def _nothing_so_far(self, closing: Closing, sequence: int) -> Iterator[Event]:
        agent = closing.manifest.agent
        effect = self._effects.setdefault(agent, AgentEffect())
        effect.take(closing)
        nothing, was_told = effect.nothing, agent in self._told
        if nothing is None and was_told:
            self._told.discard(agent)
            yield NothingSoFar(sequence=sequence, agent=agent, text="")
        elif nothing is not None and nothing.generations >= LEAST_TOLD and not was_told:
            self._told.add(agent)
            text = f"{nothing.sentence}; {nothing.advice('RUN', agent)}"
            yield NothingSoFar(sequence=sequence, agent=agent, text=text)

    def _ended(self, closing: Closing, sequence: int) -> GenerationEnded:
        manifest = closing.manifest
        is_final = manifest.generation == TEST
        archive = self._archives.setdefault(manifest.agent, Archive(manifest.agent))
        is_best = not is_final and archive.add(manifest).is_best
        return GenerationEnded(
            sequence=sequence,
            agent=manifest.agent,
            generation=manifest.generation,
            valid=manifest.valid,
            error=manifest.error,
            train_score=manifest.score("train"),
            val_score=manifest.score("val"),
            test_score=manifest.score(TEST),
            is_best=is_best,
            best_val=None if archive.best is None else archive.best.val_score,
            calls=closing.calls,
            cost_usd=closing.cost_usd,
            seconds=closing.seconds,
            closed_utc=closing.closed_utc,
        )
