"""Taking a run up again: what exists, what was left unfinished, and views made afresh."""

from agents.socket_folder import sweep_socket_folders
from evolution.errors import RunDamaged
from evolution.files import tree_hashes
from evolution.final import WORK_NAME
from evolution.manifest import TEST, Closing
from evolution.report import rebuild_views, report
from evolution.retention import TRACE, place, was_dropped
from evolution.team import Participant, Team


def recover(team: Team) -> None:
    """Bring memory and files in line with the space.

    Raises:
        RunDamaged: A generation that exists has lost or changed files.
    """
    team.sandbox.sweep(team.label)
    sweep_socket_folders(team.label)
    closings = {who.name: team.marks.closings(who.name) for who in team.participants}
    for who in team.participants:
        for closing in closings[who.name]:
            if closing.manifest.generation != TEST:
                report(team, who, closing, resumed=True)
        _set_aside(team, who, closings[who.name])
        _check_files(team, who, closings[who.name])
    rebuild_views(team, closings)


def rebuild(team: Team) -> None:
    """Write the views of the space afresh, the final evaluation's refusals included."""
    rebuild_views(team, {who.name: team.marks.closings(who.name) for who in team.participants})


def _set_aside(team: Team, who: Participant, closings: list[Closing]) -> None:
    """Move what an earlier coordinator left of attempts that were never closed."""
    generation = team.archives[who.name].next_generation()
    name = f"gen_{generation}"
    leftovers = [
        (path, path.name.removeprefix("."))
        for path in sorted(team.folder.agent(who.name).glob(".*"))
        if path.is_dir()
    ]
    leftovers.append((team.folder.generation(who.name, generation), name))
    if not any(closing.manifest.generation == TEST for closing in closings):
        leftovers.append((team.folder.test_eval(who.name), WORK_NAME))
    for leftover, kind in leftovers:
        if leftover.exists():
            team.folder.set_aside(leftover, who.name, kind)


def _check_files(team: Team, who: Participant, closings: list[Closing]) -> None:
    """Check the files of every closed generation against their hashes."""
    for closing in closings:
        folder = place(team.folder, closing)
        found = tree_hashes(folder) if folder.is_dir() else {}
        for path, digest in closing.files.items():
            if found.get(path) != digest and not (path == TRACE and was_dropped(folder)):
                problem = "is missing" if path not in found else "was changed"
                raise RunDamaged(
                    f"{folder / path} {problem} since its generation was closed; put the original "
                    "back (its code is in the space: hyperspace space marks), or use another "
                    "--results folder"
                )
