"""Whether a folder is a copy of a run of this user's: what the run is, is signed when it ends.

A start that ends in any way but a kill leaves a list of the files that decide how the run goes on,
with their hashes, signed with the secret of `hyperspace.kernel.state.ownership`. Wherever a folder
lies, it is this user's own if it holds these very files, and no other of their kind. Those of
closed generations are not among them: the space names their hashes, so that what is lost can
be mended.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import (
    MOST_LIST_BYTES,
    NotRegular,
    Unreadable,
    open_regular,
    read_whole,
)
from hyperspace.kernel.errors import RunHeld
from hyperspace.kernel.files import (
    canonical_json,
    files_below,
    pretty_json,
    write_atomically,
    written_name,
)
from hyperspace.kernel.state.ownership import RECORD, SIGNATURE, is_own, is_signed, sign, signed
from hyperspace.kernel.state.run_not_found import RESEARCH

STATE: Final = "run_state.sig"  # beside the record; holds for copies too
_LINES: Final = ("ledger.jsonl", "adaptations.jsonl", "served_models.jsonl")
_NAMES: Final = frozenset({RECORD, RESEARCH, "limits.json", *_LINES})
_FOLDERS: Final = ("start", "task", "abandoned")
_SPACES: Final = ("space.db", "jobs.db")  # with what SQLite would play into them when it opens them
_BLOCK_BYTES: Final = 1 << 20
_OF_NO_WORD: Final = "-shm"  # which SQLite makes anew


class RunState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The files that decide how a run goes on; the content of run_state.sig.

    Attributes:
        files: Path below the run's folder to SHA-256.
        signature: This user's, of the files.
    """

    files: dict[str, str]
    signature: str = ""

    def signed(self) -> "RunState":
        """Return it with this user's signature in place of the one that it has."""
        return msgspec.structs.replace(self, signature=signed(self._message()))

    @property
    def is_own(self) -> bool:
        """True if this user signed it."""
        return is_signed(self._message(), self.signature)

    def _message(self) -> bytes:
        return canonical_json({"state": self.files})


def sign_state(run: Path, record_name: str = RECORD) -> None:
    """Sign what a run of this user's is; where it cannot be written, its copies are not known."""
    if not is_own(run, record_name) or not (run / _SPACES[0]).is_file():
        return
    with suppress(OSError):
        hashes = {written_name(name): _sha256(run / name) for name in _deciding(run)}
        state = RunState(hashes).signed()
        if state != _state(run):
            write_atomically(run / STATE, pretty_json(state))


@contextmanager
def signing_state(run: Path, record_name: str = RECORD) -> Generator[None]:
    """Sign what a run is when the context ends, unless another coordinator works on it."""
    try:
        yield
    except RunHeld:
        raise
    except BaseException:
        sign_state(run, record_name)
        raise
    sign_state(run, record_name)


def is_known(run: Path, record_name: str = RECORD) -> bool:
    """Return whether a run is this user's, where it began or as a copy of what it was at its end.

    All that decides how a copy goes on is read; `ownership.enter` comes first.
    """
    return is_own(run, record_name) or _is_copy(run, record_name)


def take_back(run: Path, record_name: str = RECORD) -> bool:
    """Return whether a run is known, as `is_known` does, and sign its place: it is asked once."""
    if is_own(run, record_name):
        return True
    if not _is_copy(run, record_name):
        return False
    sign(run, read_whole(run / record_name))
    return True


def copy_told(run: Path) -> str:
    """Return what a folder that is not known is, as the end of a sentence about it."""
    state = _state(run)
    remedy = "go on with it once where it lay, and copy it then"
    if state is not None:
        return (
            "is a copy of a run of yours that is damaged, or was changed: "
            f"{_changed(run, state)} is not what it was when that last ended (put it back from "
            f"where you copied it; if that was killed since, {remedy})"
        )
    known = "was not begun by you here (or by a version that signed no runs"
    if (run / SIGNATURE).is_file():
        known += f"; if it is a copy of a run of yours that was killed, {remedy}"
    return f"{known})"


def _is_copy(run: Path, record_name: str) -> bool:
    state = _state(run)
    return state is not None and record_name in state.files and not _changed(run, state)


def _state(run: Path) -> RunState | None:
    """Return what this user has signed; None if it is not there, or not this user's."""
    try:
        state = decode_json(read_whole(run / STATE, MOST_LIST_BYTES), RunState)
    except (Unreadable, msgspec.MsgspecError):
        return None
    return state if state.is_own else None


def _changed(run: Path, state: RunState) -> str:
    """Return the first file that was changed, lost or added; empty if there is none."""
    paths = {written_name(name): run / name for name in _deciding(run)}
    if odd := paths.keys() ^ state.files.keys():
        return min(odd)
    largest_last = sorted(paths, key=lambda name: (name.startswith(_SPACES), name))
    return next((name for name in largest_last if _sha256(paths[name]) != state.files[name]), "")


def _deciding(run: Path) -> Iterator[str]:
    """Yield the paths of the files that decide how a run goes on."""
    for path in run.iterdir():
        name = path.name
        if path.is_symlink():
            continue
        if name in _FOLDERS:
            yield from _below(path, name)
        elif path.is_dir():
            yield from _unfinished(path, is_research=(run / RESEARCH).is_file())
        elif name in _NAMES or _is_of_space(path):
            yield name


def _is_of_space(path: Path) -> bool:
    is_named = path.name.startswith(_SPACES) and not path.name.endswith(_OF_NO_WORD)
    return is_named and path.stat().st_size > 0


def _unfinished(folder: Path, *, is_research: bool) -> Iterator[str]:
    """Yield what an agent's folder, or one with ideas, holds of attempts that are not closed."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path.name.startswith("."):
                yield from _below(path, f"{folder.name}/{path.name}")
            elif is_research:
                traces = _below(path, f"{folder.name}/{path.name}")
                yield from (name for name in traces if name.endswith(".jsonl"))


def _below(folder: Path, name: str) -> Iterator[str]:
    return (f"{name}/{path}" for path in files_below(folder))


def _sha256(path: Path) -> str:
    """Return the hash of a file; empty where there is none that can be read."""
    try:
        with open_regular(path) as file:
            digest = sha256()
            for block in iter(partial(file.read, _BLOCK_BYTES), b""):
                digest.update(block)
            return digest.hexdigest()
    except (NotRegular, FileNotFoundError):
        return ""
