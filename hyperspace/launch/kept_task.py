"""The files of a task of a person's own, kept in the run: going on needs none of the originals.

What is kept holds labels, also sealed ones, and code that runs unconfined: nobody else may read it,
and it is loaded on no word but that of the person who began the run.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import files_below, write_tree
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.copies import is_known
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.tasks.registry import CONFIG, files_sha256

MOST_BYTES: Final = 16_000_000
MOST_FILES: Final = 1_000
_CODE: Final = "code"
_DATA: Final = "data"


class NamedTask(NamedTuple):
    """A task, and where its data lie.

    Attributes:
        spec: As `hyperspace.tasks.registry.load` takes it.
        data: Folder of its data; None if there is none.
    """

    spec: str
    data: Path | None


class _Own(NamedTuple):
    """A task that is a file or a folder of the person's: its path, and what stands behind that."""

    path: Path
    rest: str


def keep_task(folder: RunFolder, task: NamedTask) -> str:
    """Keep the files of a task of the person's own in the run, once.

    Returns:
        What is not kept, in a sentence for people; empty where all is, or the task comes along.
    """
    own, record = _own(task.spec), read_record_of(folder.root)
    if own is None or not own.path.exists() or folder.kept_task.exists():
        return ""
    was_edited = record.domain_sha256 != files_sha256(task.spec)
    if was_edited or folder.kept_task.name in record.configuration.agents:
        return ""
    files: dict[str, bytes] = {}
    told = _take(files, own.path.parent, _CODE, _names(own.path))
    if not told and task.data is not None:
        told = _take(files, task.data, _DATA, files_below(task.data))
    if files:
        _write(folder.kept_task, files)
    return told


def task_of(run: Path, task: NamedTask) -> NamedTask:
    """Return the task of a run: as it is named, or as it was kept where that is not there any more.

    Only what this user's own run has kept is taken.

    Raises:
        RunUsageError: It is not the code that the run was begun with.
    """
    own, kept = _own(task.spec), RunFolder(run).kept_task
    if own is None or not kept.is_dir() or not is_known(run):
        return task
    spec, data = task
    if not own.path.exists():
        spec = f"{kept / _CODE / own.path.name}{own.rest}"
        if read_record_of(run).domain_sha256 != files_sha256(spec):
            raise RunUsageError(
                f"{own.path} is not there, and {kept / _CODE} is not what the run was begun with; "
                "put one of them back from a copy"
            )
    if data is not None and not data.exists() and (kept / _DATA).is_dir():
        data = kept / _DATA
    return NamedTask(spec, data)


def kept_spec(run: Path, spec: str) -> str:
    """Return how a person names the code of a task that a run has kept; `spec` if it has none."""
    own = _own(spec)
    if own is None or own.path.exists():
        return spec
    kept = RunFolder(run).kept_task / _CODE / own.path.name
    return f"{kept}{own.rest}" if kept.is_file() else spec


def _own(spec: str) -> _Own | None:
    path, mark, query = spec.partition("?")
    file, _, name = path.rpartition(":")
    if file.endswith(".py") and ".py:" not in file:
        return _Own(Path(file), f":{name}{mark}{query}")
    is_folder = "/" in path or (Path(path) / CONFIG).is_file()
    return _Own(Path(path), f"{mark}{query}") if is_folder else None


def _names(path: Path) -> Iterator[str]:
    """Yield a file, and those beside it that it names; or all files of a folder."""
    if path.is_dir():
        yield from (f"{path.name}/{name}" for name in files_below(path))
        return
    yield path.name
    text = path.read_text("utf-8", "replace")
    for other in sorted(path.parent.iterdir()):
        is_code = other.suffix == path.suffix  # of which no hash is on record
        if not is_code and other.is_file() and _is_quoted(other.name, text):
            yield other.name


def _is_quoted(name: str, text: str) -> bool:
    """Return whether code names a file, alone or at the end of a path."""
    return any(f"{before}{name}{after}" in text for before in "'\"/" for after in "'\"")


def _take(files: dict[str, bytes], folder: Path, part: str, names: Iterable[str]) -> str:
    """Read files below a folder, all or none; returns why not, if there is a reason."""
    taken: dict[str, bytes] = {}
    for name in names:
        left = MOST_BYTES - sum(map(len, files.values())) - sum(map(len, taken.values()))
        try:
            taken[f"{part}/{name}"] = read_whole(folder / name, max(left, 0))
        except Unreadable as error:
            return _not_kept(folder / name, str(error))
        if len(files) + len(taken) > MOST_FILES:
            return _not_kept(folder, f"has more than {MOST_FILES} files")
    files |= taken
    return ""


def _not_kept(path: Path, why: str) -> str:
    return (
        f"the task's files are not all kept in the run ({path} {why}); to go on it needs them "
        "where they lie"
    )


def _write(target: Path, files: dict[str, bytes]) -> None:
    beside = target.with_name(f".{target.name}")
    beside.mkdir(mode=0o700, exist_ok=True)
    write_tree(beside, files)
    for name in files:
        os.chmod(beside / name, 0o600)  # noqa: PTH101  as `write_tree` opens them
    beside.rename(target)
