"""One generation, as JSON."""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.pages.code import provenance_counts
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion
from hyperspace.dashboard.reading.judged import labelled_code
from hyperspace.runs.generation_record import GenerationRecord, folder_of, read_generation_record
from hyperspace.runs.items import EvaluatedSplit, read_splits
from transfer_experiment.adoption.provenance import OriginKind

MOST_ITEMS = 1_000


class LineOrigin(msgspec.Struct, frozen=True):
    """How many lines of a file were first whose.

    Attributes:
        kind: The seed's, the agent's own, or a peer's.
        since: Generation in which they came in.
        peer: Of a peer's lines, whose.
        peer_generation: Of a peer's lines, which generation of the peer's was in sight.
        lines: How many.
    """

    kind: OriginKind
    since: int
    peer: str
    peer_generation: int | None
    lines: int


class CodeFile(msgspec.Struct, frozen=True):
    """A file of a generation's code.

    Attributes:
        path: Its path.
        size_bytes: Its size; null if it is not there.
        origins: Whose its lines were first; empty while a long run is read up to here.
        text: The file; empty unless texts are asked for.
    """

    path: str
    size_bytes: int | None
    origins: tuple[LineOrigin, ...]
    text: str


class StrategyInSight(msgspec.Struct, frozen=True):
    """A strategy that was in sight.

    Attributes:
        folder: Its folder below `strategies/`.
        agent: Whose.
        generation: Which generation of that agent.
        val: The validation score that it was shown with.
    """

    folder: str
    agent: str
    generation: int
    val: float | None


class GenerationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One generation.

    Attributes:
        agent: Whose.
        generation: Its number.
        parent: The generation that was selected.
        forked_from: The generation whose code it started from.
        valid: Whether it passed its gates and was evaluated.
        error: Why not; empty unless texts are asked for.
        train: Train score.
        val: Validation score.
        fitness: What it is ranked by.
        results_of: The generation with the same code whose results these are; null if it was
            evaluated itself.
        files: Its own code.
        in_sight: Strategies that were in sight of it.
        splits: What it was evaluated on; predictions, labels and answers are empty unless texts
            are asked for.
        record: Gates, cost, edits, accesses and violations; without texts unless they are asked
            for.
    """

    agent: str
    generation: int
    parent: int | None
    forked_from: int | None
    valid: bool
    error: str
    train: float | None
    val: float | None
    fitness: float | None
    results_of: int | None
    files: tuple[CodeFile, ...]
    in_sight: tuple[StrategyInSight, ...]
    splits: tuple[EvaluatedSplit, ...]
    record: GenerationRecord


def answer(question: Question) -> GenerationAnswer:
    """Read a generation."""
    here, with_texts = CodeVersion(question.agent(), question.generation()), question.with_texts
    turn, folder = here.turn, folder_of(here.turn)
    record = read_generation_record(Path(question.run().source), here.agent.name, turn)
    splits = () if folder is None else read_splits(folder)
    return GenerationAnswer(
        agent=here.agent.name,
        generation=turn.generation,
        parent=turn.parent,
        forked_from=turn.origin,
        valid=turn.valid,
        error=turn.error if with_texts else "",
        train=turn.train,
        val=turn.val,
        fitness=turn.fitness,
        results_of=turn.results_of,
        files=tuple(_file(question, here, path, with_texts) for path in here.files()),
        in_sight=tuple(
            StrategyInSight(seen.folder, seen.peer, seen.generation, seen.val) for seen in turn.seen
        ),
        splits=tuple(_split(split, with_texts) for split in splits),
        record=record if with_texts else _without_texts(record),
    )


def _file(question: Question, here: CodeVersion, path: str, with_texts: bool) -> CodeFile:
    counts = provenance_counts(labelled_code(question, here.agent, here.turn, path).lines)
    return CodeFile(
        path=path,
        size_bytes=here.size_bytes(path),
        origins=tuple(LineOrigin(*source, lines) for source, lines in counts),
        text=(here.read(path) or "") if with_texts else "",
    )


def _split(split: EvaluatedSplit, with_texts: bool) -> EvaluatedSplit:
    items = split.items[:MOST_ITEMS]
    if not with_texts:
        items = tuple(
            replace(item, prediction="", label=None, error="", answer="") for item in items
        )
    return replace(split, items=items)


def _without_texts(record: GenerationRecord) -> GenerationRecord:
    """Leave out what quotes agents: failures of gates, evidence, lines that were written."""
    accesses = record.accesses
    if accesses is not None:
        kept = tuple(replace(row, lines=()) for row in accesses.records)
        accesses = accesses._replace(records=kept)
    passed = {name: told if told == "passed" else "failed" for name, told in record.gates.items()}
    violations = tuple(replace(each, evidence={}) for each in record.violations)
    return replace(record, gates=passed, violations=violations, accesses=accesses)


ENDPOINT = ApiEndpoint(
    "generation",
    "/api/runs/{run}/agents/{agent}/generations/{generation}",
    answer,
    GenerationAnswer,
    "One generation: scores, whose its lines were, items, gates, edits, violations.",
    (("content", "1: also texts, which agents wrote: code, predictions, answers, evidence"),),
)
