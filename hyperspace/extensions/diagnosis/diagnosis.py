"""The fixed diagnosis of the `dgm` arms: one failed example becomes a problem statement.

It is the host's step, so no agent can change how it is done: an item of train that the parent got
wrong is drawn, the agent's own model is asked once what the matter is, and its answer is laid into
the workspace, where the meta agent of these arms finds its instruction.
"""

from typing import Final

from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.rng import stream
from hyperspace.messages import CallKey
from hyperspace.tasks.table import normalise
from hyperspace.workspace.workspace import SHOWN_CHARACTERS, STATEMENT

PURPOSE: Final = "diagnose"
_LONGEST_CODE: Final = 20_000  # characters of the task agent that are quoted
_TASK: Final = """A program that answers items of a task got one wrong.

Input:
{inputs}

Its answer: {prediction}
The right answer: {label}
"""
_AGENT: Final = """
The program is part of an agent that improves its own code. State in a few sentences, as an issue
for its developers, what the agent should become able to do so that such items come out right.
Speak of abilities, not of this one item.
"""
_TASK_AGENT: Final = """
The answer came from `task_agent.py`, whose code is:

{code}

State in a few sentences, as an issue for its developers, what is to be changed in the task agent so
that such items come out right. Do not write for this one item alone.
"""
NOTHING_FAILED: Final = "No item of train comes out wrong. Make the agent sounder and simpler."
NO_ANSWER: Final = "Find out from the evaluations why items of train come out wrong, and mend it."


class FixedDiagnosis(Extension):
    """The problem statement of a generation."""

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Return the problem statement."""
        return {STATEMENT: await _statement(attempt, candidate)}


async def _statement(attempt: Attempt, candidate: Candidate) -> bytes:
    is_of_agent = attempt.solo is not None and attempt.solo.diagnosis == "agent"
    text, failed = NOTHING_FAILED, _failed_example(attempt, candidate)
    if failed is not None:
        code = candidate.code.get("task_agent.py", "")[:_LONGEST_CODE]
        prompt = failed + (_AGENT if is_of_agent else _TASK_AGENT.format(code=code))
        said = await attempt.ask(CallKey(PURPOSE, candidate.label(""), 0), prompt)
        text = said.strip() or NO_ANSWER
    return f"# Problem\n{text}\n".encode()


def _failed_example(attempt: Attempt, candidate: Candidate) -> str | None:
    """One item that the code which is forked got wrong, for a prompt; None if there is none."""
    context, agent = attempt.context, attempt.who.name
    result = context.marks.closing(agent, candidate.forked_from or 0).manifest.splits.get("train")
    predictions = {} if result is None else result.predictions
    evaluated = {*predictions, *({} if result is None else result.errors)}
    labels = context.domain.labels("train")
    failed = [
        item
        for item in context.domain.items("train")
        if (not evaluated or item.id in evaluated)
        and normalise(predictions.get(item.id)) != normalise(labels[item.id])
    ]
    if not failed:
        return None
    rng = stream(context.config.root_seed, PURPOSE, agent, candidate.generation, candidate.role)
    item = rng.choice(failed)
    inputs = "\n".join(f"{key}: {str(value)[:4_000]}" for key, value in item.inputs.items())
    prediction = predictions.get(item.id, "none; it failed")[:SHOWN_CHARACTERS]
    return _TASK.format(inputs=inputs, prediction=prediction, label=labels[item.id])
