"""Summary fields for `--eval-repeats`: how far the passes of a best generation vary."""

from typing import Any

from evolution.generation.generation_files import pass_scores
from evolution.state.manifest import TEST, best_of
from evolution.state.marks import RunMarks


def passes_told(marks: RunMarks) -> dict[str, Any]:
    """The scores that each agent's best generation had, pass by pass; nothing of a single pass.

    They are draws of the same code on the same items: what separates them is chance.
    """
    if marks.config.repeats == 1:
        return {}
    return {"passes": {agent: _scores(marks, agent) for agent in marks.config.agents}}


def _scores(marks: RunMarks, agent: str) -> dict[str, object]:
    manifests = [closing.manifest for closing in marks.closings(agent)]
    best = best_of(manifests)
    finals = [manifest for manifest in manifests if manifest.generation == TEST]
    told = [pass_scores(manifest) for manifest in [*filter(None, [best]), *finals[-1:]]]
    return {split: scores for splits in told for split, scores in splits.items()}
