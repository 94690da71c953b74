"""What a solver of an arena is told: the prompt of the level `loop`, and cases that it failed."""

from typing import Any, Final

from hyperspace.extensions.arena.rounds import arena_of
from hyperspace.extensions.levels.worker import worker_prompt
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.archive import Archive
from hyperspace.tasks.table import normalise
from hyperspace.workspace.workspace import STATEMENT

CASES_SHOWN: Final = 20  # the latest that failed
_ANSWER: Final = 200  # characters of an answer that are shown


def solver_files(attempt: Attempt, candidate: Candidate, own: Archive) -> dict[str, bytes]:
    """Return the prompt of a try, by workspace path."""
    told = worker_prompt(attempt, candidate, own)
    failed = failed_cases(attempt)
    if failed and attempt.context.config.visible.train == "full":
        lines = "\n".join(canonical_json(row).decode() for row in failed)
        told.append(
            "# Cases of testers that this code got wrong\nThey are judged again, with others like "
            f"them.\n```jsonl\n{lines}\n```\n"
        )
    return {STATEMENT: "\n".join(filter(None, told)).encode()}


def failed_cases(attempt: Attempt) -> list[dict[str, Any]]:
    """Return the cases of the last round that a solver's kept code failed, the newest last."""
    context, arena = attempt.context, arena_of(attempt.context)
    last = context.round_of(attempt.who, attempt.generation) - 1
    result = arena.kept(attempt.who.name, last).result
    answers = {} if result is None else result.predictions
    failed = [
        case
        for case in arena.teachable(arena.suite(last))
        if normalise(answers.get(case.id)) != case.label
    ]
    return [
        {"inputs": c.inputs, "label": c.label, "answer": answers.get(c.id, "")[:_ANSWER]}
        for c in failed[-CASES_SHOWN:]
    ]
