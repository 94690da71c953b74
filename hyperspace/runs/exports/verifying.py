"""An export that somebody was given, checked against its own list before it is unpacked."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from guards.scope.regular_files import open_regular
from hyperspace.audit.ledger import ledger_damage_in
from hyperspace.export.packing import SPACE, Contents
from hyperspace.kernel.errors import RunDamaged, RunError, RunUsageError
from hyperspace.kernel.state.digest import digest
from hyperspace.research.loop.folder import RECORD as RESEARCH
from hyperspace.research.loop.run import read_research_record, recorded_digest
from hyperspace.research.loop.space import reading_from
from hyperspace.runs.exports.archives import ArchiveRefused, kind_of
from hyperspace.runs.exports.importing import require_chain
from hyperspace.runs.exports.run_export import contents_in, verify
from markspace.errors import StoreError


class Verified(NamedTuple):
    """An export that is what its list says.

    Attributes:
        contents: Its list.
        ledger_damage: What the ledger of the run had lost when it was packed; empty for nothing.
    """

    contents: Contents
    ledger_damage: str


def verify_archive(path: Path) -> Verified:
    """Check an export: each file against its list, the digest, and the audit chain.

    Nothing is unpacked but the space and the record, into a temporary folder.

    Raises:
        RunUsageError: There is no such file, or its name has no ending that is known.
        RunDamaged: Something is missing, or another than its list says.
    """
    kind, damage = kind_of(path), list[str]()
    try:
        with open_regular(path) as file:
            packed_bytes = path.stat().st_size
            contents = contents_in(file, kind, packed_bytes)
            file.seek(0)
            if any(each.path == RESEARCH for each in contents.files):
                digest_of = partial(_research_digest, contents)
                verify(file, kind, contents, RESEARCH, digest_of)
            else:
                verify(file, kind, contents, digest_of=partial(_run_digest, contents, damage))
    except OSError as error:
        raise RunUsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except ArchiveRefused as refused:
        raise RunDamaged(f"{path} {refused}") from refused
    except (StoreError, RunError, msgspec.MsgspecError) as error:
        raise RunDamaged(f"{path}: {error}") from error
    return Verified(contents, "".join(damage))


def _run_digest(contents: Contents, damage: list[str], folder: Path) -> str:
    if not contents.audit_problem:  # else its list says that the chain breaks
        require_chain(folder, contents)
        damage.append(ledger_damage_in(folder))
    return digest(folder)


def _research_digest(contents: Contents, folder: Path) -> str:
    config = read_research_record(folder).configuration
    with reading_from(folder / SPACE, config) as space:
        verdict = space.space.verify()
    if (verdict.problem or "") != contents.audit_problem or verdict.head != contents.audit_head:
        raise RunDamaged("its audit chain is not the one that its list says")
    return recorded_digest(folder)
