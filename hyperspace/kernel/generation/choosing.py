"""Which generation the next one is forked from: by the run's rule, or by the agent's own code.

With the selection `evolvable`, `select_next_parent.py` belongs to what the agent may edit. That of
the latest valid generation is asked, in a sandbox; what it answers is checked here, and where it
is no answer the standard rule's choice stands.
"""

from typing import Any, Final

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.outages import raise_if_down
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Chosen
from hyperspace.kernel.generation.extension import extensions
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.selection.named import EVOLVABLE
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Choosing
from hyperspace.kernel.state.rng import derive_seed
from hyperspace.models.names import asked_name

SELECT_FILE: Final = "select_next_parent.py"
PURPOSE: Final = "select"
LONGEST_S: Final = 60.0


async def choose_parent(attempt: Attempt, own: Archive) -> Chosen:
    """Choose the parent of this attempt's generation.

    Args:
        attempt: The attempt.
        own: The agent's generations, as of its look.

    Raises:
        RunPaused: A model that the agent's code asks is down.
        RunUsageError: The rule of selection broke its contract.
    """
    context, agent, generation = attempt.context, attempt.who.name, attempt.generation
    archive = own.in_sight
    pinned = context.steering.standing(agent).pinned
    if pinned is not None and generation > 0:
        return Chosen(archive.entries[pinned])
    standard = context.select(archive, attempt.stream("select"))
    if standard is None and archive.valid:
        raise RunUsageError(
            f"the rule of selection chose no parent for {agent} gen {generation}, and "
            f"{len(archive.valid)} generations are valid; it has to choose one of them"
        )
    by_rule = None if standard is None else standard.generation
    for extension in extensions(context) if generation > 0 else ():
        number = extension.choose_parent(attempt, own, by_rule)
        if number is not None:
            return Chosen(archive.entries[number], by=extension.name)
    evolvable = attempt.solo is not None and attempt.solo.selection == EVOLVABLE
    if not evolvable or generation == 0 or standard is None or attempt.is_given_up:
        return Chosen(standard)
    by = archive.valid[-1].generation
    answer = await _ask(attempt, archive, by)
    number = answer.get("parent")
    entries = {entry.generation: entry for entry in archive.valid}
    if type(number) is int and number in entries:
        return Chosen(entries[number], Choosing(by=by, chosen=number))
    error = printable_error(str(answer.get("error") or f"{number!r} is no valid generation"))
    return Chosen(standard, Choosing(by=by, chosen=None, error=error))


async def _ask(attempt: Attempt, archive: Archive, by: int) -> dict[str, Any]:
    code = attempt.context.marks.code(attempt.who.name, by)
    if SELECT_FILE not in code:
        return {"error": f"generation {by} has no {SELECT_FILE}"}
    frame = {
        "op": "select",
        "archive": _told(attempt, archive),
        "seed": derive_seed(
            attempt.context.config.root_seed, "evolvable", attempt.who.name, attempt.generation
        ),
        "model": asked_name(attempt.who.eval_model.name),
    }
    error = ""
    for item in ("", "retry"):
        try:
            return await _try(attempt, code, frame, item)
        except SandboxEnded as ended:
            error = str(ended)
            # The machine may have been busy: a wall clock that strikes counts the second time.
            if ended.reason != "wall_clock":
                break
    return {"error": error}


async def _try(
    attempt: Attempt, code: dict[str, str], frame: dict[str, Any], item: str
) -> dict[str, Any]:
    files = {path: text.encode() for path, text in code.items()} | attempt.context.runtime
    model = attempt.who.eval_model
    async with attempt.sandboxes.start("worker", files, model) as (running, broker):
        broker.begin_item(PURPOSE, item)
        try:
            return await running.request(frame, LONGEST_S)
        finally:
            raise_if_down(broker)


def _told(attempt: Attempt, archive: Archive) -> list[dict[str, Any]]:
    """The archive as far as the agent may see it."""
    visible = attempt.context.config.visible
    return [
        {
            "generation": entry.generation,
            "parent": entry.parent,
            "valid": entry.valid,
            "children": archive.children[entry.generation],
            **visible.scores(entry.train_score, entry.val_score),
            **({} if visible.val == "none" else {"fitness": entry.fitness}),
        }
        for entry in archive.entries
    ]
