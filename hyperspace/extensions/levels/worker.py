"""What a worker of the levels `loop` and `feedback` is told before each try.

It is the host's step, as a diagnosis is: the prompt is laid into the workspace, where the frozen
meta agent finds its instruction. Of the past a worker knows the code that was kept and its results;
at `loop` also how the last try went, at `feedback` the latest two pieces of advice instead.
"""

import re
from typing import Final

from hyperspace.kernel.evaluation.failures import error_in_sight
from hyperspace.kernel.files import pretty_json
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.archive import Archive
from hyperspace.options.advice import Advice
from hyperspace.tasks.shapes.documented import task_files
from hyperspace.workspace.workspace import README, STATEMENT

ADVICE_SHOWN: Final = 2  # the latest
LONGEST_CODE: Final = 20_000  # characters of the task agent that are quoted
_TICKS: Final = re.compile("`{3,}")


def worker_files(attempt: Attempt, candidate: Candidate, own: Archive) -> dict[str, bytes]:
    """Write the prompt of a try.

    Args:
        attempt: The attempt.
        candidate: A fork of the code that was kept.
        own: The agent's generations, as of its look.

    Returns:
        Workspace path to content.
    """
    told = worker_prompt(attempt, candidate, own)
    return {STATEMENT: "\n".join(filter(None, told)).encode()}


def worker_prompt(attempt: Attempt, candidate: Candidate, own: Archive) -> list[str]:
    """Return the parts of the prompt of a try; without a level it is that of `loop`."""
    told, solo = (
        [task_of(attempt), _code(candidate), _result(attempt, candidate, own)],
        attempt.solo,
    )
    if solo is not None and solo.selection == "initial":
        return told  # best of N: each try is the first one
    if solo is not None and solo.level == "feedback":
        return [*told, *_advised(attempt)]
    return [*told, _last_try(attempt, own)]


def latest_advice(attempt: Attempt) -> list[Advice]:
    """Return the latest pieces of advice that a worker is shown, the newest last."""
    marks, agent = attempt.context.marks, attempt.who.name
    advice: list[Advice] = []
    for generation in range(attempt.generation - 1, 0, -1):
        given = marks.closing(agent, generation).manifest.advice
        if given is not None:
            advice.append(given)
        if len(advice) == ADVICE_SHOWN:
            break
    return advice[::-1]


def task_of(attempt: Attempt) -> str:
    """Return what is asked: the task's README, or what the domain says of itself."""
    domain = attempt.context.domain
    readme = task_files(domain).get(README, b"").decode()
    better = "higher" if domain.higher_is_better else "lower"
    return f"# Task {domain.name}\n{readme}\nThe score is {domain.metric}; {better} is better.\n"


def quoted(code: str) -> str:
    """Return a program, cut where it is very long, in a fence that it does not hold."""
    cut = "" if len(code) <= LONGEST_CODE else "\n# ... cut here; the rest is in the file"
    fence = "`" * max([3, *(1 + len(run) for run in _TICKS.findall(code))])
    return f"{fence}python\n{code[:LONGEST_CODE]}{cut}\n{fence}\n"


def _code(candidate: Candidate) -> str:
    return f"# task_agent.py, as it is now\n{quoted(candidate.code.get('task_agent.py', ''))}"


def _result(attempt: Attempt, candidate: Candidate, own: Archive) -> str:
    entries = own.in_sight.entries
    if attempt.context.config.visible.val == "none" or candidate.parent is None:
        return ""
    score = entries[candidate.parent].val_score
    told = "was not reached" if score is None else f"is {score:.6g}"
    return f"# Result\nIts validation score {told}. Only a better one is kept.\n"


def _last_try(attempt: Attempt, own: Archive) -> str:
    last = own.in_sight.last_made
    if last is None or last.generation == 0:
        return ""
    visible = attempt.context.config.visible
    manifest = attempt.context.marks.closing(own.agent, last.generation).manifest
    if not manifest.valid:
        error = error_in_sight(manifest.error, by_class=visible.val == "scores")
        return f"The last try failed: {error}\n"
    if visible.val == "none":
        return ""
    score = "no validation score" if last.val_score is None else f"{last.val_score:.6g}"
    return f"The last try scored {score}.\n"


def _advised(attempt: Attempt) -> list[str]:
    advice = latest_advice(attempt)
    if not advice:
        return []
    fenced = [f"```json\n{pretty_json(each).decode()}```" for each in advice]
    return ["# Advice of a reviewer, the newest last", *fenced]
