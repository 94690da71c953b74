"""What the analysis concludes of one generation: whom it adopted from, and what detectors found."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.pages.addresses import event_id, named_place, run_page
from hyperspace.dashboard.pages.facts import PagePart, separated
from hyperspace.dashboard.pages.parts import link, shortened
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion
from hyperspace.dashboard.reading.judged import analysis_of
from hyperspace.reporting.lines import score
from hyperspace.reporting.page import Markup, bullets, escaped, joined, table
from hyperspace.runs.archives import is_long
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.turns.evidence import Evidence

MOST_JUDGED: Final = 500  # generations of all agents: those of more are judged on other pages
MOST_FINDINGS: Final = 50
MOST_EVIDENCE: Final = 5
MOST_TEXT: Final = 1_000


def adoption_parts(question: Question, here: CodeVersion) -> Iterator[PagePart]:
    """Return whom a generation adopted from; nothing of a run that is too long for it."""
    analysis = _analysis(question)
    if analysis is None:
        return
    run, name, number = question.run(), here.agent.name, here.turn.generation
    rows = [
        (
            link(
                event.strategy.rpartition("/")[2],
                run_page(question, "adoptions", event=event_id(run, event)),
            ),
            event.peer,
            event.verdict,
            f"{event.ratio:.3f}",
            score(event.score_before),
            score(event.score_after),
        )
        for event in analysis.adoptions
        if event.rule == "causal" and (event.agent, event.generation) == (name, number)
    ]
    if rows:
        headings = ("strategy", "peer", "verdict", "ratio", "val before", "after")
        caption = "By the causal rule"
        shown = table(headings, rows, caption=caption, numeric=(3, 4, 5))
        yield PagePart("adoptions", "Adoption", shown)


def finding_parts(question: Question, here: CodeVersion) -> Iterator[PagePart]:
    """Return what detectors found in a generation; nothing of a run that is too long for it."""
    analysis = _analysis(question)
    if analysis is None:
        return
    name, number = here.agent.name, here.turn.generation
    findings = [
        joined(
            (
                f"{finding.kind.replace('_', ' ')}: {shortened(finding.text, MOST_TEXT)}",
                *_evidence(question, here, finding.evidence),
            )
        )
        for finding in analysis.findings.findings
        if (finding.agent, finding.generation) == (name, number)
    ][:MOST_FINDINGS]
    if findings:
        yield PagePart("findings", "Findings of detectors", bullets(findings))


def _analysis(question: Question) -> RunAnalysis | None:
    """Return the analysis of a run that is short enough for the page of one generation."""
    if is_long(question.place.folder):
        return None
    if sum(len(agent.generations) for agent in question.run().agents) > MOST_JUDGED:
        return None
    return analysis_of(question)


def _evidence(
    question: Question, here: CodeVersion, evidence: tuple[Evidence, ...]
) -> Iterator[Markup]:
    places: list[Markup] = []
    number = here.turn.generation
    for file, line in [*dict.fromkeys((each.file, each.line) for each in evidence)][:MOST_EVIDENCE]:
        told = f"{file}:{line}"
        address = named_place(question, here.agent, number, file, line)
        places.append(link(told, address) if address else escaped(told))
    if places:
        yield joined((" — ", separated(places, ", ")))
