"""The files of a closed generation that follow from the space, made as they were when it closed."""

from evolution.files import canonical_json
from evolution.generation.attempt import Took
from evolution.generation.cursors import CURSOR
from evolution.generation.final import final_files
from evolution.generation.generation_files import Written, generation_files
from evolution.generation.run_context import RunContext
from evolution.generation.visible_strategies import snapshot_visible
from evolution.state.manifest import TEST, Closing


def rebuild(context: RunContext, closing: Closing) -> dict[str, bytes]:
    """Path to content. Another version may make them otherwise: hold them against their hashes."""
    manifest = closing.manifest
    if manifest.generation == TEST:
        return final_files(context, manifest)
    agent, number = manifest.agent, int(manifest.generation)
    (who,) = [each for each in context.participants if each.name == agent]
    written = Written(
        context.marks.code(agent, number),
        context.marks.candidates(agent, number),
        snapshot_visible(context, who, number, closing.cursor).sources(),
        Took(closing.attempt, closing.calls, closing.cost_usd, closing.seconds),
    )
    cursor = {CURSOR: canonical_json(closing.cursor)} if closing.cursor else {}
    return generation_files(context, manifest, written) | cursor
