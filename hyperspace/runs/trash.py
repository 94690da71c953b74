"""The trash folder of a results folder: runs that somebody has put away, and their way back.

A run is moved whole, by one rename, so that a kill leaves it in the one place or in the other. Its
path below `.hyperspace-trash/<entry>/` is the one that it had below the results folder, which is
all that is needed to bring it back. No link is followed, on no part of the way.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from guards.scope.walk import opened_folder
from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.finding import find_runs
from hyperspace.runs.folders import is_run
from hyperspace.runs.following.worker import worker_of

TRASH: Final = ".hyperspace-trash"
MOST_LISTED: Final = 1_000
_STAMP: Final = "%Y%m%dT%H%M%S"
_ENTRY: Final = re.compile(r"\d{8}T\d{6}_[0-9a-f]{8}")


class TrashedRun(msgspec.Struct, frozen=True):
    """A run in the trash folder.

    Attributes:
        entry: Names it there: when it was put there (UTC), and some letters.
        name: Its path below the results folder, as it was and will be again.
    """

    entry: str
    name: str

    @property
    def put_away_utc(self) -> str:
        """When it was put there, as its entry says it."""
        date, _, time = self.entry.partition("_")[0].partition("T")
        return f"{date[:4]}-{date[4:6]}-{date[6:]} {time[:2]}:{time[2:4]}:{time[4:]}"

    def folder(self, results: Path) -> Path:
        """Where it lies now."""
        return results / TRASH / self.entry / self.name

    def way_back(self, results: Path) -> str:
        """Return the path that `hyperspace trash --restore` takes."""
        return str(results / TRASH / self.entry)


def put_away(run: Path, results: Path) -> TrashedRun:
    """Move a run into the trash folder.

    Args:
        run: Its folder, below the results folder.
        results: That folder; nothing outside of it is touched.

    Raises:
        RunUsageError: It is no run, is being played, lies elsewhere, or behind a link.
        OSError: It cannot be moved.
    """
    parts = _below(run, results)
    if not run.parent.is_dir():
        raise RunUsageError(f"{run} does not exist; hyperspace runs lists those that do")
    stamp = datetime.now(UTC).strftime(_STAMP)
    trashed = TrashedRun(f"{stamp}_{secrets.token_hex(4)}", "/".join(parts))
    with _opened(results, parts[:-1]) as source:
        _require_run(run)
        _require_idle(run)
        with _opened(results, (TRASH, trashed.entry, *parts[:-1]), make=0o700) as target:
            _move(source, target, parts[-1])
            try:
                _require_idle(trashed.folder(results))  # somebody may have been faster
            except RunUsageError:
                _move(target, source, parts[-1])
                raise
    return trashed


def bring_back(entry: str, results: Path) -> Path:
    """Move a run from the trash folder to where it was; returns its folder.

    Args:
        entry: As `TrashedRun.entry`.
        results: The folder whose trash it is in.

    Raises:
        RunUsageError: There is no such entry, or something stands where the run was.
        OSError: It cannot be moved.
    """
    entry_folder = results / TRASH / entry
    trashed = next(_in_entry(entry_folder), None) if _ENTRY.fullmatch(entry) else None
    if trashed is None:
        raise RunUsageError(f"{results / TRASH} has no run under {entry[:80]!r}")
    run = results / trashed.name
    if os.path.lexists(run):
        raise RunUsageError(f"{run} is there again; move it, and then bring the other back")
    *above, name = trashed.name.split("/")
    with (
        _opened(results, (TRASH, entry, *above)) as source,
        _opened(results, above, make=0o777) as target,
    ):
        _move(source, target, name)
    with suppress(OSError):
        for folder in (trashed.folder(results).parents)[: len(above) + 1]:
            folder.rmdir()
    return run


def in_trash(results: Path) -> tuple[TrashedRun, ...]:
    """Return the runs in the trash folder, the newest first; at most `MOST_LISTED`."""
    trash = results / TRASH
    if trash.is_symlink() or not trash.is_dir():
        return ()
    entries = islice(sorted(trash.iterdir(), reverse=True), MOST_LISTED)
    return tuple(trashed for entry in entries for trashed in _in_entry(entry))


def _in_entry(entry: Path) -> Iterator[TrashedRun]:
    """Return the run of an entry; none where a kill came before the move, or after the way back."""
    if any(path.is_symlink() or not path.is_dir() for path in (entry.parent, entry)):
        return
    unreadable: list[Path] = []
    for run in (*find_runs(entry, unreadable=unreadable), *unreadable):
        if run != entry:
            yield TrashedRun(entry.name, run.relative_to(entry).as_posix())


def _below(run: Path, results: Path) -> tuple[str, ...]:
    """Return the parts of a run's path below the results folder."""
    above, base = Path(os.path.abspath(run)), Path(os.path.abspath(results))  # noqa: PTH100  links stay
    if not above.is_relative_to(base):
        # The way to the results folder may go over links; what is below it may not.
        above, base = above.parent.resolve() / above.name, base.resolve()
    if not above.is_relative_to(base) or above == base:
        raise RunUsageError(f"{run} is not below {results}; name the folder above it by --results")
    parts = above.relative_to(base).parts
    if TRASH in parts:
        raise RunUsageError(f"{run} is in the trash folder already")
    return parts


def _require_run(run: Path) -> None:
    if not os.path.lexists(run):
        raise RunUsageError(f"{run} does not exist")
    if run.is_symlink() or not run.is_dir():
        raise RunUsageError(f"{run} is no folder of a run; a link is not followed")
    if os.access(run, os.R_OK | os.X_OK) and not is_run(run):
        raise RunUsageError(f"{run} holds no run")


def _require_idle(run: Path) -> None:
    holder = worker_of(run)
    if holder is not None:
        raise RunUsageError(
            f"{run} is being worked on by {holder.holder} on host {holder.info.get('host')}; "
            "stop it first (kill that process on that host; the same command goes on with it later)"
        )


def _move(source: int, target: int, name: str) -> None:
    """Rename a folder from one open folder into another."""
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=source, follow_symlinks=False).st_mode):
            raise RunUsageError(f"{name} is no folder any more")
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise RunUsageError(
                f"{name} lies on another file system than the trash folder; move it by hand"
            ) from error
        raise


@contextmanager
def _opened(results: Path, parts: Sequence[str], make: int | None = None) -> Generator[int]:
    """Open a folder below the results folder while the context lasts; no link is followed."""
    with ExitStack() as stack:
        root = os.open(results, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, root)
        try:
            folder = stack.enter_context(opened_folder(root, "/".join(parts), make=make))
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise RunUsageError(
                    f"{error.filename} on the way is a link or no folder, and links are not "
                    "followed"
                ) from error
            raise
        yield folder
