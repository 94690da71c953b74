"""What the guard did, with its evidence: in one generation, or in a run."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from hyperspace.dashboard.pages.facts import PagePart, separated
from hyperspace.reporting.legible import legible
from hyperspace.reporting.page import Markup, bullets, escaped, joined, marked, preformatted
from hyperspace.runs.generation_record import GuardRecord

MOST_FINDINGS: Final = 20
MOST_DIFF: Final = 20_000  # characters
MOST_TEXT: Final = 1_000
_COLOURS: Final = {"flagged": "weak", "paused": "weak", "repaired": "weak"}


def violations_parts(violations: Iterable[GuardRecord]) -> Iterator[PagePart]:
    """Return what the guard did in a generation; nothing if it did nothing."""
    shown = [guard_part(violation) for violation in violations]
    if shown:
        yield PagePart("guard", "Guard", *shown)


def guard_part(record: GuardRecord, where: str = "") -> Markup:
    """Return one thing that the guard did, its evidence folded.

    Args:
        record: The thing.
        where: Markup that says whose it is, if the page does not.
    """
    verdict = marked(record.verdict, _COLOURS.get(record.verdict, "bad"))
    what, reason = escaped(record.what, MOST_TEXT), escaped(record.reason, MOST_TEXT)
    head = joined((where, f"{record.kind}: ", what, " — ", verdict, ": ", reason))
    diff = record.evidence.get("diff")
    parts = [
        bullets(_findings(record.evidence.get("findings"))),
        _diff(diff) if isinstance(diff, str) and diff else "",
        _others(record),
    ]
    return Markup(
        f'<details class="guarded">\n<summary>{head}</summary>\n{joined(parts)}</details>\n'
    )


def _others(record: GuardRecord) -> Markup:
    """What else is on record of it, such as hashes."""
    others = {"file": record.path, **record.evidence}
    told = [
        escaped(f"{name} {value}", MOST_TEXT)
        for name, value in others.items()
        if name not in ("findings", "diff") and value not in ("", None, [], ())
    ]
    return Markup(f'<p class="weak">{separated(told)}</p>\n') if told else Markup("")


def _findings(findings: object) -> Iterator[Markup]:
    """What a content policy found: line, kind, quote."""
    if not isinstance(findings, list | tuple):
        return
    for finding in cast("list[Any]", findings)[:MOST_FINDINGS]:
        if isinstance(finding, dict):
            fields = cast("dict[str, Any]", finding)
            quote = escaped(str(fields.get("quote", "")), MOST_TEXT)
            told = f"line {fields.get('line')}, {fields.get('kind')}: "
            yield Markup(f"{escaped(told, MOST_TEXT)}<code>{quote}</code>")


def _diff(diff: str) -> Markup:
    """A unified diff with its lines in colour."""
    kinds = {"+": "good", "-": "bad", "@": "weak"}
    lines = (
        marked(line, kind) if (kind := kinds.get(line[:1])) else line
        for line in legible(diff, MOST_DIFF).split("\n")
    )
    return preformatted(joined(part for line in lines for part in (line, "\n")))
