"""The analysis as one HTML page: plots, tables, and source coloured by where it came from.

Pages load nothing and need no script. Plots are made by matplotlib (the extra `report`).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Final, NamedTuple

from markupsafe import Markup

from hyperspace.reporting.figures import to_svg
from hyperspace.reporting.lines import score
from hyperspace.reporting.rendering import Templates
from hyperspace.runs.records import Run
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.lineage import LabelledLine, labelled_source
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.outputs.lines import (
    heading,
    not_known,
    path_line,
    run_lines,
    total_lines,
)
from transfer_experiment.outputs.plots import scores_figure, similarity_figure
from transfer_experiment.survey import Totals

MOST_LINES: Final = 3000
MOST_PAIRS: Final = 3  # similarity maps in a run of many agents


class AgentSource(NamedTuple):
    """The best generation's task agent.

    Attributes:
        agent: Whose.
        generation: Which.
        lines: Each with where it was first.
        colours: Class of the colour of each strategy that lines came from, by its folder.
        from_peers: How many lines first came from peers.
        known: How many lines are known to have come from anywhere.
    """

    agent: str
    generation: int
    lines: Sequence[LabelledLine]
    colours: dict[str, str]
    from_peers: int
    known: int


class AnalysisPage:
    """Gathers the sections of a page, one a run."""

    def __init__(self) -> None:
        self._sections: list[Markup] = []
        self._templates = Templates(
            "transfer_experiment.outputs", filters={"who_from_what": who_from_what}
        )

    def add(self, run: Run, analysis: RunAnalysis) -> None:
        """Add a run; its texts are read here and not kept.

        Raises:
            FiguresUnavailable: matplotlib is not installed.
        """
        number = len(self._sections)
        maps = [
            similarity_figure(*pair) for pair in islice(combinations(run.agents, 2), MOST_PAIRS)
        ]
        side = "≤" if run.higher_is_better is False else "≥"
        reached = [
            f"{side} {name[1:]} at"
            for agent in analysis.agents[:1]
            for name in agent.efficiency.reached
        ]
        section = self._templates.render(
            "analysed_run.html",
            heading=heading(analysis),
            analysis=analysis,
            unknown=not_known(has_code=analysis.has_code, has_traces=analysis.has_traces),
            headings=["agent", "model", "best val", "at", *reached, "calls"],
            agents=[*_agents(analysis)],
            scores=to_svg(scores_figure(run, analysis), f"scores-{number}"),
            similarities=[
                to_svg(figure, f"similarity-{number}-{at}")
                for at, figure in enumerate(maps)
                if figure is not None
            ],
            evidence=[*_evidence(analysis.adoptions)],
            everything="\n".join(run_lines(analysis)),
            sources=[*_sources(run, analysis)],
        )
        self._sections.append(Markup(section))  # noqa: S704  # what a template made

    def html(self, totals: Totals) -> str:
        """The whole page."""
        told = "\n".join(total_lines(totals))
        return self._templates.render("analysis.html", totals=told, sections=self._sections)


def who_from_what(event: Adoption) -> str:
    """Name an event by who moved towards which strategy."""
    return f"{event.agent} from {event.strategy.rpartition('/')[2]}"


def _agents(run: RunAnalysis) -> Iterator[tuple[str, ...]]:
    for agent in run.agents:
        counts = (
            agent.best_generation,
            *agent.efficiency.reached.values(),
            agent.efficiency.calls,
        )
        shown = ("-" if number is None else str(number) for number in counts)
        yield agent.name, agent.model, score(agent.best_val), *shown


def _evidence(events: Sequence[Adoption]) -> Iterator[tuple[str, list[str]]]:
    """Yield the path and the evidence of each event; one that both rules find has it once."""
    by_move = {(who_from_what(event), event.generation): event for event in events}
    for (who, generation), event in by_move.items():
        lines = [f"Path: {path_line(event.path)}"] if event.path else []
        lines += (f"{e.file}:{e.line} ({e.rank}) {e.quote}" for e in event.evidence)
        if lines:
            yield f"Evidence: {who} in generation {generation}", lines


def _sources(run: Run, analysis: RunAnalysis) -> Iterator[AgentSource]:
    for agent in run.agents:
        best = next(row.best_generation for row in analysis.agents if row.name == agent.name)
        lines = [] if best is None else labelled_source(agent, best)
        if best is None or not lines:
            continue
        origins = [line.origin for line in lines if line.origin]
        peers = sorted({origin.strategy for origin in origins} - {""})
        yield AgentSource(
            agent.name,
            best,
            lines[:MOST_LINES],
            {folder: f"series-{at % 8}" for at, folder in enumerate(peers)},
            sum(bool(origin.strategy) for origin in origins),
            len(origins),
        )
