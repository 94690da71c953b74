"""The analysis as one HTML page: plots, tables, and source coloured by where it came from.

Pages load nothing and need no script. Plots are made by matplotlib (the extra `report`).
"""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Final

from hyperspace.reporting import page
from hyperspace.reporting.figures import to_svg
from hyperspace.reporting.lines import score
from hyperspace.runs.records import Run, RunAgent
from transfer_experiment.adoption.lineage import labelled_source
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.outputs.adoption_parts import adoptions_table, evidence_parts
from transfer_experiment.outputs.lines import heading, not_known, run_lines, total_lines
from transfer_experiment.outputs.plots import scores_figure, similarity_figure
from transfer_experiment.outputs.provenance_parts import (
    coloured_source,
    peer_colours,
    provenance_legend,
    told_share,
)
from transfer_experiment.survey import Totals

LEAD: Final = (
    "Who took what from whom, by two rules. The published rule looks at similarity alone; the "
    "causal rule counts what came into the code by an observed path. "
    "Definitions: docs/reference/analysis.md."
)
SCORES: Final = "Validation score and size of the task agent, generation by generation."
ARROWS: Final = "An arrow goes from what was adopted, by either rule, to who adopted it."
SIMILARITY: Final = (
    "1 is equal code; a bright step that stays is an adoption. Where a text is missing the cell is "
    "empty."
)
MOST_LINES: Final = 3000
MOST_PAIRS: Final = 3  # similarity maps in a run of many agents


class AnalysisPage:
    """Gathers the sections of a page, one a run."""

    def __init__(self) -> None:
        self._sections: list[page.Markup] = []

    def add(self, run: Run, analysis: RunAnalysis) -> None:
        """Add a run; its texts are read here and not kept.

        Raises:
            FiguresUnavailable: matplotlib is not installed.
        """
        number = len(self._sections)
        title = page.breakable(heading(analysis))
        self._sections.append(page.section(title, *_run_parts(run, analysis, number)))

    def html(self, totals: Totals) -> str:
        """The whole page."""
        counted = page.section("All runs", page.preformatted("\n".join(total_lines(totals))))
        return page.page("Adoption analysis", counted, *self._sections, lead=LEAD)


def _run_parts(run: Run, analysis: RunAnalysis, number: int) -> Iterator[str]:
    why = not_known(has_code=analysis.has_code, has_traces=analysis.has_traces)
    if not analysis.has_code:
        yield page.note(f"Adoption, similarity, what went over, claims and habits: {why}")
    elif why:
        yield page.note(f"What was read, what went over, claims and most habits: {why}")
    yield _agents(analysis)
    drawn = to_svg(scores_figure(run, analysis), f"scores-{number}")
    yield page.figure(drawn, f"{SCORES} {ARROWS}" if analysis.adoptions else SCORES)
    for at, pair in enumerate(islice(combinations(run.agents, 2), MOST_PAIRS)):
        figure = similarity_figure(*pair)
        if figure is not None:
            yield page.figure(to_svg(figure, f"similarity-{number}-{at}"), SIMILARITY)
    if analysis.adoptions:
        yield adoptions_table(analysis.adoptions)
        yield from evidence_parts(analysis.adoptions)
    yield page.folded(
        "Everything that was found", page.preformatted("\n".join(run_lines(analysis)))
    )
    for agent in run.agents:
        yield from _source(agent, analysis)


def _agents(run: RunAnalysis) -> page.Markup:
    rows = [
        (
            agent.name,
            agent.model,
            score(agent.best_val),
            _count(agent.best_generation),
            *map(_count, agent.efficiency.reached.values()),
            _count(agent.efficiency.calls),
        )
        for agent in run.agents
    ]
    side = "≤" if run.higher_is_better is False else "≥"
    reached = [
        f"{side} {name[1:]} at" for agent in run.agents[:1] for name in agent.efficiency.reached
    ]
    headings = ["agent", "model", "best val", "at", *reached, "calls"]
    caption = "Best validation score, the first generation at each threshold, and model calls"
    return page.table(headings, rows, caption=caption, numeric=range(2, len(headings)))


def _source(agent: RunAgent, analysis: RunAnalysis) -> Iterator[page.Markup]:
    """The best generation's task agent, with the lines of peers in colour."""
    best = next(row.best_generation for row in analysis.agents if row.name == agent.name)
    labelled = [] if best is None else labelled_source(agent, best)
    if not labelled:
        return
    colours = peer_colours(labelled)
    title = f"Source of {agent.name}, generation {best}: {told_share(labelled)}"
    code = page.preformatted(coloured_source(labelled, colours, MOST_LINES))
    yield page.folded(title, provenance_legend(colours), code)


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)
