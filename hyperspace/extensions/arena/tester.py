"""A tester's turn: what it is told, and the oracle's word on the cases that it wrote.

It writes lines into one file of its workspace. It sees train items and live cases with the share of
solvers that fail them, and never validation or test items, a solver's code, or the oracle.
"""

from collections.abc import Iterator
from typing import Any, Final

from hyperspace.extensions.arena.judging import LONGEST_CASE, MOST_PROPOSED, judge_cases, refused
from hyperspace.extensions.arena.rounds import arena_of
from hyperspace.extensions.levels.worker import task_of
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.cases import REFUSALS, JudgedCase
from hyperspace.options.fleet import CASES_FILE
from hyperspace.tasks.table import normalise
from hyperspace.workspace.workspace import EVALS, STATEMENT

ITEMS: Final = f"{EVALS}/items.jsonl"
OWN_CASES: Final = f"{EVALS}/cases.jsonl"
_MOST_OWN: Final = 200  # cases of its own that a tester is told of, the latest
_ASKED: Final = f"""# What is asked of you
Other agents, the solvers, write programs for the task above. You make up new items that their
programs get wrong. An oracle of the task, which nobody sees, decides whether a case stands.

Write at most {MOST_PROPOSED} cases into `{CASES_FILE}`, one a line, each a JSON object:

    {{"inputs": {{...}}, "label": "..."}}

`inputs` has the fields of an item, `label` is the right answer. A case is refused if it is no such
line, longer than {LONGEST_CASE} bytes, if its label is not the oracle's answer, or if it is nearly
the same as a train item or an earlier case. Your score is the mean share of solvers that fail your
standing cases, times the share of your cases that stand.

`{ITEMS}` holds items and live cases, each with the share of solvers that fail it, and
`{OWN_CASES}` what became of your earlier cases. Nothing else that you change counts.
"""


def tester_files(attempt: Attempt) -> dict[str, bytes]:
    """Return what a tester is told in a round, by workspace path."""
    told = f"{task_of(attempt)}{_ASKED}".encode()
    own = b"".join(canonical_json(row) + b"\n" for row in _own_cases(attempt))
    files = {STATEMENT: told, OWN_CASES: own}
    if attempt.context.config.visible.train == "full":
        files[ITEMS] = b"".join(canonical_json(row) + b"\n" for row in _items(attempt))
    return files


def judge_proposals(attempt: Attempt, candidate: Candidate) -> None:
    """Let the oracle judge what a tester wrote; a candidate that failed has no cases."""
    if not candidate.valid or attempt.generation == 0:
        return
    arena = arena_of(attempt.context)
    number = attempt.context.round_of(attempt.who, attempt.generation)
    prefix = f"{attempt.who.name}-{number}"
    taken = arena.taken_forms(attempt.who.name, number)
    text = candidate.code.get(CASES_FILE, "")
    cases = judge_cases(arena.oracle, text, taken, prefix)
    for violation in candidate.violations:
        if violation.path == CASES_FILE and violation.verdict == "reverted":
            why = "too_long" if violation.what.startswith("oversized") else "malformed"
            case = refused(f"{prefix}-file", why, f"the file: {violation.reason}")
            cases += (case,)
            break
    candidate.fields["cases"] = cases


def _items(attempt: Attempt) -> Iterator[dict[str, Any]]:
    """Tell of train items and of the live suite of the last round, those on the border first."""
    context, arena = attempt.context, arena_of(attempt.context)
    last = context.round_of(attempt.who, attempt.generation) - 1
    solvers = arena.live("solver", last)
    trained = [arena.train_answers(agent, last) for agent in solvers]
    labels, rows = context.domain.labels("train"), list[dict[str, Any]]()
    for item in context.domain.items("train"):
        fails = sum(normalise(answers.get(item.id)) != labels[item.id] for answers in trained)
        rows.append(_row(item.inputs, labels[item.id], fails / len(solvers)))
    fails = arena.fails(last, after=True)
    for case in arena.suite(last):
        rows.append(_row(case.inputs, case.label, fails[case.id] / len(solvers)))
    # Where half of them fail, something small decides.
    yield from sorted(rows, key=lambda row: abs(row["failing"] - 0.5))


def _row(inputs: dict[str, Any], label: str, failing: float) -> dict[str, Any]:
    return {"inputs": inputs, "label": label, "failing": round(failing, 4)}


def _own_cases(attempt: Attempt) -> Iterator[dict[str, Any]]:
    """Tell a tester of its earlier cases, the newest last."""
    context, arena, agent = attempt.context, arena_of(attempt.context), attempt.who.name
    rows: list[dict[str, Any]] = []
    for generation in range(1, attempt.generation):
        number = context.round_of(attempt.who, generation)
        fails, solvers = arena.fails(number), len(arena.live("solver", number))
        for case in arena.judged(agent, number):
            rows.append(_own(case, fails.get(case.id, 0) / solvers) | {"round": number})
    yield from rows[-_MOST_OWN:]


def _own(case: JudgedCase, failing: float) -> dict[str, Any]:
    if case.verdict == "stands":
        return {"verdict": case.verdict, **_row(case.inputs, case.label, failing)}
    why = REFUSALS[case.verdict]
    return {"verdict": case.verdict, "why": why, "told": case.reason, "proposed": case.proposed}
