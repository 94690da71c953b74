"""What a closing mark tells: a generation, its violations, and what it adopted from peers."""

from collections.abc import Iterator

import msgspec

from evolution.state.archive import Archive
from evolution.state.folder import RunFolder, was_dropped
from evolution.state.manifest import TEST, Closing
from evolution.state.marks import RunMarks
from hyperspace.watching.events import Adopted, Event, GenerationEnded, GuardRefusal
from transfer_experiment.adoption.causal_rule import Adoption, adopted
from transfer_experiment.analysis import RunningAnalysis
from transfer_experiment.divergence import Divergence, first_divergence, with_validity


class Closings:
    """Reads the closings of a run one by one; remembers no more than it needs to judge the next."""

    def __init__(self, folder: RunFolder, agents: tuple[str, ...]) -> None:
        self._folder = folder
        self._agents = agents
        self._archives = {agent: Archive(agent) for agent in agents}
        self._analysis = RunningAnalysis(folder, agents)
        self._diverged: Divergence | None = None

    def read(self, marks: RunMarks, closing: Closing, sequence: int) -> Iterator[Event]:
        """Tell what a closing says, the generation first."""
        self._diverged = self._diverged or first_divergence([closing], self._agents)
        yield self._ended(closing, sequence)
        manifest = closing.manifest
        for found in manifest.violations:
            yield GuardRefusal(
                sequence=sequence,
                agent=manifest.agent,
                generation=manifest.generation,
                refused=found.was_refused,
                topic=found.topic,
                what=found.what,
                path=found.path,
                verdict=found.verdict,
                reason=found.reason,
            )
        for event in with_validity(self._adoptions(marks, closing), self._diverged):
            yield _told(event, sequence)

    def _ended(self, closing: Closing, sequence: int) -> GenerationEnded:
        manifest = closing.manifest
        is_final = manifest.generation == TEST
        is_best = not is_final and self._archives[manifest.agent].add(manifest).is_best
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
            calls=closing.calls,
            cost_usd=closing.cost_usd,
            seconds=closing.seconds,
            closed_utc=closing.closed_utc,
        )

    def _adoptions(self, marks: RunMarks, closing: Closing) -> list[Adoption]:
        found = adopted(self._analysis.take(marks, closing))
        if was_dropped(self._folder.closed(closing)):
            return self._summed_up(closing)  # its evidence went with its trace
        return found

    def _summed_up(self, closing: Closing) -> list[Adoption]:
        """Return the adoptions in the run's summary, which is older than the loss of the trace."""
        summary = msgspec.json.decode(self._folder.summary.read_bytes())
        events = msgspec.convert(summary.get("adoptions", ()), list[Adoption])
        whose = (closing.manifest.agent, closing.manifest.generation)
        return [event for event in events if (event.agent, event.generation) == whose]


def _told(event: Adoption, sequence: int) -> Adopted:
    return Adopted(
        sequence=sequence,
        agent=event.agent,
        peer=event.peer,
        generation=event.generation,
        strategy=event.strategy,
        ratio=event.ratio,
        score_before=event.score_before,
        score_after=event.score_after,
        peer_lines=event.peer_lines,
        valid=event.valid,
        evidence=tuple(dict.fromkeys(f"{found.file}:{found.line}" for found in event.evidence)),
    )
