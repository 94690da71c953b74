"""A score as a table that people read."""

from transfer_experiment.corpus.score import Score, Share

_HEAD = (
    "| measure | precision | 95% interval | recall | 95% interval |",
    "|---|---|---|---|---|",
)


def table(score: Score) -> str:
    """Render a score: shares with their counts, and intervals by Wilson's method."""
    rows = [
        (row.measure.replace("_", " "), *_cells(row.precision), *_cells(row.recall))
        for row in score.measures
    ]
    return "\n".join((*_HEAD, *(f"| {' | '.join(row)} |" for row in rows)))


def mistakes(score: Score) -> str:
    """Render every case in which a detector was wrong, one a line."""
    return "\n".join(
        f"{measure.measure}: {mistake.kind}: {mistake.run} {' '.join(mistake.case)}"
        for measure in score.measures
        for mistake in measure.mistakes
    )


def _cells(share: Share) -> tuple[str, str]:
    if share.value is None or share.low is None or share.high is None:
        return "no case", ""
    return f"{share.value:.3f} ({share.hits}/{share.cases})", f"{share.low:.3f} to {share.high:.3f}"
