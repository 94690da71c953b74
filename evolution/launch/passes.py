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
    passes: dict[str, dict[str, object]] = {}
    for agent in marks.config.agents:
        manifests = [closing.manifest for closing in marks.closings(agent)]
        finals = [manifest for manifest in manifests if manifest.generation == TEST]
        passes[agent] = {}
        for manifest in [*filter(None, [best_of(manifests)]), *finals[-1:]]:
            passes[agent] |= pass_scores(manifest)
    return {"passes": passes}
