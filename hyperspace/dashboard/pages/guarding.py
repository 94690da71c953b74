"""What the guard did, with its evidence, ready to be shown."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from hyperspace.reporting.legible import legible
from hyperspace.runs.generation_record import GuardRecord

MOST_FINDINGS: Final = 20
MOST_DIFF: Final = 20_000  # characters
_COLOURS: Final = {"flagged": "weak", "paused": "weak", "repaired": "weak"}
_OF_DIFF: Final = {"+": "good", "-": "bad", "@": "weak"}


class GuardFinding(NamedTuple):
    """What a content policy found: where it stands, and the words."""

    where: str
    quote: str


class ShownGuard(NamedTuple):
    """One thing that the guard did.

    Attributes:
        record: The thing.
        colour: Of the verdict.
        findings: Of content policies.
        diff: Lines of a unified diff, each with its colour; empty for none.
        others: What else is on record of it, such as hashes.
        whose: Whose it is.
        address: Where that leads; empty for nowhere.
        when: Its moment, as it is shown; empty if it is not.
    """

    record: GuardRecord
    colour: str
    findings: list[GuardFinding]
    diff: list[tuple[str, str]]
    others: list[str]
    whose: str = ""
    address: str = ""
    when: str = ""


def shown_guard(
    record: GuardRecord, whose: str = "", address: str = "", when: str = ""
) -> ShownGuard:
    """Return one thing that the guard did, with whose it is if the page does not say that."""
    diff = record.evidence.get("diff")
    lines = legible(diff, MOST_DIFF).split("\n") if isinstance(diff, str) and diff else ()
    others = [
        f"{name} {value}"
        for name, value in {"file": record.path, **record.evidence}.items()
        if name not in ("findings", "diff") and value not in ("", None, [], ())
    ]
    return ShownGuard(
        record,
        _COLOURS.get(record.verdict, "bad"),
        list(_findings(record.evidence.get("findings"))),
        [(line, _OF_DIFF.get(line[:1], "")) for line in lines],
        others,
        whose,
        address,
        when,
    )


def _findings(findings: object) -> Iterator[GuardFinding]:
    if not isinstance(findings, list | tuple):
        return
    for finding in cast("list[Any]", findings)[:MOST_FINDINGS]:
        if isinstance(finding, dict):
            fields = cast("dict[str, Any]", finding)
            where = f"line {fields.get('line')}, {fields.get('kind')}: "
            yield GuardFinding(where, str(fields.get("quote", "")))
