"""The mark space of a run: scopes, needs, marks with their strength, as of any moment."""

from typing import Any, Final, Literal, NamedTuple

import msgspec

from hyperspace.audit.audit import promised_head
from hyperspace.dashboard.api.marks import marks_of, moment_of
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.plots_svg import panel_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.reporting.figures import Curve, Panel
from hyperspace.runs.spaces.snapshot import SpaceMoment, mark_at
from hyperspace.runs.spaces.strength import strengths_of

VERIFIED_AT_ONCE: Final = 2_000  # entries; more are verified when that is asked for
MOST_AT_ONCE: Final = 100_000  # characters of one mark on a page


class ChainState(NamedTuple):
    """Whether the audit chain verifies.

    Attributes:
        state: `unknown` if that cannot be told, `unread` if it was not looked at.
        problem: Why it does not verify, or why that cannot be told.
        is_promised: Whether the run's summary names a head, which the chain holds.
    """

    state: Literal["verified", "broken", "unknown", "unread"]
    problem: str = ""
    is_promised: bool = False


def render(question: Question) -> PageContent:
    """Show a moment of the space, or one mark whole."""
    if question.query.get("mark"):
        return _one(question, question.whole("mark", 0))
    moment = moment_of(question, with_texts=True)
    scope = question.text("scope")
    at = {"at": question.whole("at", 0)} if question.query.get("at") else {}
    values: dict[str, Any] = {
        "moment": moment,
        "chain": _chain(question, moment),
        "scope": scope,
        "at": at,
        "filters": at | ({"scope": scope} if scope else {}),
    }
    return PageContent("Marks", "marks.html", values)


def _one(question: Question, sequence: int) -> PageContent:
    with marks_of(question) as marks:
        mark = mark_at(marks.space, sequence)
        points = strengths_of(marks.space, sequence)
    if mark is None:
        raise NotThere(f"the space has no mark {sequence}")
    text = msgspec.json.format(msgspec.json.encode(mark.model_dump()), indent=2).decode()
    part = question.whole("from", 0)
    shown = text[part : part + MOST_AT_ONCE]
    rest = part + len(shown)
    curve = ""
    if len(points) > 1 and not part:
        xs, ys = tuple(p.clock for p in points), tuple(p.strength for p in points)
        panel = Panel(title="", x="round", y="strength", curves=(Curve("", xs, ys, "steps", 0),))
        curve = panel_svg(panel, tall_px=180)
    values = {
        "sequence": sequence,
        "size": len(text),
        "text": shown.replace("\\n", "\n"),
        "rest": rest if rest < len(text) else 0,
        "curve": curve,
        "points": [(str(p.at), f"{p.clock:g}", f"{p.strength:.4f}") for p in points],
    }
    title = f"Mark {sequence}: {mark.mark_type.value} in {mark.scope}"
    return PageContent(title, "mark.html", values)


def _chain(question: Question, moment: SpaceMoment) -> ChainState:
    if moment.entries > VERIFIED_AT_ONCE and question.query.get("verify") != "1":
        return ChainState("unread")
    try:
        promised = promised_head(RunFolder(question.place.folder))
    except RunDamaged as error:
        return ChainState("unknown", f"{error}.")
    with marks_of(question) as marks:
        result = marks.space.verify(expected_head=promised)
    return ChainState("verified" if result.ok else "broken", result.problem or "", bool(promised))


VIEW = View("marks", "/runs/{run}/marks", render, label="Marks", of="ours")
