"""What `hyperspace domains --check` finds out: scores of seeds, and whether contracts are kept."""

from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import msgspec

from guards.sandboxes.choose import choose
from guards.sandboxes.sandbox import SandboxError
from hyperspace.cli.domain_listing import failure_text
from hyperspace.cli.seed_play import SeedFailed, play_seed
from hyperspace.tasks.base import SPLITS, Composite, Domain, Split
from hyperspace.tasks.contract import broken_promises, remarks
from hyperspace.tasks.registry import entries, load
from hyperspace.tasks.shapes.judged import JudgedByModel
from hyperspace.tasks.three_files.domain import brings_code


class DomainReport(msgspec.Struct, frozen=True):
    """What came of one domain's check.

    Attributes:
        domain: As it was named.
        metric: Name of its score.
        scores: The seed's score by split.
        cpu_s: CPU seconds of an evaluation of it on train and val; None if it was not played.
        not_played: Why the seed was not played; empty if it was.
        failures: What the domain does not keep of its contract, a sentence each.
        notes: What is allowed and worth a look.
    """

    domain: str
    metric: str = ""
    scores: Mapping[Split, float] = {}
    cpu_s: float | None = None
    not_played: str = ""
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check_all(
    data: Path | None = None, tell: Callable[[str], None] = lambda _: None
) -> list[DomainReport]:
    """Check every domain that can be loaded by name; one that cannot be says why.

    Args:
        data: Folder whose subfolders, by the names of domains, hold their data.
        tell: Told each name before it is checked.
    """
    reports: list[DomainReport] = []
    for name in sorted(entries()):
        tell(name)
        folder = None if data is None else data / name
        try:
            reports.append(check_named(name, folder if folder and folder.is_dir() else None))
        except KeyboardInterrupt:
            raise
        # A plug-in can fail in any way; the others are checked.
        except BaseException as error:
            reports.append(DomainReport(name, not_played=failure_text(error)))
    return reports


def check_named(spec: str, data: Path | None = None) -> DomainReport:
    """Check a domain: its contract, then its seed.

    Raises:
        DomainError: It cannot be loaded.
    """
    domain, again = (load(spec, data=data) for _ in range(2))
    failures = broken_promises(domain, again)
    report = DomainReport(
        spec, domain.metric, failures=tuple(failures), notes=tuple(remarks(domain))
    )
    if failures:
        return msgspec.structs.replace(report, not_played="it does not keep its contract")
    if why := _why_not(domain):
        return msgspec.structs.replace(report, not_played=why)
    return _with_scores(report, domain)


def _with_scores(report: DomainReport, domain: Domain) -> DomainReport:
    try:
        choice = choose("auto", needs_boundary=brings_code(domain))
        played = anyio.run(play_seed, domain, choice.sandbox)
    except SeedFailed as error:
        return msgspec.structs.replace(report, failures=(str(error),))
    except SandboxError as error:
        return msgspec.structs.replace(report, not_played=str(error))
    except KeyboardInterrupt:
        raise
    # So can a person's own domain, whose methods are called here.
    except BaseException as error:
        told = f"it failed while its seed was played: {failure_text(error)}"
        return msgspec.structs.replace(report, failures=(told,))
    why = played.why_nothing
    nothing = f"the seed is worth nothing on train; of the first item: {why}" if why else ""
    notes = (*report.notes, *filter(None, (choice.notice, nothing)))
    return msgspec.structs.replace(report, scores=played.scores, cpu_s=played.cpu_s, notes=notes)


def _why_not(domain: Domain) -> str:
    """Return why a seed cannot be played without a run; empty if it can."""
    parts = [domain]
    if isinstance(domain, Composite):
        parts = [domain.leaf(item).domain for split in SPLITS for item in domain.items(split)]
    if domain.calls_model:
        return "its seed asks a model; a run plays it (hyperspace pair)"
    if any(isinstance(part, JudgedByModel) for part in parts):
        return "a judge model grades its answers; a run plays it (hyperspace pair --judge)"
    return ""
