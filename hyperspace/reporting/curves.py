"""Curves: each agent's validation scores, generation by generation, with the best so far."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from hyperspace.reporting.figures import GENERATION, Curve, Drawn, Panel, draw_panels, to_svg
from hyperspace.reporting.lines import amount, counted, score, wrapped
from hyperspace.reporting.rendering import Templates
from hyperspace.runs.records import Run, RunAgent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VAL: Final = "validation score"
BLOCKS: Final = "▁▂▃▄▅▆▇█"
MOST_WIDE: Final = 72
A_FIGURE: Final = 12  # runs in one figure of a page


class AgentCurve(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's way.

    Attributes:
        domain: The task; empty where the source does not say.
        experiment: What the run belongs to.
        arm: What was tried.
        seed: The run seed.
        agent: Its name; empty where a run has one agent without a name.
        generations: Their numbers.
        train: Train score of each; None where there is none.
        val: Validation score of each; None where there is none.
        best: Best validation score of a valid generation up to each.
        best_val: The best of all.
        best_generation: The first generation that has it.
        test: Its score on the sealed test split.
        higher_is_better: Which way is up; None where the source does not say, and then higher is.
    """

    domain: str
    experiment: str
    arm: str
    seed: int
    agent: str
    generations: tuple[int, ...]
    train: tuple[float | None, ...]
    val: tuple[float | None, ...]
    best: tuple[float | None, ...]
    best_val: float | None
    best_generation: int | None
    test: float | None
    higher_is_better: bool | None = None


class Curves(msgspec.Struct, frozen=True, kw_only=True):
    """The output of `hyperspace eval_progress`.

    Attributes:
        version: Of this form.
        source: What was read.
        curves: One for each agent of each run.
        notes: What is missing or damaged.
    """

    version: int = 1
    source: str
    curves: tuple[AgentCurve, ...]
    notes: tuple[str, ...]


def curves_of(runs: Iterable[Run], source: str, left_out: Iterable[str] = ()) -> Curves:
    """Return the curves of all agents of all runs; `left_out` says which others there are."""
    runs = list(runs)
    curves = tuple(_curve(run, agent) for run in runs for agent in run.agents)
    lines = [f"left out: {sentence}" for sentence in left_out]
    lines += (f"{run.arm} seed {run.seed}: {note}" for run in runs for note in run.notes)
    return Curves(source=source, curves=curves, notes=tuple(dict.fromkeys(lines)))


def curve_lines(curves: Curves) -> Iterator[str]:
    """Return curves for a terminal, all on one scale."""
    vals = [val for curve in curves.curves for val in curve.val if val is not None]
    top = max(vals, default=0.0) or 1.0
    yield from wrapped(f"Validation scores in {curves.source}", "")
    yield from wrapped(
        f"each column is one generation or a few, shown by the best of them: {BLOCKS[0]} is 0, "
        f"{BLOCKS[-1]} is {top:.3f}, a dot is no score",
        "",
    )
    for curve in curves.curves:
        yield ""
        yield from wrapped(_heading(curve), "")
        best = min if curve.higher_is_better is False else max
        yield f"    val   {sparkline(curve.val, top, best=best)}"
        yield f"    best  {sparkline(curve.best, top, best=best)}"
    for note in curves.notes:
        yield from wrapped(note, "note: ", hang="  ")


def sparkline(
    values: Sequence[float | None],
    top: float,
    width: int = MOST_WIDE,
    *,
    best: Callable[[Iterable[float]], float] = max,
) -> str:
    """Return values from 0 to `top` as blocks, at most `width`, each the `best` of a few."""
    columns = min(width, len(values))
    edges = [len(values) * at // columns for at in range(columns + 1)] if columns else [0]
    return "".join(
        _block([value for value in values[low:high] if value is not None], top, best)
        for low, high in pairwise(edges)
    )


def curves_page(curves: Curves, runs: Sequence[Run]) -> str:
    """Return curves as one HTML file.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    figures = [(to_svg(drawn.figure, drawn.name), drawn.caption) for drawn in curve_figures(runs)]
    rows = [
        (_name(c), score(c.best_val), amount(c.best_generation), score(c.test))
        for c in curves.curves
    ]
    return Templates().render("curves.html", curves=curves, figures=figures, rows=rows)


def curve_figures(runs: Sequence[Run], each: int = A_FIGURE) -> Iterator[Drawn]:
    """Draw runs, so many in one figure.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    caption = "Validation score of each generation (dots) and the best so far (steps)"
    titles = titles_of(runs)
    for number, at in enumerate(range(0, len(runs), each)):
        here = slice(at, at + each)
        which = f"runs {at + 1} to {min(at + each, len(runs))} of {len(runs)}"
        told = f"{caption}: {which}." if len(runs) > each else f"{caption}."
        yield Drawn(f"curves-{number}", told, curves_figure(runs[here], titles[here]))


def titles_of(runs: Sequence[Run]) -> list[str]:
    """Name each run among the others.

    Domain and experiment are named where there are several, and where that is not enough, copies of
    one run, so is the folder.
    """
    domains = len({run.domain for run in runs}) > 1
    experiments = len({run.experiment for run in runs}) > 1
    titles = [
        "/".join(filter(None, (run.domain * domains, run.experiment * experiments, run.arm)))
        + f" seed {run.seed}"
        for run in runs
    ]
    times = Counter(titles)
    sources = [run.source for run in runs]
    if len(set(sources)) > 1:
        shared = os.path.commonpath(sources)
        sources = [str(Path(source).relative_to(shared)) for source in sources]
    return [
        title if times[title] == 1 else f"{title} ({source})"
        for title, source in zip(titles, sources, strict=True)
    ]


def curves_figure(runs: Sequence[Run], titles: Sequence[str]) -> "Figure":
    """Draw each run in a panel: its agents' scores as dots, their best so far as steps.

    Args:
        runs: In the order of their panels.
        titles: Of the panels.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    shown = shared_range(runs)
    named = zip(runs, titles, strict=True)
    return draw_panels([_scores(run, title, shown) for run, title in named])


def shared_range(runs: Iterable[Run]) -> tuple[float, float]:
    """Return one range of scores for all panels, so that they can be compared."""
    generations = (row for run in runs for agent in run.agents for row in agent.generations)
    highest = max((row.val or 0.0 for row in generations if row.valid), default=0.0) or 1.0
    return (-0.03 * highest, 1.03 * highest)


def numbers_of(agent: RunAgent) -> tuple[float, ...]:
    """Return the numbers of an agent's generations, as positions in a figure."""
    return tuple(float(generation.generation) for generation in agent.generations)


def _scores(run: Run, title: str, shown: tuple[float, float]) -> Panel:
    curves: list[Curve] = []
    for at, agent in enumerate(run.agents):
        xs = numbers_of(agent)
        values = tuple(row.val for row in agent.generations)
        curves.append(Curve("", xs, values, "dots", at))
        curves.append(Curve(agent.name, xs, tuple(agent.best_so_far()), "steps", at))
    return Panel(title=title, x=GENERATION, y=VAL, curves=tuple(curves), y_range=shown)


def _curve(run: Run, agent: RunAgent) -> AgentCurve:
    rows = agent.generations
    return AgentCurve(
        domain=run.domain,
        experiment=run.experiment,
        arm=run.arm,
        seed=run.seed,
        agent=agent.name,
        generations=tuple(row.generation for row in rows),
        train=tuple(row.train for row in rows),
        val=tuple(row.val for row in rows),
        best=tuple(agent.best_so_far()),
        best_val=agent.best_val,
        best_generation=None if agent.best is None else agent.best.generation,
        test=agent.test,
        higher_is_better=run.higher_is_better,
    )


def _heading(curve: AgentCurve) -> str:
    lower = ", lower is better" if curve.higher_is_better is False else ""
    best = f"best {score(curve.best_val)}"
    if curve.best_generation is not None:
        best += f" at generation {curve.best_generation}"
    test = "" if curve.test is None else f", test {score(curve.test)}"
    return f"{_name(curve)}: {counted(len(curve.generations), 'generation')}, {best}{test}{lower}"


def _name(curve: AgentCurve) -> str:
    path = "/".join(name for name in (curve.domain, curve.experiment, curve.arm) if name)
    return f"{path} seed {curve.seed}{' ' + curve.agent if curve.agent else ''}"


def _block(values: Sequence[float], top: float, best: Callable[[Iterable[float]], float]) -> str:
    if not values:
        return "."
    step = round(best(values) / top * (len(BLOCKS) - 1))
    return BLOCKS[max(0, min(step, len(BLOCKS) - 1))]
