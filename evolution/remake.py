"""The files of a closed generation that follow from the space, made as they were when it closed."""

from evolution.final import final_files
from evolution.manifest import TEST, Closing
from evolution.publish import generation_files, took_of
from evolution.team import Team


def remake(team: Team, closing: Closing) -> dict[str, bytes]:
    """Path to content. Another version may make them otherwise: hold them against their hashes."""
    manifest = closing.manifest
    if manifest.generation == TEST:
        return final_files(team, manifest)
    code = team.marks.code(manifest.agent, int(manifest.generation))
    return generation_files(team, manifest, code, took_of(closing))
