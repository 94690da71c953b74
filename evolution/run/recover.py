"""Taking a run up again: what exists, what was damaged, what was left unfinished."""

import os

import msgspec

from agents.broker.socket_folder import sweep_socket_folders
from agents.wall_clock import utc_now
from evolution.errors import RunDamaged
from evolution.events import Notice
from evolution.generation.final import WORK_NAME
from evolution.generation.report import closed_event, write_summary
from evolution.generation.team import Participant, Team
from evolution.run.damage import find_damage, mend
from evolution.state.manifest import TEST, Closing, Repair
from evolution.views.take_up import Last, read_state

MOST_NAMED = 100
MOST_TOLD = 5


def recover(team: Team) -> None:
    """Bring memory and files in line with the space.

    Raises:
        RunDamaged: A file of a generation that exists is lost or was changed, and cannot be made
            again.
    """
    team.sandbox.sweep(team.label)
    sweep_socket_folders(team.label)
    whole, last, problems = read_state(team.marks, team.views)
    for who in team.participants:
        _refuse_unknown(team, who, len(whole.archives[who.name].entries))
    for who in team.participants:
        for entry in whole.archives[who.name].entries:
            team.archives[who.name].take(entry)
    damages = find_damage(team, whole, last)
    mend(damages)
    if damages:
        find_damage(team, whole, last)  # for the stamps of what was put back
    team.views.settle(whole)
    for who in team.participants:
        _set_aside(team, who, last[who.name])
        write_summary(team, who)
    _tell(team, last)
    _record(team, (*problems, *map(str, damages)))


def _tell(team: Team, last: Last) -> None:
    """Tell observers how far each agent is."""
    for who in team.participants:
        archive, spent = team.archives[who.name], team.ledger.budget.of(who.name)
        if not archive.entries:
            continue
        newest = last[who.name]
        if newest is None or newest.manifest.generation == TEST:
            newest = team.marks.closing(who.name, archive.next_generation() - 1)
        cost_usd = None if spent.unpriced else spent.cost_usd
        event = closed_event(newest, archive)
        sums = {"calls": spent.calls, "cost_usd": cost_usd, "resumed": True}
        team.emit(msgspec.structs.replace(event, **sums))


def _record(team: Team, problems: tuple[str, ...]) -> None:
    """Put what was repaired on record, and tell the person."""
    if not problems:
        return
    # On record without the folder: the record travels with the run.
    inside = tuple(problem.removeprefix(f"{team.folder.root}/") for problem in problems)
    repair = Repair(inside[:MOST_NAMED], len(problems), utc_now())
    team.marks.record(repair)
    team.views.add_incident(repair)
    for problem in problems[:MOST_TOLD]:
        team.emit(Notice(f"repaired from the space: {problem}"))
    if repair.count > MOST_TOLD:
        team.emit(Notice(f"repaired from the space: {repair.count} files in all (audit.jsonl)"))


def _refuse_unknown(team: Team, who: Participant, closed: int) -> None:
    """Only the generation after the last closed one may have been begun."""
    found = (name.removeprefix("gen_") for name in _names(team, who) if name.startswith("gen_"))
    numbers = (int(number) for number in found if number.isdecimal())
    beyond = [number for number in numbers if number > closed]
    if beyond:
        raise RunDamaged(
            f"{team.folder.generation(who.name, min(beyond))} is there, and the run's space knows "
            f"only {closed} generations of {who.name}; put back the space.db that belongs to these "
            "files, or use another --results folder"
        )


def _names(team: Team, who: Participant) -> list[str]:
    """What is in an agent's folder."""
    folder = team.folder.agent(who.name)
    return os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208  ten thousand paths cost


def _set_aside(team: Team, who: Participant, last: Closing | None) -> None:
    """Move what an earlier coordinator left of attempts that were never closed."""
    generation = team.archives[who.name].next_generation()
    name = f"gen_{generation}"
    leftovers = [
        (team.folder.agent(who.name) / name, name.removeprefix("."))
        for name in sorted(_names(team, who))
        if name.startswith(".") and (team.folder.agent(who.name) / name).is_dir()
    ]
    leftovers.append((team.folder.generation(who.name, generation), name))
    if last is None or last.manifest.generation != TEST:
        leftovers.append((team.folder.test_eval(who.name), WORK_NAME))
    for leftover, kind in leftovers:
        if leftover.exists():
            team.folder.set_aside(leftover, who.name, kind)
