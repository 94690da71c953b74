"""`best/`: the best code of a finished run, with where it came from; a view of its space."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hyperspace.kernel.files import files_below, pretty_json, sha256_hex, sync_folder, write_tree
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Closing, Manifest
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.models.names import asked_name

CODE: Final = "repo/"
SCORE: Final = "score.json"


def keep_best(folder: RunFolder, marks: RunMarks, digest: str) -> None:
    """Write the best code of a run whose generations are closed, unless it is there.

    Of several agents it is that of the one that is best by validation, of equals the first; files
    are those of its generation. Nothing where none was scored, or an agent is called `best`.

    Args:
        folder: The run's.
        marks: Its open space.
        digest: The run's.

    Raises:
        RunDamaged: A file of that generation is missing or was changed.
    """
    target = folder.best
    if target.name in marks.config.agents:
        return
    files = best_files(folder, marks, digest)
    if not files or _holds(target, files):
        return
    work = target.with_name(f".{target.name}")
    shutil.rmtree(work, ignore_errors=True)
    write_tree(work, files)
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)
    sync_folder(folder.root)


def best_files(folder: RunFolder, marks: RunMarks, digest: str) -> dict[str, bytes]:
    """Return the files of `best/` by path; empty where no generation was scored."""
    closings = _best_closings(marks)
    if not closings:
        return {}
    closing = _best_of(closings)
    files = {path: folder.read_closed(closing, path) for path in _code_of(closing)}
    score = {
        **_scores(marks, closing.manifest),
        "digest": digest,
        "domain": marks.config.domain.partition("?")[0],
        "seed": marks.config.seed,
        "ancestry": [_ancestor(manifest) for manifest in _chain(marks, closing.manifest)],
        "files": {path: sha256_hex(data) for path, data in sorted(files.items())},
        "agents": [_scores(marks, each.manifest) for each in closings],
    }
    return files | {SCORE: pretty_json(score)}


def is_best_code(folder: RunFolder, marks: RunMarks) -> bool:
    """Return whether the code in `best/`, if there is any, is what the space knows as the best."""
    there = [path for path in files_below(folder.best) if path.startswith(CODE)]
    if folder.best.name in marks.config.agents or not there:
        return True
    closings = _best_closings(marks)
    wanted = _code_of(_best_of(closings)) if closings else {}
    return wanted == {path: sha256_hex((folder.best / path).read_bytes()) for path in there}


def _best_closings(marks: RunMarks) -> list[Closing]:
    """Return the closing of the best generation of each agent that was ever scored."""
    closings: list[Closing] = []
    for agent in marks.config.agents:
        archive = Archive(agent)
        for closing in marks.closings(agent):
            if closing.manifest.generation != TEST:
                archive.add(closing.manifest)
        if archive.best is not None:
            closings.append(marks.closing(agent, archive.best.generation))
    return closings


def _best_of(closings: Sequence[Closing]) -> Closing:
    return max(closings, key=lambda closing: closing.manifest.fitness)


def _code_of(closing: Closing) -> dict[str, str]:
    return {path: sha for path, sha in closing.files.items() if path.startswith(CODE)}


def _scores(marks: RunMarks, manifest: Manifest) -> dict[str, Any]:
    agent = manifest.agent
    final = marks.closing(agent, TEST).manifest if marks.has_final(agent) else None
    return {
        "agent": agent,
        "model": _model(marks.config, agent),
        "generation": manifest.generation,
        "train_score": manifest.score("train"),
        "val_score": manifest.score("val"),
        "test_score": None if final is None else final.score(TEST),
        "fitness": manifest.fitness,
        "code": f"{agent}/gen_{manifest.generation}/{CODE.rstrip('/')}",
    }


def _model(config: RunConfig, agent: str) -> str:
    return asked_name(config.models[config.turns[agent]])


def _ancestor(manifest: Manifest) -> dict[str, Any]:
    return {
        "generation": manifest.generation,
        "forked_from": manifest.forked_from,
        "train_score": manifest.score("train"),
        "val_score": manifest.score("val"),
        "code": manifest.code,
    }


def _chain(marks: RunMarks, manifest: Manifest) -> Iterator[Manifest]:
    """Yield a generation, what it was forked from, and so on to the first."""
    yield manifest
    while manifest.forked_from is not None:
        manifest = marks.closing(manifest.agent, manifest.forked_from).manifest
        yield manifest


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Return whether a folder holds exactly some files."""
    if not folder.is_dir() or set(files_below(folder)) != set(files):
        return False
    return all((folder / path).read_bytes() == data for path, data in files.items())
