"""What the analysis concludes of one generation: whom it adopted from, and what detectors found."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.pages.addresses import event_id, named_place
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion
from hyperspace.dashboard.reading.judged import analysis_of
from hyperspace.runs.archives import is_long
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.findings.finding import Finding
from transfer_experiment.turns.evidence import Evidence

MOST_JUDGED: Final = 500  # generations of all agents: those of more are judged on other pages
MOST_FINDINGS: Final = 50
MOST_EVIDENCE: Final = 5


def adoptions_of(question: Question, here: CodeVersion) -> list[tuple[Adoption, str]]:
    """Return adoptions of a generation, each with its id; none of a run too long for it."""
    analysis = _analysis(question)
    run, of = question.run(), (here.agent.name, here.turn.generation)
    return [
        (event, event_id(run, event))
        for event in (analysis.adoptions if analysis else ())
        if event.rule == "causal" and (event.agent, event.generation) == of
    ]


def findings_of(
    question: Question, here: CodeVersion
) -> list[tuple[Finding, list[tuple[str, str]]]]:
    """Return what detectors found in a generation, each with its places and their addresses.

    None of a run that is too long for it.
    """
    analysis, of = _analysis(question), (here.agent.name, here.turn.generation)
    findings = analysis.findings.findings if analysis else ()
    return [
        (finding, list(_places(question, here, finding.evidence)))
        for finding in findings
        if (finding.agent, finding.generation) == of
    ][:MOST_FINDINGS]


def _analysis(question: Question) -> RunAnalysis | None:
    """Return the analysis of a run that is short enough for the page of one generation."""
    if is_long(question.place.folder):
        return None
    if sum(len(agent.generations) for agent in question.run().agents) > MOST_JUDGED:
        return None
    return analysis_of(question)


def _places(
    question: Question, here: CodeVersion, evidence: tuple[Evidence, ...]
) -> Iterator[tuple[str, str]]:
    places = dict.fromkeys((each.file, each.line) for each in evidence)
    for file, line in [*places][:MOST_EVIDENCE]:
        yield (
            f"{file}:{line}",
            named_place(question, here.agent, here.turn.generation, file, line),
        )
