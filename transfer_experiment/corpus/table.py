"""A score as a table that people read."""

from transfer_experiment.corpus.score import MeasureScore, Score, Share

_HEAD = (
    "| measure | precision | 95% interval | recall | 95% interval |",
    "|---|---|---|---|---|",
)


def table(score: Score) -> str:
    """Render a score: shares with their counts, and intervals by Wilson's method."""
    return "\n".join((*_HEAD, *map(_row, score.measures)))


def mistakes(score: Score) -> str:
    """Render every case in which a detector was wrong, one a line."""
    return "\n".join(
        f"{measure.measure}: {mistake.kind}: {mistake.run} {' '.join(mistake.case)}"
        for measure in score.measures
        for mistake in measure.mistakes
    )


def _row(row: MeasureScore) -> str:
    cells = (*_cells(row.precision), *_cells(row.recall))
    return f"| {row.measure.replace('_', ' ')} | {' | '.join(cells)} |"


def _cells(share: Share) -> tuple[str, str]:
    if share.value is None or share.low is None or share.high is None:
        return "no case", ""
    return f"{share.value:.3f} ({share.hits}/{share.cases})", f"{share.low:.3f} to {share.high:.3f}"
