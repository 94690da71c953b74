"""Taking a run up again: what exists, what was damaged, what was left unfinished."""

import msgspec

from agents.socket_folder import sweep_socket_folders
from agents.wall_clock import utc_now
from evolution.damage import find_damage, mend
from evolution.events import Notice
from evolution.final import WORK_NAME
from evolution.manifest import TEST, Closing, Repair
from evolution.report import closed_event, write_summary
from evolution.take_up import Last, read_state
from evolution.team import Participant, Team

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
    repair = Repair(problems[:MOST_NAMED], len(problems), utc_now())
    team.marks.record(repair)
    team.views.add_incident(repair)
    for problem in repair.problems[:MOST_TOLD]:
        team.emit(Notice(f"repaired from the space: {problem}"))
    if repair.count > MOST_TOLD:
        team.emit(Notice(f"repaired from the space: {repair.count} files in all (audit.jsonl)"))


def _set_aside(team: Team, who: Participant, last: Closing | None) -> None:
    """Move what an earlier coordinator left of attempts that were never closed."""
    generation = team.archives[who.name].next_generation()
    name = f"gen_{generation}"
    leftovers = [
        (path, path.name.removeprefix("."))
        for path in sorted(team.folder.agent(who.name).glob(".*"))
        if path.is_dir()
    ]
    leftovers.append((team.folder.generation(who.name, generation), name))
    if last is None or last.manifest.generation != TEST:
        leftovers.append((team.folder.test_eval(who.name), WORK_NAME))
    for leftover, kind in leftovers:
        if leftover.exists():
            team.folder.set_aside(leftover, who.name, kind)
