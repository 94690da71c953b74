"""SealedCases of exercises: drawn, never twice, and judged line by line."""

import json
from typing import Any, NamedTuple

from hyperspace.tasks.polyglot.catalogue import Exercise
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Executed
from hyperspace.tasks.streams import stream
from hyperspace.tasks.strict_json import parse_strictly

PUBLIC, SEALED = 12, 40
MOST_DRAWS = 10_000


class SealedCases(NamedTuple):
    """SealedCases of one exercise.

    Attributes:
        public: Input and answer of each case that is shown, as lines.
        inputs: Inputs of the sealed cases, as lines.
        answers: Their answers, as lines.
    """

    public: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]
    answers: tuple[str, ...]


def draw_cases(exercise: Exercise, rows_seed: int, epoch: int = 0) -> SealedCases:
    """Draw the cases of an epoch; none is a case of an earlier one, or both public and sealed."""
    seen: set[str] = set()
    lines: list[str] = []
    for number in range(epoch + 1):
        lines = _draw_lines(exercise, f"{exercise.name}/{number}", rows_seed, seen)
        seen.update(lines)
    answers = [as_line(exercise.solve(json.loads(line))) for line in lines]
    pairs = tuple(zip(lines, answers, strict=True))
    return SealedCases(pairs[:PUBLIC], tuple(lines[PUBLIC:]), tuple(answers[PUBLIC:]))


def _draw_lines(exercise: Exercise, part: str, rows_seed: int, seen: set[str]) -> list[str]:
    rng = stream("polyglot", rows_seed, part)
    lines: dict[str, None] = {}
    for _ in range(MOST_DRAWS):
        line = as_line(exercise.draw_case(rng))
        if line not in seen:
            lines[line] = None
        if len(lines) == PUBLIC + SEALED:
            return list(lines)
    raise AssertionError(f"{exercise.name} has too few cases")


def as_line(value: Any) -> str:
    """A JSON value in the one form in which lines are compared."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def judge(executed: Executed, answers: tuple[str, ...]) -> Outcome:
    """Compare what a program printed with the answers; all have to be right.

    The reason tells the first wrong case and nothing of its answer.
    """
    count = len(answers)
    if executed.error:
        return Outcome(0.0, executed.error, details={"passed": 0, "cases": count})
    lines = executed.stdout.split("\n")
    if lines[-1] == "":
        lines.pop()
    right = [_is_right(line, answer) for line, answer in zip(lines, answers, strict=False)]
    details: dict[str, float | int | str] = {"passed": sum(right), "cases": count}
    if len(lines) != count:
        return Outcome(0.0, f"{len(lines)} lines for {count} cases", details=details)
    if not all(right):
        return Outcome(0.0, f"case {right.index(False) + 1} of {count} is wrong", details=details)
    return Outcome(1.0, details=details)


def _is_right(line: str, answer: str) -> bool:
    try:
        return as_line(parse_strictly(line)) == answer
    except ValueError:
        return False
