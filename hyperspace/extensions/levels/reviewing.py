"""Level `feedback`: after each try the host asks a reviewer, who sees the whole history.

Its answer is a record (`Advice`) in the closing manifest of the try; the next tries are told the
latest two. The calls are in the try's trace, are paid and replayed as all are, and are answered
from there where a coordinator was killed between them and the end of the try.
"""

from typing import Final

import msgspec
from msgspec import UNSET

from guards.parsing import decode_json
from hyperspace.extensions.levels.tries import TASK_AGENT, tries_so_far
from hyperspace.extensions.levels.worker import quoted, task_of
from hyperspace.kernel.events import Notice
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.archive import Archive
from hyperspace.messages import CallKey
from hyperspace.options.advice import Advice

PURPOSE: Final = "review"
FORM: Final = """Answer with one JSON object and nothing else:
{"issue_type": what is wrong, in a word or two,
 "severity": "low" | "medium" | "high" | "critical",
 "fix": what the programmer should do next and where in the code, in a few sentences,
 "confidence": how sure you are, from 0 to 1,
 "pattern": "none" | "persistent_regression" | "oscillation" | "plateau" | "ignored_advice" |
   "overfitting": what the history as a whole shows,
 "evidence": [ids of the train items that show it]}"""
_ASKED: Final = """You review the work of a programmer who improves `task_agent.py`, a try at a
time. A try is kept if its validation score is better than that of the code it started from, or
the same with shorter code. The programmer sees the task, the kept code and your latest two pieces
of advice, and remembers nothing else. You see every try, the newest first: its diff, its scores,
the train items that came out wrong, what you said of it, and whether the try after that touched
what you named (advice_followed).
"""
_AGAIN: Final = "\nYour last answer to this was no such object ({error}). Answer with the object."


async def review_try(attempt: Attempt, candidate: Candidate, own: Archive) -> None:
    """Let the reviewer say why a try is as good or bad as it is.

    An answer that is no such record is asked for once more; after that there is none. Where
    workers are told the advice of another run, the reviewer is asked and paid all the same.

    Args:
        attempt: The attempt that made the try.
        candidate: The try, evaluated; takes the advice.
        own: The agent's generations before it.

    Raises:
        RunPaused: The reviewer's model is down.
    """
    advice = await _advice(attempt, candidate, _prompt(attempt, candidate, own))
    solo = attempt.solo
    if solo is not None and solo.told is not UNSET:
        advice = solo.told.of_try(candidate.generation)
    candidate.fields["advice"] = advice


async def _advice(attempt: Attempt, candidate: Candidate, prompt: str) -> Advice | None:
    error = ""
    for ordinal in range(2):
        key = CallKey(PURPOSE, candidate.label(""), ordinal)
        asked = prompt + (_AGAIN.format(error=error) if error else "")
        answer = await attempt.ask(key, asked, attempt.context.reviewer)
        try:
            return read_advice(answer)
        except ValueError as problem:
            error = printable_error(str(problem))
    reviewer = (attempt.context.reviewer or attempt.who.model).name
    attempt.context.emit(
        Notice(
            f"{attempt.who.name} gen {candidate.generation}: {reviewer} answered twice with no "
            f"record of advice ({error}); this try has none"
        )
    )
    return None


def read_advice(answer: str) -> Advice:
    """Read a reviewer's answer; words around the object do not matter.

    Raises:
        ValueError: It holds no such object; says what is wrong.
    """
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        raise ValueError("it holds no JSON object")
    try:
        return decode_json(answer[start : end + 1].encode(errors="replace"), Advice)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error


def _prompt(attempt: Attempt, candidate: Candidate, own: Archive) -> str:
    best = own.in_sight.best
    kept = 0 if best is None else best.generation
    code = attempt.context.marks.code(attempt.who.name, kept).get(TASK_AGENT, "")
    lines = [canonical_json(told).decode() for told in tries_so_far(attempt, candidate, own)]
    return "\n".join(
        (
            _ASKED,
            task_of(attempt),
            f"# task_agent.py that was kept before the newest try (try {kept})\n{quoted(code)}",
            "# Tries, the newest first\n```jsonl",
            *lines,
            "```\n",
            FORM,
        )
    )
