"""Adoptions in a run that is followed: told with the closing in which they happened."""

from collections.abc import Iterator

from hyperspace.kernel.state.folder import RunFolder, was_dropped
from hyperspace.kernel.state.manifest import Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.runs.following.events import Adopted
from transfer_experiment.adoption.events import adopted
from transfer_experiment.adoption.recorded import recorded_in
from transfer_experiment.divergence import Divergence, first_divergence, with_validity
from transfer_experiment.running_analysis import RunningAnalysis


class AdoptionEvents:
    """Judges what agents adopted, closing by closing; remembers what the next one needs."""

    def __init__(self, folder: RunFolder, agents: tuple[str, ...]) -> None:
        self._folder = folder
        self._analysis = RunningAnalysis(folder)
        self._diverged: Divergence | None = None

    def __call__(self, marks: RunMarks, closing: Closing, sequence: int) -> Iterator[Adopted]:
        """Return the adoptions of a closing."""
        self._diverged = self._diverged or first_divergence([closing], marks.config.agents)
        adoptions = adopted(self._analysis.take(marks, closing))
        if was_dropped(self._folder.closed(closing)):
            # Its evidence went with its trace; the run's summary is older than that.
            events = recorded_in(self._folder, marks.space) or ()
            whose = (closing.manifest.agent, closing.manifest.generation)
            adoptions = [event for event in events if (event.agent, event.generation) == whose]
        since = None if self._diverged is None else self._diverged.generation
        for event in with_validity(adoptions, since):
            yield Adopted(
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
                evidence=tuple(dict.fromkeys(f"{row.file}:{row.line}" for row in event.evidence)),
            )
