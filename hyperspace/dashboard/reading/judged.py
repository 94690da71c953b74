"""What is concluded of a run: who adopted what, what the guard did, whose each line of code was.

Each is made by the package that knows how, and kept until the run changes.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from hyperspace.audit.audit import Audit, read_audit
from hyperspace.audit.noted import NotedRecords, read_noted
from hyperspace.dashboard.question import Question
from hyperspace.runs.archives import AgentArchive, archives_of, is_long, read_archives
from hyperspace.runs.files import TASK
from hyperspace.runs.records import Generation, RunAgent
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.provenance import FileProvenance, SourceLine, own_file
from transfer_experiment.adoption.recorded import recorded_of
from transfer_experiment.analysis import RunAnalysis, analyse
from transfer_experiment.result import result_on_record
from transfer_experiment.turns.steps import read_steps

MOST_ANALYSED: Final = 3_000  # generations of all agents: seconds
MOST_TRACE_BYTES: Final = 4_000_000
LABEL_S: Final = 0.5  # at most so long a page waits for lines that are not labelled yet


class LabelledCode(NamedTuple):
    """The lines of a file, with whose each was first.

    Attributes:
        lines: Without sources while not all generations before were read.
        upto: The newest generation that was read.
        is_complete: Whether these are all up to this one.
    """

    lines: Sequence[SourceLine]
    upto: int
    is_complete: bool = True


def analysis_of(question: Question) -> RunAnalysis | None:
    """Analyse the run of the address; None if that takes longer than a page may.

    Raises:
        NotThere: It is not there.
    """
    if is_long(question.place.folder):
        return None
    run = question.run()
    if sum(len(agent.generations) for agent in run.agents) > MOST_ANALYSED:
        return None
    return question.sources.held.made("analysis", question.place, lambda _: analyse(run))


def recorded_adoptions(question: Question) -> tuple[Adoption, ...] | None:
    """Return what the run's own summary tells of adoption; None if it tells nothing."""
    return recorded_of(question.place.folder)


def audit_of(question: Question) -> Audit | NotedRecords:
    """Audit the run of the address; of a long one, return what it wrote down of the guard.

    Raises:
        RunUsageError: It is none of ours.
        RunDamaged: Its summary cannot be read.
        StoreError: Its space cannot be read.
    """
    folder = question.place.folder
    if is_long(folder):
        return question.sources.held.made("noted", question.place, lambda _: read_noted(folder))
    return question.sources.held.made(
        "audit", question.place, lambda _: read_audit(folder, result=result_on_record)
    )


def labelled_code(
    question: Question, agent: RunAgent, turn: Generation, file: str = TASK
) -> LabelledCode:
    """Label the lines of a file of a generation; generations before it are read once.

    Of a long run they are read bit by bit, each time that it is asked for.
    """

    def known(before: FileProvenance | None) -> FileProvenance:
        return before or FileProvenance(agent.name, file)

    key = ("lines", agent.name, file)
    provenance = question.sources.held.made(key, question.place, known)
    stored = own_file(turn, file)
    text = None if stored is None else stored.read()
    if text is None:
        return LabelledCode((), turn.generation)
    provenance.advance(agent, turn.generation, LABEL_S)
    if provenance.upto < turn.generation:
        lines = [SourceLine(line, None) for line in text.splitlines()]
        return LabelledCode(lines, provenance.upto, is_complete=False)
    return LabelledCode(provenance.label(agent, text), turn.generation)


def is_best(question: Question, agent: RunAgent, turn: Generation) -> bool:
    """Return whether a generation is the best of its agent, as far as is played."""
    if is_long(question.place.folder):
        return question.followed().look().columns[agent.name].best_generation == turn.generation
    return agent.best is not None and agent.best.generation == turn.generation


def reply_lines(turn: Generation) -> tuple[int, ...]:
    """Return the line of the trace in which each reply of the meta agent stands.

    Empty where the trace cannot be read, or is too long to be read for a few links.
    """
    path = turn.trace.path
    with suppress(OSError):
        if path is not None and path.lstat().st_size <= MOST_TRACE_BYTES:
            return tuple(step.line for step in read_steps(turn.trace).steps)
    return ()


def archives(question: Question) -> tuple[AgentArchive, ...]:
    """Return the archives of the run of the address; of a long one without reading all of it."""
    place = question.place
    if is_long(place.folder):
        return question.sources.held.made("archives", place, lambda _: read_archives(place.folder))
    return archives_of(question.run())


def adoptions_for_lineage(question: Question) -> tuple[Adoption, ...]:
    """Return what was adopted or inspired by the causal rule; of a long run what it recorded."""
    if is_long(question.place.folder):
        return recorded_adoptions(question) or ()
    analysis = analysis_of(question)
    events = () if analysis is None else analysis.adoptions
    return tuple(e for e in events if e.rule == "causal" and e.verdict in ("adopted", "inspired"))
