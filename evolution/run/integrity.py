"""Files of closed generations that are lost or not what they were: found, and made again if we can.

Stamps say which generations need a closer look (`evolution.views.stamps`); there every file is read
and held against its hash. What the space holds can be made again byte for byte: code, predictions,
scores. What it does not hold cannot: traces and edits.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from evolution.errors import RunDamaged
from evolution.files import sha256_hex, tree_hashes, write_atomically
from evolution.generation.run_context import RunContext
from evolution.run.limits import longest_ledger
from evolution.run.rebuild import rebuild
from evolution.state.folder import TRACE, RunFolder, was_dropped
from evolution.state.manifest import TEST, Closing
from evolution.state.marks import RunMarks
from evolution.views.resume_state import Last, resume_state
from evolution.views.run_logs import ExpectedLogs, RunLogs, stamped_of
from evolution.views.stamps import Stamped, stamp_of

READ_IN_FULL = 3  # the newest ones may not have outlived a loss of power, whatever their stamps say


class Damage(NamedTuple):
    """One file that is not what it was.

    Attributes:
        path: The file.
        problem: What is wrong with it.
        remade: What it was, made again; None where that cannot be done.
    """

    path: Path
    problem: str
    remade: bytes | None

    def __str__(self) -> str:
        return f"{self.path} {self.problem}"


def find_damage(context: RunContext, expected: ExpectedLogs, last: Last) -> list[Damage]:
    """Look at the files of every closed generation; stamps that are out of date are renewed."""
    found: list[Damage] = []
    for name, stamped in expected.stamped.items():
        damages, renewed = _look_into(context, name, stamped)
        if renewed != stamped:
            expected.restamp(name, renewed)
        found += damages
        closing = last[name]
        if closing is not None and closing.manifest.generation == TEST:
            found += _look_at(context, closing)[0]
    return found


def _look_into(
    context: RunContext, agent: str, stamped: list[Stamped]
) -> tuple[list[Damage], list[Stamped]]:
    """Look at an agent's generations; returns their stamps as they are now, too."""
    found, renewed = list[Damage](), list(stamped)
    for number in _touched(context.folder, agent, stamped):
        closing = context.marks.closing(agent, number)
        damages, stamp = _look_at(context, closing)
        renewed[number] = stamped_of(closing)._replace(stamp=stamp)
        found += damages
    return found, renewed


def repair(damages: Iterable[Damage]) -> None:
    """Put files back.

    Raises:
        RunDamaged: One cannot be made again; then nothing was done.
    """
    for damage in damages:
        if damage.remade is None:
            raise RunDamaged(
                f"{damage} since its generation was closed, and cannot be made again from the "
                "space; put the original back, or use another --results folder"
            )
    for damage in damages:
        write_atomically(damage.path, damage.remade or b"")


def _touched(folder: RunFolder, agent: str, stamped: list[Stamped]) -> Iterator[int]:
    """Generations whose stamps do not vouch for their files."""
    begin, newest = f"{folder.agent(agent)}/gen_", len(stamped) - READ_IN_FULL
    for number, stamp, paths in stamped:
        if number >= newest or not stamp or stamp_of(f"{begin}{number}", paths) != stamp:
            yield number


def _look_at(context: RunContext, closing: Closing) -> tuple[list[Damage], str]:
    """Read every file of what was closed."""
    folder = context.folder.closed(closing)
    wrong = _wrong_files(folder, closing)
    remade = rebuild(context, closing) if wrong else {}
    damages = [
        Damage(folder / path, problem, _as_closed(remade.get(path), closing.files[path]))
        for path, problem in wrong.items()
    ]
    return damages, stamp_of(folder, closing.files)


def _wrong_files(folder: Path, closing: Closing) -> dict[str, str]:
    """What is wrong, by the paths of files that are not as they were closed."""
    found = tree_hashes(folder)
    return {
        path: "is missing" if path not in found else "was changed"
        for path, digest in closing.files.items()
        if found.get(path) != digest and not (path == TRACE and was_dropped(folder))
    }


def is_intact(folder: RunFolder, marks: RunMarks) -> bool:
    """Whether the files of a finished run are what they were, as far as stamps and hashes tell.

    Nothing is written and nothing is said: a run that is not whole is taken up like any other.
    """
    ledger = folder.ledger.stat().st_size if folder.ledger.exists() else 0
    expected, last, problems = resume_state(marks, RunLogs(folder, marks.config.agents))
    if problems or ledger < longest_ledger(marks):
        return False
    finals = [closing for closing in last.values() if closing is not None]
    touched = (
        marks.closing(name, number)
        for name, stamped in expected.stamped.items()
        for number in _touched(folder, name, stamped)
    )
    return not any(_wrong_files(folder.closed(one), one) for one in chain(finals, touched))


def _as_closed(data: bytes | None, sha256: str) -> bytes | None:
    return data if data is not None and sha256_hex(data) == sha256 else None
