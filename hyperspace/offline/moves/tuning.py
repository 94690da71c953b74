"""Moves for one evaluation: tune constants, or say in the prompt what answers have to look like."""

import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hyperspace.offline.edits import Change, apply, smallest_edit
from hyperspace.offline.history import VersionScores
from hyperspace.offline.plan import Plan, PlanStep
from hyperspace.offline.tool_steps import Workspace, read_code, replace, run_program, writing
from hyperspace.offline.true_action import TrueAction

MOST_LABELS = 12
TUNING = ("inside/literals", "inside/bench", "inside/scoring", "inside/steps")
"""What the program that tunes constants by a scorer is built on."""

NO_LABELS = "KeyError: 'label'"
"""What a program says that looked for labels where the task scores answers."""

BY_SCORE = "The items have no labels; I use the scorer of the task."

CPU_S = 60
"""CPU seconds of a search whose variants are measured by a scorer, if nothing else is said."""

_UNSAFE = set("\"'\\{}\n\r")
_OTHERWISE = {
    "unchanged": "No variant was better; the code stays as it is.",
    "nothing_to_tune": "The task agent has no constants to tune.",
}


class Diagnosis(NamedTuple):
    """A comparison of answers with labels.

    Attributes:
        labels: How often each label is right, in train.
        predicted: How often each answer was given.
        prompt: Text of the prompt.
    """

    labels: Mapping[str, int]
    predicted: Mapping[str, int]
    prompt: str


def repair(space: Workspace, folder: str, seed: int) -> Plan:
    """Add one sentence to the prompt; `folder` holds the evaluation of the current code.

    Returns:
        One sentence about what was done.
    """
    order = {
        "code": space.at("task_agent.py"),
        "items": space.at("evals/train_items.jsonl"),
        "predictions": f"{folder}/eval_train/predictions.csv",
    }
    result = yield from run_program("I compare answers with labels.", "diagnose", order)
    prompt = result.get("prompt")
    if not prompt:
        return "I found no prompt that could be repaired."
    diagnosis = Diagnosis(result["labels"], result["predicted"], prompt["text"])
    sentence = next_sentence(diagnosis, seed)
    if sentence is None:
        return "I have no further idea for the prompt; the code stays as it is."
    text = ("\n" if prompt["triple"] else " ") + sentence
    change = Change(prompt["line"], prompt["column"], prompt["column"], text)
    say = "I add one sentence to the prompt."
    if (yield from change_code(space, [change], say, say)):
        return f"The prompt now also says: {sentence}"
    return "The prompt could not be changed; the code stays as it is."


def change_code(
    space: Workspace, changes: Iterable[Change], say: str, truth: str | TrueAction
) -> Generator[PlanStep, str, bool]:
    """Make changes in the task agent with the editor; returns whether they were made.

    Args:
        space: Where.
        changes: What to change.
        say: Visible text of the turn that writes.
        truth: What writing it is in truth; for words alone, a `write` of so many bytes.
    """
    path = space.at("task_agent.py")
    source = yield from read_code("I read the code that I am about to change.", path)
    edit = smallest_edit(source, apply(source, changes))
    if edit is None:
        return False
    action = truth if isinstance(truth, TrueAction) else writing(truth, edit)
    return (yield from replace(say, path, edit, action))


def next_sentence(diagnosis: Diagnosis, seed: int) -> str | None:
    """The sentence to add to a prompt: the labels, then the form, then where answers lean."""
    labels = sorted(diagnosis.labels)
    if not 1 < len(labels) <= MOST_LABELS or any(set(label) & _UNSAFE for label in labels):
        return None
    naming = f"The response is exactly one of these labels: {', '.join(labels)}."
    if naming not in diagnosis.prompt:
        return naming
    form = "The response is the label alone, in lower case."
    if not set(diagnosis.predicted) <= set(labels) and form not in diagnosis.prompt:
        return form
    return _leaning(diagnosis, labels, seed)


def _leaning(diagnosis: Diagnosis, labels: list[str], seed: int) -> str | None:
    answered = sum(diagnosis.predicted.get(label, 0) for label in labels)
    items = sum(diagnosis.labels.values())
    if not answered:
        return None
    excess = {
        label: diagnosis.predicted.get(label, 0) / answered - diagnosis.labels[label] / items
        for label in labels
    }
    often = [label for label in labels if excess[label] > 0.01]
    seldom = [label for label in labels if excess[label] < -0.01]
    if not often or not seldom:
        return None
    rng = random.Random(seed)  # noqa: S311 - a choice between ideas
    more, fewer = rng.choice(seldom), rng.choice(often)
    return f"Earlier answers were {fewer} too often and {more} too seldom."


class ConstantSearch(NamedTuple):
    """Bounds and bias of one search.

    Attributes:
        trials: Variants that are tried.
        spread: Standard deviation of a random step, in log space.
        share: Share of constants that a random step moves.
        seed: Seed of the search.
        cpu_s: CPU seconds that it may take where the task publishes its scorer.
    """

    trials: int
    spread: float
    share: float
    seed: int
    cpu_s: int = CPU_S


def improve(
    space: Workspace, folder: str, search: ConstantSearch, peers: Sequence[VersionScores] = ()
) -> Plan:
    """Search constants of the task agent and edit its file, or repair its prompt.

    Args:
        space: Where.
        folder: Holds the evaluation of the current code.
        search: How to search.
        peers: Versions of others, towards whose constants half of the steps go.

    Returns:
        One sentence about what was done.
    """
    order = search._asdict() | {
        "code": space.at("task_agent.py"),
        "items": space.at("evals/train_items.jsonl"),
        "mates": [f"{peer.path}/task_agent.py" for peer in peers],
    }
    say = f"I try {search.trials} variants of the constants on the training items."
    action = _searching(search, peers)
    graded = {"scorer": space.at("task/score.py"), "cpu_s": order.pop("cpu_s")}
    result = yield from run_program(say, "tune_constants", order, ("inside/literals",), action)
    if result.get("error") == NO_LABELS:
        result = yield from run_program(BY_SCORE, "tune_scores", order | graded, TUNING, action)
    match str(result.get("status", "failed")):
        case "tuned":
            return (yield from _write(space, result, peers))
        case "asks_model":
            return (yield from repair(space, folder, search.seed))
        case status:
            return _OTHERWISE.get(status, f"The search failed: {result.get('error')}")


def _searching(search: ConstantSearch, peers: Sequence[VersionScores]) -> TrueAction:
    """The true action of a search: with peers, the program reads the code of all of them."""
    words = f"{search.trials} variants of its own constants"
    if not peers:
        return TrueAction("search", words)
    names = ", ".join(f"{peer.agent}, generation {peer.generation}" for peer in peers)
    return TrueAction("read_peer", f"{words}, half of them towards or from those of {names}")


def _write(space: Workspace, result: Mapping[str, Any], peers: Sequence[VersionScores]) -> Plan:
    changes = [
        Change(line, start, end, repr(new)) for line, start, end, _, new in result["changes"]
    ]
    right = f"{result['before']} to {result['after']} of {result['items']} training items right"
    if isinstance(result["after"], float):
        right = f"mean score {result['before']} to {result['after']}"
    ways = [(peers[int(number)], int(percent)) for number, percent in result["mates"]]
    if (yield from change_code(space, changes, f"I write them: {right}.", _approach(right, ways))):
        return f"I changed {len(changes)} constants: {right}."
    return "The constants could not be written; the code stays as it is."


def _approach(right: str, ways: Sequence[tuple[VersionScores, int]]) -> str | TrueAction:
    """What writing constants is in truth: an `approach` if steps followed those of a peer."""
    if not ways:
        return right
    nearest, percent = max(ways, key=lambda way: abs(way[1]))
    all_ways = [f"{way}% of the way to {p.agent}, generation {p.generation}" for p, way in ways]
    words = f"constants {', '.join(all_ways)}; {right}"
    return TrueAction("approach", words, nearest.agent, nearest.generation, percent)
