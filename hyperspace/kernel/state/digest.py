"""The digest of a run: SHA-256 over its closing manifests (docs/reference/determinism.md)."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Manifest, Repeats, SplitResult, Tournament
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading


def digest(run: Path) -> str:
    """Digest of a run folder, finished or not.

    Raises:
        RunUsageError: The folder holds no run.
    """
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        return digest_in(marks)


def digest_in(marks: RunMarks) -> str:
    """Digest of what an open space holds."""
    agents = marks.config.agents
    return digest_of(closing.manifest for closing in every_closing(marks, agents))


def digest_of(manifests: Iterable[Manifest]) -> str:
    """Digest of manifests that come in the order of `order_of`; one is in memory at a time."""
    total = RunningDigest()
    for manifest in manifests:
        total.take(manifest)
    return total.hexdigest()


class RunningDigest:
    """The digest of manifests that are taken one by one, in the order of `order_of`."""

    def __init__(self) -> None:
        self._total = hashlib.sha256()

    def take(self, manifest: Manifest) -> None:
        """Take the next one."""
        self._total.update(canonical_json(without_words(manifest)) + b"\n")

    def hexdigest(self) -> str:
        """The digest of all that were taken."""
        return self._total.hexdigest()


def without_words(manifest: Manifest) -> Manifest:
    """Leave out error texts: the class of an error decides, its words are the candidate's."""
    splits = {name: _without_errors(split) for name, split in manifest.splits.items()}
    tournament = manifest.tournament
    if tournament is not None:
        blind, directed = (
            replace(each, error="", train=each.train and _without_errors(each.train))
            for each in (tournament.blind, tournament.directed)
        )
        tournament = Tournament(tournament.winner, blind, directed)
    choosing = manifest.choosing and replace(manifest.choosing, error="")
    rescored = manifest.rescored
    if rescored is not None and rescored.val is not None:
        rescored = replace(rescored, val=_without_errors(rescored.val))
    return replace(
        manifest,
        error="",
        splits=splits,
        tournament=tournament,
        choosing=choosing,
        rescored=rescored,
    )


def _without_errors(split: SplitResult) -> SplitResult:
    repeats = split.repeats
    if repeats is not UNSET:
        further = tuple(
            replace(each, errors=dict.fromkeys(each.errors, "")) for each in repeats.further
        )
        repeats = Repeats(repeats.scores, further)
    return replace(split, errors=dict.fromkeys(split.errors, ""), repeats=repeats)
