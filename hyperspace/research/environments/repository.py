"""The files of an environment: the repository that evolves, and the sealed evaluation."""

import os
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from guards.scope.edit_scope import EditScope, is_plain
from guards.scope.globs import glob
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.research.environments.constants import with_constants
from hyperspace.research.environments.data import DataFolder, read_data
from hyperspace.research.environments.description import CONFIG, Description
from hyperspace.research.errors import EnvironmentUnusable

_MEGABYTE: Final = 1024**2
_LEFT_OUT: Final = frozenset({".git", "__pycache__", ".venv", ".pytest_cache", ".DS_Store"})
ARTEFACTS: Final = "artefacts"
_SEALED: Final = ("evaluation", "held_out")  # who reads what no job may


class Environment(msgspec.Struct, frozen=True):
    """An environment, read whole: nothing of it is looked up again while a run goes on.

    Attributes:
        description: What env.toml says.
        files: The repository, path to content.
        sealed: Frozen code and sealed data of the evaluation, path to content.
        sha256: Of all that decides a score.
        frozen: Patterns of paths that no diff may touch: those of env.toml, and common files.
        data: Folders that its jobs read, by name.
        held_out: Everything that the held-out evaluation holds, path to content; empty for none.
    """

    description: Description
    files: dict[str, bytes]
    sealed: dict[str, bytes]
    sha256: str
    frozen: tuple[str, ...] = ()
    data: dict[str, DataFolder] = {}
    held_out: dict[str, bytes] = {}

    @property
    def scope(self) -> EditScope:
        """What diffs may touch."""
        return EditScope(("**",), self.frozen)

    @property
    def name(self) -> str:
        """Names it in results."""
        return self.description.table.name

    def texts(self) -> dict[str, str]:
        """Return the files that are text, path to text: what diffs can change."""
        return texts_of(self.files)

    def is_shown(self, path: str) -> bool:
        """Return whether ideators are shown a file."""
        patterns = self.description.table.repository.shown
        return any(glob(pattern).matches(path) for pattern in patterns)


def texts_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return those files that are text, path to text."""
    texts: dict[str, str] = {}
    for path, data in files.items():
        with suppress(UnicodeDecodeError):
            texts[path] = data.decode()
    return texts


def tree_sha256(files: Mapping[str, bytes]) -> str:
    """Return the hash of a repository."""
    return sha256_hex(canonical_json({path: sha256_hex(data) for path, data in files.items()}))


def read_environment(
    description: Description, folders: Mapping[str, Path] = MappingProxyType({})
) -> Environment:
    """Read the files of an environment.

    What belongs to the evaluation is none of the repository, wherever it lies.

    Args:
        description: Says where they are.
        folders: A person's folders of data, by name.

    Raises:
        EnvironmentUnusable: A file is a link, too large, or has a name that is not plain; or data
            is missing, or nobody reads it.
    """
    table = description.table
    data = read_data(_wanted(description, folders))
    held_out = description.held_out and description.held_out.resolve()
    hidden = {description.sealed.resolve(), description.config.resolve(), held_out}
    files = _read(
        description.repository,
        "repository",
        table.budget.disk_mb * _MEGABYTE,
        lambda path: path.resolve() in hidden or path.name == CONFIG,
    )
    sealed = _read(
        description.sealed,
        "evaluation",
        table.evaluation.budget.disk_mb * _MEGABYTE,
        lambda path: path.name == ARTEFACTS or path.resolve() == held_out,
    )
    common = _common(description)
    for own in (files, sealed):
        if twice := sorted(own.keys() & common.keys()):
            raise EnvironmentUnusable(
                f"{description.config}: {twice[0]} lies in a folder of repository.common, and "
                "elsewhere too; delete one of them"
            )
        own.update(common)
    _set_constants(description, common.keys(), files, sealed)
    left = sorted(files.keys() & table.job.artefacts.keys())
    if left:
        raise EnvironmentUnusable(
            f"{description.repository} holds {left[0]}, which a job is to leave; delete it"
        )
    if not files:
        raise EnvironmentUnusable(f"{description.repository} is empty; it is what jobs run")
    decides: list[object] = [table, tree_sha256(files), tree_sha256(sealed)]
    if data:
        decides.append({name: folder.sha256 for name, folder in data.items()})
    if further := _held_out(description, sealed):
        decides.append({"held out": tree_sha256(further)})
    frozen = tuple(dict.fromkeys([*table.repository.frozen, *sorted(common)]))
    sha256 = sha256_hex(canonical_json(decides))
    return Environment(description, files, sealed, sha256, frozen, data, further)


def _held_out(description: Description, sealed: Mapping[str, bytes]) -> dict[str, bytes]:
    """Read the held-out evaluation, laid over the files of the other; empty for none."""
    if description.held_out is None:
        return {}
    room = description.table.evaluation.budget.disk_mb * _MEGABYTE
    own = _read(
        description.held_out,
        "held-out evaluation",
        room,
        lambda path: path.name == ARTEFACTS,
    )
    together = {**sealed, **own}
    if (size := sum(map(len, together.values()))) > room:
        raise EnvironmentUnusable(
            f"{description.held_out}: it and the evaluation have {size:,} bytes together, and "
            f"evaluation.budget.disk_mb leaves {room:,}; raise it"
        )
    if together == sealed:
        raise EnvironmentUnusable(
            f"{description.held_out} holds nothing that {description.sealed} does not, so nothing "
            "is held out; put other data there"
        )
    return together


def _wanted(description: Description, folders: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return folders of data, if they are those that the environment reads."""
    read = description.table.data or {}
    told = "; ".join(f"{name} ({table.about})" for name, table in read.items()) or "none"
    for name in folders:
        if name not in read:
            raise EnvironmentUnusable(
                f"{description.config} reads no data {name!r}; what it reads: {told}"
            )
    for name, table in read.items():
        if table.needed and name not in folders:
            raise EnvironmentUnusable(
                f"{description.config} needs data that you bring: --data {name}=FOLDER "
                f"({table.about})"
            )
    _check_apart(description, folders)
    return folders


def _check_apart(description: Description, folders: Mapping[str, Path]) -> None:
    """Check that what a job reads is nothing of what it is judged with."""
    read = description.table.data or {}
    judged = {"the evaluation": description.sealed} | {
        f"--data {name}": folder
        for name, folder in folders.items()
        if read[name].read_by in _SEALED
    }
    if description.held_out is not None:
        judged["the held-out evaluation"] = description.held_out
    for name, folder in folders.items():
        for what, other in judged.items():
            pair = folder.resolve(), other.resolve()
            overlap = pair[0].is_relative_to(pair[1]) or pair[1].is_relative_to(pair[0])
            if read[name].read_by not in _SEALED and overlap:
                raise EnvironmentUnusable(
                    f"--data {name}={folder} is read by jobs, and {what} has the same or a part of "
                    "it; give them folders apart"
                )


def _set_constants(
    description: Description, common: Set[str], files: dict[str, bytes], sealed: dict[str, bytes]
) -> None:
    """Set the constants of env.toml in files of the repository; of common ones in both places."""
    for path, constants in (description.table.constants or {}).items():
        if path not in files:
            raise EnvironmentUnusable(
                f"{description.config}: constants names {path}, which the repository does not hold"
            )
        try:
            text = with_constants(files[path].decode(), constants)
        except ValueError as error:
            raise EnvironmentUnusable(
                f"{description.config}: constants of {path}: {error}"
            ) from error
        for tree in (files, sealed) if path in common else (files,):
            tree[path] = text.encode()


def _common(description: Description) -> dict[str, bytes]:
    """Read what both the repository and the evaluation hold."""
    table = description.table
    room = min(table.budget.disk_mb, table.evaluation.budget.disk_mb) * _MEGABYTE
    files: dict[str, bytes] = {}
    for folder in description.common:
        files |= _read(folder, "common folders", room, lambda path: path.name == ARTEFACTS)
    return files


def _read(
    root: Path, what: str, most_bytes: int, is_hidden: Callable[[Path], bool]
) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    room = most_bytes
    for path in _paths(root, is_hidden):
        name = path.relative_to(root).as_posix()
        if not is_plain(name):
            raise EnvironmentUnusable(f"{path}: its name is not plain; rename it")
        try:
            files[name] = read_whole(path, room)
        except Unreadable as error:
            raise EnvironmentUnusable(
                f"{path} {error} (all files of the {what} together may have {most_bytes:,} bytes, "
                "as its budget's disk_mb says)"
            ) from error
        room -= len(files[name])
    return files


def _paths(folder: Path, is_hidden: Callable[[Path], bool]) -> Iterator[Path]:
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        path = Path(entry.path)
        if entry.name in _LEFT_OUT or is_hidden(path):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _paths(path, is_hidden)
        else:
            yield path
