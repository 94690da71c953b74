"""How much of the sealed data the authors of a run could have seen in scores, in bits.

A result in sight is one of the multiples of the last reproducible digit between the least and the
greatest score of the run, or a failure: log2(values + 1) bits each. What an author sees of an idea
counts once, however often it is shown; an idea that is named because its repository was left again
counts each time. Bits are no data: whoever asks well learns one bit with
each, and no more than that.
"""

from collections.abc import Mapping
from math import ceil, log2

from hyperspace.launch.validation_seen import ValidationSeen
from hyperspace.research.loop.records import BASELINE, ClosedIdea, ResearchConfig


def scores_seen(
    config: ResearchConfig, ideas: Mapping[int, ClosedIdea], digits: int
) -> ValidationSeen:
    """Return the bits of the evaluation's data that authors could have seen in scores.

    Args:
        config: The run's.
        ideas: Every closed idea, by number, and the baseline.
        digits: Decimal places that scores are rounded to.
    """
    scores = [idea.score for idea in ideas.values() if idea.score is not None]
    values = 1 + round((max(scores) - min(scores)) * 10**digits) if scores else 1
    seen = {author: {BASELINE} for author in config.authors}
    for number, idea in ideas.items():
        if number != BASELINE:
            seen[idea.manifest.author].update(idea.manifest.shown)
    told = dict.fromkeys(config.authors, 0)  # of a repository that was trained before
    for idea in ideas.values():
        if idea.number != BASELINE:
            told[idea.manifest.author] += idea.manifest.gates.count("duplicate")

    def bits(results: int) -> float:
        return ceil(10 * results * log2(values + 1)) / 10

    by_author = {author: bits(len(seen[author]) + told[author]) for author in config.authors}
    every = set[int]().union(*seen.values())
    return ValidationSeen("scores", bits(len(every) + sum(told.values())), by_author)
