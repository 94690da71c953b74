"""Writing an export of a research run, and reading it back."""

import tempfile
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from hyperspace.executor.journal import copy_journal
from hyperspace.export.packing import (
    EXPORT_FORMAT,
    SPACE,
    Contents,
    Packed,
    Put,
    listed_files,
    require_plain,
)
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import content_sha256, pretty_json, sha256_hex
from hyperspace.kernel.state.folder import EXPORT
from hyperspace.research.loop.folder import RECORD, ResearchFolder
from hyperspace.research.loop.records import ResearchRecord
from hyperspace.research.loop.run import read_research_record, recorded_digest
from hyperspace.research.loop.space import reading_from
from hyperspace.runs.exports.archives import kind_of
from hyperspace.runs.exports.run_export import require_new, verify, written
from markspace.stores.places import open_store

_JOBS: Final = "jobs.db"
_APART: Final = (_JOBS, f"{_JOBS}-journal", "now.json")  # the last is of who works on it here


def export_research(run: Path, target: Path) -> Contents:
    """Pack a research run into an archive that appears only when it has been verified.

    What is on record of its jobs goes with it, so that it can be replayed without playing them.

    Raises:
        RunUsageError: There is no run; the archive's name has no known ending, is there already, or
            lies in the run.
        SpaceUsageError: There can be no file of that name.
        RunDamaged: An artefact is not what its idea left; or what was written does not read back.
        ExecutorUnavailable: What is on record of jobs cannot be read.
    """
    kind = kind_of(target)
    record = read_research_record(run)
    require_new(run, target)
    place = _place_of(record)
    require_plain(run, place)
    verified = partial(verify, record=RECORD, digest_of=recorded_digest)
    return written(target, kind, place, partial(_pack, run, record), verified)


def _place_of(record: ResearchRecord) -> str:
    config = record.configuration
    return f"{config.environment}/{config.arm}/seed{config.seed}"


def _pack(run: Path, record: ResearchRecord, put: Put) -> Contents:
    """Hand out every file, `export.json` last."""
    folder, config = ResearchFolder(run), record.configuration
    with tempfile.TemporaryDirectory(prefix="hyperspace-export-") as scratch:
        copies = ResearchFolder(Path(scratch))
        with closing(open_store(str(folder.space), None, read_only=True)) as store:
            store.copy_to(copies.space)
        copy_journal(folder.jobs, copies.jobs)  # after the space: what is closed there is in it
        with reading_from(copies.space, config) as space:
            closed, verdict = space.closed(), space.space.verify()
            digest, is_judged = space.digest(), space.held_out() is not None
        _require_artefacts(
            folder, chain.from_iterable(i.artefacts.values() for i in closed.values())
        )
        paths, left_out = listed_files(run, _APART)
        files = list[Packed]()
        for path, place in [(path, run / path) for path in paths] + [
            (_JOBS, copies.jobs),
            (SPACE, copies.space),
        ]:
            data = place.read_bytes()
            put(path, data)
            files.append(Packed(path, len(data), sha256_hex(data)))
    contents = Contents(
        format=EXPORT_FORMAT,
        run=_place_of(record),
        digest=digest,
        finished=len(closed) == 1 + config.epochs * config.ideas
        and (is_judged or not record.has_held_out),
        audit_head=verdict.head,
        audit_entries=verdict.entries,
        audit_problem=verdict.problem or "",
        redacted=False,
        files=tuple(sorted(files, key=lambda file: file.path)),
        left_out=tuple(left_out),
    ).signed()
    put(EXPORT, pretty_json(contents))
    return contents


def _require_artefacts(folder: ResearchFolder, hashes: Iterable[str]) -> None:
    for sha256 in sorted(set(hashes)):
        kept = folder.artefacts / sha256
        if not kept.is_file() or content_sha256(kept) != sha256:
            raise RunDamaged(
                f"{folder.root} is not exported: {kept} is not what a job of it left; put it back "
                "from a copy"
            )
