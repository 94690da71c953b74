"""Our runs: scores, parents and what was in sight from the space, texts and traces from the files.

The space is opened for reading only and takes no lease, so a run may be read while it goes on.
`metadata.json` is a view of it: what it says otherwise is noted, and does not count.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.kernel.generation.sharing import shared_files
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import TRACE, RunFolder
from hyperspace.kernel.state.manifest import TEST, Closing, Manifest
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.runs.files import META, TASK, HeldText, ReadingNotes, StoredText, TextFile
from hyperspace.runs.generations import was_edited
from hyperspace.runs.records import Generation, RescoredTurn, RunAgent, StrategyRead
from hyperspace.runs.trace import TraceFile


class _Shown(msgspec.Struct, frozen=True):
    mark: str
    folder: str
    val_score: float | None = None


class SpaceRead(NamedTuple):
    """What the space of a run says.

    Attributes:
        config: What the run is.
        agents: In turn order.
        finished: Whether every final evaluation is closed, and there is a summary.
        test_exposed: Whether test was evaluated before the run was over, or the run went on.
    """

    config: RunConfig
    agents: tuple[RunAgent, ...]
    finished: bool
    test_exposed: bool


def read_space(folder: RunFolder, config: RunConfig, notes: ReadingNotes) -> SpaceRead:
    """Read the closed generations of every agent of a run, and its final evaluation.

    Raises:
        StoreError: The space cannot be read.
        RunDamaged: It has lost a mark, or one is not what was committed.
    """
    with reading(folder, config) as marks:
        return SpaceRead(
            config,
            tuple(_agent(folder, marks, name, notes) for name in config.agents),
            finished=folder.summary.exists() and marks.has_finals,
            test_exposed=(config.solo is not None and config.solo.eval_test)
            or any(map(marks.was_tested_before, config.agents)),
        )


def _agent(folder: RunFolder, marks: RunMarks, name: str, notes: ReadingNotes) -> RunAgent:
    config = marks.config
    strategies: dict[str, StrategyRead] = {}
    meta_hashes: dict[int, str | None] = {}
    generations: list[Generation] = []
    test: float | None = None
    for closing in marks.closings(name):
        manifest = closing.manifest
        if not isinstance(manifest.generation, int):
            test = manifest.score(TEST)
            continue
        row = read_turn(folder, marks, closing, strategies, notes)
        meta_hashes[row.generation] = manifest.code.get(META)
        generations.append(
            msgspec.structs.replace(row, meta_edited=was_edited(meta_hashes, row, row.origin))
        )
    model = config.models[config.agents.index(name)]
    forked, planned = config.fork_of(name), config.member(name).generations
    is_open = config.solo is not None and config.solo.budget is not UNSET  # ends after some calls
    return RunAgent(name, tuple(generations), test, None if is_open else planned, model, forked)


def read_turn(
    folder: RunFolder,
    marks: RunMarks,
    closing: Closing,
    strategies: dict[str, StrategyRead],
    notes: ReadingNotes | None = None,
) -> Generation:
    """Read one closed generation.

    Args:
        folder: The run's.
        marks: The open space.
        closing: Of the generation.
        strategies: Those that were looked up before, by mark id; grows.
        notes: Where to say what its metadata.json says otherwise.
    """
    manifest = closing.manifest
    path = folder.generation(manifest.agent, int(manifest.generation))
    notes = ReadingNotes(folder.root) if notes is None else notes
    metadata = notes.object_of(path / "metadata.json")
    _compare(metadata, manifest, path / "metadata.json", notes)
    for mark_id in manifest.seen:
        if mark_id not in strategies:
            strategies[mark_id] = _strategy(folder, marks, mark_id)
    task = TextFile(path / "repo" / TASK)
    return Generation(
        generation=int(manifest.generation),
        parent=manifest.parent,
        forked_from=manifest.forked_from,
        valid=manifest.valid,
        error=manifest.error,
        train=manifest.score("train"),
        val=manifest.score("val"),
        fitness=manifest.fitness,
        ensemble=None if manifest.ensemble is None else manifest.ensemble.val_score,
        full_eval="val" in manifest.splits,
        winner="" if manifest.tournament is None else manifest.tournament.winner,
        task=task,
        meta=TextFile(path / "repo" / META),
        code_bytes=task.size_bytes(),
        code_sha256=sha256_hex(canonical_json(manifest.code)),
        seen=tuple(_in_sight(metadata, manifest.seen, strategies)),
        trace=TraceFile(path / TRACE, str((path / TRACE).relative_to(folder.root))),
        records=path,
        own_files={
            name: TextFile(path / "repo" / name)
            for name in manifest.code
            if name not in (TASK, META)
        },
        diverged=closing.diverged,
        rescored=_rescored(manifest),
        results_of=closing.results_of,
    )


def _rescored(manifest: Manifest) -> RescoredTurn | None:
    again = manifest.rescored
    return again and RescoredTurn(again.generation, again.val_score, again.fitness)


def _compare(metadata: dict[str, Any], manifest: Manifest, path: Path, notes: ReadingNotes) -> None:
    """Note what metadata.json says otherwise than the space."""
    counts = {
        "parent": manifest.parent,
        "valid": manifest.valid,
        "train_score": manifest.score("train"),
        "val_score": manifest.score("val"),
    }
    for name, value in counts.items():
        if name in metadata and metadata[name] != value:
            said = msgspec.json.encode(metadata[name]).decode()[:40]
            notes.add(path, f"says {name} {said}, and the space says {value}; the latter counts")


def _in_sight(
    metadata: dict[str, Any], seen: tuple[str, ...], strategies: dict[str, StrategyRead]
) -> Iterator[StrategyRead]:
    """Return strategies in sight, with the folder names and scores that they were shown with."""
    try:
        shown = msgspec.convert(metadata.get("shown", ()), tuple[_Shown, ...])
    except msgspec.ValidationError:
        shown = ()
    if not shown:
        yield from (strategies[mark_id] for mark_id in seen)
    for row in shown:
        if row.mark in strategies:
            source = strategies[row.mark]
            yield msgspec.structs.replace(source, folder=row.folder, val=row.val_score)


def _strategy(folder: RunFolder, marks: RunMarks, mark_id: str) -> StrategyRead:
    strategy = marks.strategy_by_id(mark_id)
    repo = folder.generation(strategy.agent, strategy.generation) / "repo"
    shown = shared_files(strategy.files, marks.config.together.sharing)
    task, meta = (
        _shown(repo / name, shown.get(name), strategy.files.get(name)) for name in (TASK, META)
    )
    return StrategyRead(
        peer=strategy.agent,
        generation=strategy.generation,
        folder=strategy.folder,
        task=task,
        meta=meta,
        val=strategy.val_score,
    )


def _shown(path: Path, shown: str | None, complete: str | None) -> StoredText:
    """Return the text in sight of a file that a run may show in part, or not at all."""
    if shown is None:
        return HeldText()
    return TextFile(path) if shown == complete else HeldText(shown)
