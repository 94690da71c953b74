"""What each author of a research run is shown of the ideas of earlier epochs."""

from collections.abc import Mapping

import msgspec

from hyperspace.kernel.state.rng import stream
from hyperspace.research.loop.records import BASELINE, ClosedIdea, ResearchConfig

IdeasShown = Mapping[int, ClosedIdea]
"""Ideas by number, and the baseline, as an author is shown them."""


def ideas_shown(
    config: ResearchConfig, epoch: int, earlier: Mapping[int, ClosedIdea]
) -> dict[str, IdeasShown]:
    """Return what each author is shown before an epoch, by its name; the run's arm decides.

    Args:
        config: The run's.
        epoch: Which.
        earlier: Every idea of earlier epochs, by number, and the baseline.
    """
    return {author: _shown_to(author, config, epoch, earlier) for author in config.authors}


def _shown_to(
    author: str, config: ResearchConfig, epoch: int, earlier: Mapping[int, ClosedIdea]
) -> IdeasShown:
    others = [n for n in sorted(earlier) if n != BASELINE and earlier[n].manifest.author != author]
    if config.arm == "none":
        return {number: idea for number, idea in earlier.items() if number not in others}
    if config.arm == "shuffled":
        trained = [n for n in others if earlier[n].manifest.tree_sha256]  # may be built upon
        givers = stream(config.seed, "shuffled", author, epoch).sample(trained, len(trained))
        pairs = zip(trained, givers, strict=True)
        return {**earlier, **{n: _with_result(earlier[n], earlier[giver]) for n, giver in pairs}}
    return earlier


def _with_result(idea: ClosedIdea, giver: ClosedIdea) -> ClosedIdea:
    """Return an idea with what came of another."""
    result = msgspec.structs.replace(
        idea.manifest, state=giver.manifest.state, score=giver.manifest.score
    )
    return msgspec.structs.replace(idea, manifest=result, reason=giver.reason)
