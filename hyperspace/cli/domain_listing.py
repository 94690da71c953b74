"""What `hyperspace domains` says of every domain that can be loaded by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from hyperspace.tasks.base import SPLITS, Composite, Domain, DomainError
from hyperspace.tasks.registry import entries, load
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.judged import JudgedByModel
from hyperspace.tasks.shapes.verified import Verified, VerifiedBySandbox

Shape = Literal["labelled", "episode", "artefact", "judged", "several"]


class DomainLine(msgspec.Struct, frozen=True):
    """One domain of the list.

    Attributes:
        name: As `--domain` takes it.
        about: One line.
        needs: What it needs beside the core.
        shape: How it is answered and scored; None where it cannot be loaded.
        items: Number of items by split; empty where it cannot be loaded.
        metric: Name of its score; empty where it cannot be loaded.
        calls_model: Whether its seed asks a model for each item.
        why_not: Why it cannot be loaded here; empty if it can.
    """

    name: str
    about: str
    needs: str
    shape: Shape | None = None
    items: Mapping[str, int] = {}
    metric: str = ""
    calls_model: bool = False
    why_not: str = ""


def listing(data: Path | None = None) -> list[DomainLine]:
    """Return a line for each domain that can be loaded by name.

    Args:
        data: Folder whose subfolders, by the names of domains, hold their data.
    """
    lines: list[DomainLine] = []
    for name, entry in sorted(entries().items()):
        line = DomainLine(name, entry.about, entry.needs)
        folder = None if data is None else data / name
        try:
            domain = load(name, data=folder if folder and folder.is_dir() else None)
        except KeyboardInterrupt:
            raise
        # A plug-in can fail in any way; the others are listed.
        except BaseException as error:
            lines.append(msgspec.structs.replace(line, why_not=failure_text(error)))
            continue
        lines.append(
            msgspec.structs.replace(
                line,
                shape=shape_of(domain),
                items=item_counts(domain),
                metric=domain.metric,
                calls_model=domain.calls_model,
            )
        )
    return lines


def failure_text(error: BaseException) -> str:
    """Return one line about why a domain failed, with the kind of error if it is none of ours."""
    text = " ".join(str(error).split())
    return text if isinstance(error, DomainError) else f"{type(error).__name__}: {text}"


def shape_of(domain: Domain) -> Shape:
    """Return how a domain is answered and scored."""
    if isinstance(domain, Composite):
        return "several"
    if isinstance(domain, Interactive):
        return "episode"
    if isinstance(domain, Verified | VerifiedBySandbox):
        return "artefact"
    return "judged" if isinstance(domain, JudgedByModel) else "labelled"


def item_counts(domain: Domain) -> dict[str, int]:
    """Return how many items each split has."""
    return {split: len(domain.items(split)) for split in SPLITS}
