"""The integrity of closed generations: files that are lost or changed are rebuilt if possible.

Stamps say which generations need a closer look (`hyperspace.kernel.views.stamps`); there every file
is read and held against its hash. What the space holds can be made again byte for byte: code,
predictions, scores. What it does not hold cannot: traces, edits, accesses; a space on a server
keeps those, too.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import canonical_json, sha256_hex, tree_hashes, write_atomically
from hyperspace.kernel.generation.attempt import Took
from hyperspace.kernel.generation.cursors import CURSOR
from hyperspace.kernel.generation.final import final_files
from hyperspace.kernel.generation.generation_files import Written, generation_files
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.generation.visible_strategies import snapshot_visible
from hyperspace.kernel.run.limits import longest_ledger
from hyperspace.kernel.state.folder import TRACE, RunFolder, was_dropped
from hyperspace.kernel.state.manifest import TEST, Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.views.resume_state import Last, resume_state
from hyperspace.kernel.views.run_logs import ExpectedLogs, RunLogs, stamped_of
from hyperspace.kernel.views.stamps import Stamped, stamp_of

READ_IN_FULL = 3  # the newest ones may not have outlived a loss of power, whatever their stamps say


class Damage(NamedTuple):
    """One file that is not what it was.

    Attributes:
        path: The file.
        problem: What is wrong with it.
        rebuilt: Its content as it was closed; None where that cannot be made again.
    """

    path: Path
    problem: str
    rebuilt: bytes | None

    def __str__(self) -> str:
        return f"{self.path} {self.problem}"


def find_damage(context: RunContext, expected: ExpectedLogs, last: Last) -> list[Damage]:
    """Check the files of every closed generation; stamps that are out of date are renewed."""
    damages: list[Damage] = []
    for name, stamped in expected.stamped.items():
        renewed = list(stamped)
        for number in _touched(context.folder, name, stamped):
            closing = context.marks.closing(name, number)
            damages += _damages(context, closing)
            stamp = stamp_of(context.folder.closed(closing), closing.files)
            renewed[number] = stamped_of(closing)._replace(stamp=stamp)
        if renewed != stamped:
            expected.restamp(name, renewed)
        final = last[name]
        if final is not None and final.manifest.generation == TEST:
            damages += _damages(context, final)
    return damages


def repair(damages: Iterable[Damage]) -> None:
    """Put files back.

    Raises:
        RunDamaged: One cannot be made again; then nothing was done.
    """
    for damage in damages:
        if damage.rebuilt is None:
            raise RunDamaged(
                f"{damage} since its generation was closed, and cannot be made again from the "
                "space; put the original back, or use another --results folder"
            )
    for damage in damages:
        write_atomically(damage.path, damage.rebuilt or b"")


def _touched(folder: RunFolder, agent: str, stamped: list[Stamped]) -> Iterator[int]:
    """Generations whose stamps do not vouch for their files."""
    begin, newest = f"{folder.agent(agent)}/gen_", len(stamped) - READ_IN_FULL
    for number, stamp, paths in stamped:
        if number >= newest or not stamp or stamp_of(f"{begin}{number}", paths) != stamp:
            yield number


def _damages(context: RunContext, closing: Closing) -> Iterator[Damage]:
    """Read every file of what was closed."""
    folder = context.folder.closed(closing)
    wrong = _wrong_files(folder, closing)
    rebuilt = _rebuild(context, closing) if wrong else {}
    for path, problem in wrong.items():
        data, digest = rebuilt.get(path), closing.files[path]
        if data is None or sha256_hex(data) != digest:
            data = context.marks.kept_file(digest)
        yield Damage(folder / path, problem, data)


def _rebuild(context: RunContext, closing: Closing) -> dict[str, bytes]:
    """Make the files that follow from the space, path to content, as they were when it was closed.

    Another version may make them otherwise: hold them against their hashes.
    """
    manifest = closing.manifest
    if manifest.generation == TEST:
        return final_files(context, manifest)
    agent, number = manifest.agent, int(manifest.generation)
    (who,) = [each for each in context.participants if each.name == agent]
    written = Written(
        context.marks.code(agent, number),
        context.marks.candidates(agent, number),
        snapshot_visible(context, who, number, closing.cursor).sources(),
        Took(closing.attempt, closing.calls, closing.cost_usd, closing.seconds),
        closing.results_of,
    )
    cursor = {} if closing.cursor == {} else {CURSOR: canonical_json(closing.cursor)}
    return generation_files(context, manifest, written) | cursor


def _wrong_files(folder: Path, closing: Closing) -> dict[str, str]:
    """Return what is wrong, by the paths of files that are not as they were closed."""
    hashes = tree_hashes(folder)
    return {
        path: "is missing" if path not in hashes else "was changed"
        for path, digest in closing.files.items()
        if hashes.get(path) != digest and not (path == TRACE and was_dropped(folder))
    }


def is_intact(folder: RunFolder, marks: RunMarks) -> bool:
    """Return whether a finished run's files are as they were closed, by their stamps and hashes.

    Nothing is written and nothing is reported: a run with damage is resumed like any other.
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
    return not any(_wrong_files(folder.closed(each), each) for each in chain(finals, touched))
