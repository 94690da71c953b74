"""Checks of what a domain promises by its shape (`hyperspace.tasks.shapes`)."""

import copy
import math
import sys
import types
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from hyperspace.tasks.base import SPLITS, Domain, Item
from hyperspace.tasks.shapes.cases import CaseMalformed, HasOracle
from hyperspace.tasks.shapes.documented import task_files
from hyperspace.tasks.shapes.interactive import Episode, Interactive
from hyperspace.tasks.shapes.judged import JudgedByModel
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified

NONSENSE = ("", "\x00 no answer to anything \ud800", "[" * 1000, '{"a": NaN, "a": 1e999}')
SCORER = "score.py"
STEPS = 5  # of an episode that is tried


class _Played(NamedTuple):
    observations: list[bytes]
    are_json: bool
    outcome: Outcome


def limits(domain: Domain) -> Iterator[str]:
    """Check the bounds of answers."""
    if isinstance(domain, Limited):
        bounds = domain.answer_limits
        if bounds.characters < 1 or (bounds.cpu_s is not None and bounds.cpu_s < 1):
            yield f"its answer limits leave no room for an answer: {bounds}"


def verdicts(domain: Domain) -> Iterator[str]:
    """Check that what is no answer is worth nothing and is said in one line."""
    item = domain.items("train")[0]
    if isinstance(domain, Verified):
        for text in NONSENSE:
            outcome = domain.verify(item, text)
            yield from _is_outcome(outcome, f"the answer {text[:20]!r}")
            if outcome.score != 0:
                yield f"the answer {text[:20]!r} has the score {outcome.score}, not 0"
            if domain.verify(item, text) != outcome:
                yield f"verified twice, the answer {text[:20]!r} has two outcomes"
    if isinstance(domain, JudgedByModel):
        yield from _is_outcome(domain.worst(item), "a reply that nobody can read")
        if domain.judgement(item, "") is not None:
            yield "an empty reply of the judge is read as a judgement"
        if not domain.question(item, NONSENSE[1]).strip():
            yield "the question to the judge is empty"


def public_scores(domain: Domain) -> Iterator[str]:
    """Check that the scorer that agents are shown can be used, and says what the host does."""
    text = task_files(domain).get(SCORER)
    if text is None:
        return
    module = types.ModuleType("score")
    space = module.__dict__
    before = sys.modules.get("score")
    sys.modules["score"] = module  # dataclasses look their module up
    try:
        exec(compile(text, SCORER, "exec"), space)  # noqa: S102 - it is the domain's own code
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield f"task/{SCORER} cannot be used: {type(error).__name__}: {error}"
        return
    finally:
        sys.modules.pop("score")
        if before is not None:
            sys.modules["score"] = before
    name = "play" if isinstance(domain, Interactive) else "score"
    if not callable(space.get(name)):
        yield f"task/{SCORER} defines no function {name}"
    elif isinstance(domain, Verified):
        item = domain.items("train")[0]
        for answer in NONSENSE:
            public = _publicly(space["score"], item, answer)
            if public != domain.verify(item, answer).score:
                yield f"task/{SCORER} gives {public} for the answer {answer[:20]!r}, verify another"
                return


def _publicly(score: Callable[[Any, str], object], item: Item, answer: str) -> object:
    try:
        return score(copy.deepcopy(item.inputs), answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def episodes(domain: Domain) -> Iterator[str]:
    """Check that an episode can be opened, played twice alike and closed."""
    if not isinstance(domain, Interactive):
        return
    for split in SPLITS:
        item = domain.items(split)[0]
        first, second = (_played(domain, item) for _ in range(2))
        if not first.are_json:
            yield f"what the first episode of {split} shows is no dictionary of JSON values"
        if first != second:
            yield f"played twice by equal actions, the first episode of {split} differs"
        if not first.observations:
            yield f"the first episode of {split} is over before its first step"
        yield from _is_outcome(first.outcome, f"the first episode of {split}")


def renewals(domain: Domain) -> Iterator[str]:
    """Check that each epoch has validation items of its own, and all else stays."""
    if not isinstance(domain, Renewable):
        return
    epochs = [domain.renewed(epoch) for epoch in range(3)]
    for epoch, renewed in enumerate(epochs):
        if (renewed.name, renewed.data_sha256) != (domain.name, domain.data_sha256):
            yield f"name or data_sha256 of epoch {epoch} is another one"
        for split in ("train", "test"):
            if list(renewed.items(split)) != list(domain.items(split)):
                yield f"the items of {split} are others in epoch {epoch}"
    if list(epochs[0].items("val")) != list(domain.items("val")):
        yield "epoch 0 is not the domain as it was loaded"
    epochs_told = [_told_apart(renewed) for renewed in epochs]
    if any(first & second for first, second in combinations(epochs_told, 2)):
        yield "validation items of two epochs are the same"


def oracles(domain: Domain) -> Iterator[str]:
    """Check that the oracle of made-up cases agrees with the items, and refuses what is none."""
    if not isinstance(domain, HasOracle):
        return
    decided = dict[str, object]()
    for split in SPLITS:
        labels = domain.labels(split)
        for item in domain.items(split):
            decision = domain.decide(item.inputs)
            if decision.label != labels[item.id]:
                yield f"the oracle says {decision.label!r} of {item.id}, which is {labels[item.id]}"
            if decided.setdefault(domain.normal_form(item.inputs), decision) != decision:
                yield f"the oracle says two things of one normal form, that of {item.id}"
            if decision.label not in domain.answers:
                yield f"the oracle's answer {decision.label!r} is none of its answers"
    try:
        domain.normal_form({})
    except CaseMalformed:
        return
    yield "inputs without anything have a normal form"


def _told_apart(domain: Domain) -> set[tuple[str, bytes]]:
    """What tells validation items from each other: their inputs, or their ids where those repeat.

    Items with equal inputs are told by their ids, on the host alone: trainings of one task, say.
    """
    items = [(item.id, msgspec.json.encode(item.inputs)) for item in domain.items("val")]
    is_told_by_inputs = len({inputs for _, inputs in items}) == len(items)
    return {("" if is_told_by_inputs else name, inputs) for name, inputs in items}


def _played(domain: Interactive, item: Item) -> _Played:
    episode: Episode = domain.open(item)
    try:
        observations: list[bytes] = []
        are_json = True
        while len(observations) < STEPS and (seen := episode.observe()) is not None:
            observations.append(msgspec.json.encode(seen, order="sorted"))
            again: object = msgspec.json.decode(observations[-1])
            are_json = are_json and isinstance(again, dict) and again == seen
            episode.act(NONSENSE[1])
        episode.draw()
        return _Played(observations, are_json, episode.outcome())
    finally:
        episode.close()
        episode.close()


def _is_outcome(outcome: Outcome, what: str) -> Iterator[str]:
    if not (math.isfinite(outcome.score) and outcome.score >= 0):
        yield f"{what} has the score {outcome.score}, which is not finite or below 0"
    if not outcome.reason or "\n" in outcome.reason:
        yield f"{what} has no reason of one line"
