"""The files of a closed generation that follow from the space, made as they were when it closed."""

from evolution.files import canonical_json
from evolution.generation.attempt import Took
from evolution.generation.cursors import CURSOR
from evolution.generation.final import final_files
from evolution.generation.generation_files import Written, generation_files
from evolution.generation.sight import look
from evolution.generation.team import Team
from evolution.state.manifest import TEST, Closing


def remake(team: Team, closing: Closing) -> dict[str, bytes]:
    """Path to content. Another version may make them otherwise: hold them against their hashes."""
    manifest = closing.manifest
    if manifest.generation == TEST:
        return final_files(team, manifest)
    cursor = {CURSOR: canonical_json(closing.cursor)} if closing.cursor else {}
    return generation_files(team, manifest, _written(team, closing)) | cursor


def _written(team: Team, closing: Closing) -> Written:
    agent, generation = closing.manifest.agent, int(closing.manifest.generation)
    (who,) = [one for one in team.participants if one.name == agent]
    return Written(
        team.marks.code(agent, generation),
        team.marks.candidates(agent, generation),
        look(team, who, generation, closing.cursor).truth(),
        Took(closing.attempt, closing.calls, closing.cost_usd, closing.seconds),
    )
