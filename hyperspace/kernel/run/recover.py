"""Taking a run up again: what exists, what was damaged, what was left unfinished."""

import os
from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from hyperspace.broker.socket_folder import sweep_socket_folders
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.events import Notice
from hyperspace.kernel.generation.report import closed_event, record_incident, write_summary
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.run.integrity import find_damage, repair
from hyperspace.kernel.state.closings import incidents
from hyperspace.kernel.state.config import EXTENSION_HASHES, read_record
from hyperspace.kernel.state.folder import TEST_WORK
from hyperspace.kernel.state.manifest import TEST, Closing, DomainEdit, Repair
from hyperspace.kernel.views.resume_state import Last, resume_state
from hyperspace.tasks.registry import files_sha256
from hyperspace.wall_clock import utc_now

MOST_NAMED = 100
MOST_TOLD = 5


def recover(context: RunContext) -> None:
    """Bring memory and files in line with the space.

    Raises:
        RunDamaged: A file of a generation that exists is lost or was changed, and cannot be made
            again.
    """
    context.sandbox.sweep(context.label)
    sweep_socket_folders(context.label)
    expected, last, problems = resume_state(context.marks, context.logs)
    for who in context.participants:
        _refuse_unknown(context, who, len(expected.archives[who.name].entries))
    for who in context.participants:
        for entry in expected.archives[who.name].entries:
            context.archives[who.name].take(entry)
    context.order.begin()
    damages = find_damage(context, expected, last)
    repair(damages)
    if damages:
        find_damage(context, expected, last)  # for the stamps of what was put back
    context.logs.settle(expected)
    for who in context.participants:
        _set_aside(context, who, last[who.name])
        write_summary(context, who)
    _tell(context, last)
    _record(context, (*_left_behind(context), *problems, *map(str, damages)))
    if context.recording is None:  # a replay has no file but the one that is named for it
        _note_edit(context)


def _left_behind(context: RunContext) -> Iterator[str]:
    """Tell what is lost of a run that goes on in another folder."""
    if context.folder.is_restored:
        yield (
            "the folder was made again here; what lay in another one alone is not in it: "
            "traces of attempts that were not closed"
        )


def _tell(context: RunContext, last: Last) -> None:
    """Tell observers how far each agent is."""
    for who in context.participants:
        archive, spent = context.archives[who.name], context.ledger.budget.of(who.name)
        if not archive.entries:
            continue
        newest = last[who.name]
        if newest is None or newest.manifest.generation == TEST:
            newest = context.marks.closing(who.name, archive.next_generation() - 1)
        cost_usd = None if spent.unpriced else spent.cost_usd
        event = closed_event(newest, archive)
        sums = {"calls": spent.calls, "cost_usd": cost_usd, "resumed": True}
        context.emit(msgspec.structs.replace(event, **sums))


def _record(context: RunContext, problems: tuple[str, ...]) -> None:
    """Put what was repaired on record, and tell the person."""
    if not problems:
        return
    # On record without the folder: the record travels with the run.
    inside = tuple(problem.removeprefix(f"{context.folder.root}/") for problem in problems)
    repair = Repair(inside[:MOST_NAMED], len(problems), utc_now())
    record_incident(context, repair)
    for problem in problems[:MOST_TOLD]:
        context.emit(Notice(f"repaired from the space: {problem}"))
    if repair.count > MOST_TOLD:
        context.emit(Notice(f"repaired from the space: {repair.count} files in all (audit.jsonl)"))


def _note_edit(context: RunContext) -> None:
    """Put on record what is other code by now; a person may have mended it."""
    record, domain = read_record(context.folder.record), context.config.domain
    now = files_sha256(domain)
    if now is None and context.folder.kept_task.is_dir():  # the file is gone; that is played
        now = record.domain_sha256
    began_with = record.options.get(EXTENSION_HASHES, {})
    code = [(UNSET, record.domain_sha256, now)]
    code += [(name, began_with.get(name), sha) for name, sha in context.code.items()]
    edits = [each for each in incidents(context.marks) if isinstance(each, DomainEdit)]
    for extension, began, now in code:
        before = next((e.sha256 for e in edits[::-1] if e.extension == extension), began)
        if now is None or before in (None, now):
            continue
        edit = DomainEdit(domain, now, utc_now(), extension)
        record_incident(context, edit)
        told = "generations before and after come of different code, which audit.jsonl says"
        context.emit(Notice(f"the file of {edit.code} was edited since: {told}"))


def _refuse_unknown(context: RunContext, who: Participant, closed: int) -> None:
    """Only the generation after the last closed one may have been begun."""
    numbers = (
        name.removeprefix("gen_") for name in _names(context, who) if name.startswith("gen_")
    )
    numbers = (int(number) for number in numbers if number.isdecimal())
    beyond = [number for number in numbers if number > closed]
    if beyond:
        raise RunDamaged(
            f"{context.folder.generation(who.name, min(beyond))} is there, and the run's space "
            f"knows only {closed} generations of {who.name}; put back the space.db that belongs to "
            "these files, or use another --results folder"
        )


def _names(context: RunContext, who: Participant) -> list[str]:
    """Return the names in an agent's folder."""
    folder = context.folder.agent(who.name)
    return os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208  ten thousand paths cost


def _set_aside(context: RunContext, who: Participant, last: Closing | None) -> None:
    """Move what an earlier coordinator left of attempts that were never closed."""
    generation = context.archives[who.name].next_generation()
    name = f"gen_{generation}"
    leftovers = [
        (context.folder.agent(who.name) / name, name.removeprefix("."))
        for name in sorted(_names(context, who))
        if name.startswith(".") and (context.folder.agent(who.name) / name).is_dir()
    ]
    leftovers.append((context.folder.generation(who.name, generation), name))
    if last is None or last.manifest.generation != TEST:
        leftovers.append((context.folder.test_eval(who.name), TEST_WORK))
    for leftover, kind in leftovers:
        if leftover.exists():
            context.folder.set_aside(leftover, who.name, kind)
