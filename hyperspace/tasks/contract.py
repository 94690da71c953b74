"""What every domain promises (`hyperspace.tasks.base`), as checks that say what is not kept."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from guards.parsing import check_python
from hyperspace.tasks.base import SPLITS, Composite, Domain, Item, Samplable, Split
from hyperspace.tasks.contract_shapes import (
    NONSENSE,
    episodes,
    limits,
    oracles,
    public_scores,
    renewals,
    verdicts,
)
from hyperspace.tasks.shapes.documented import task_files
from hyperspace.tasks.shapes.graded import Graded
from hyperspace.tasks.validate import name_faults


def broken_promises(domain: Domain, again: Domain) -> list[str]:
    """Return a sentence for each thing that a domain does not keep; empty if all is well.

    Args:
        domain: The domain.
        again: The same, loaded once more.
    """
    checks: tuple[Callable[[], Iterator[str]], ...] = (
        lambda: _names(domain),
        lambda: _items(domain),
        lambda: _loads_equal(domain, again),
        lambda: _scores(domain),
        lambda: _files(domain),
        lambda: _samples(domain),
        *(partial(check, domain) for check in (limits, verdicts, episodes, renewals, oracles)),
        lambda: public_scores(domain),
    )
    return _told_by(checks)


def unplayable(domain: Domain) -> list[str]:
    """Return a sentence for each promise that a run builds on and that nothing later looks at.

    Scores are asked of nothing but what a run may ask.
    """
    return _told_by((lambda: name_faults(domain), lambda: _items(domain), lambda: _values(domain)))


def _told_by(checks: Sequence[Callable[[], Iterator[str]]]) -> list[str]:
    sentences: list[str] = []
    for check in checks:
        try:
            sentences += check()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a person's domain can fail in any way
            told = " ".join(f"{type(error).__name__}: {error}".split())
            sentences.append(f"it failed while it was checked: {told}")
    return sentences


def remarks(domain: Domain) -> list[str]:
    """Return what is allowed and may not be meant: items of two splits with equal inputs."""
    notes: list[str] = []
    seen: dict[bytes, Split] = {}
    for split in SPLITS:
        texts = [_encoded(item) for item in domain.items(split)]
        shared = sum(text in seen for text in texts)
        if shared:
            notes.append(f"{shared} of {len(texts)} items of {split} are asked in an earlier split")
        seen |= dict.fromkeys(texts, split)
    return notes


def _names(domain: Domain) -> Iterator[str]:
    yield from name_faults(domain)
    if not re.fullmatch(r"[0-9a-f]{64}", domain.data_sha256):
        yield "data_sha256 is not a SHA-256 in hexadecimal digits"
    count = len(domain.items("train"))
    if not 1 <= domain.staged_items <= count:
        yield f"staged_items is {domain.staged_items}, and train has {count} items"


def _items(domain: Domain) -> Iterator[str]:
    splits: dict[str, Split] = {}
    for split in SPLITS:
        items = domain.items(split)
        if not items:
            yield f"{split} has no items"
        for item in items:
            if item.id in splits:
                yield f"the id {item.id!r} names two items, in {splits[item.id]} and {split}"
            splits[item.id] = split
        odd = [item.id for item in items if msgspec.json.decode(_encoded(item)) != item.inputs]
        if odd:
            yield f"the inputs of {len(odd)} items of {split} are not JSON values: {odd[0]!r}"
        labelled, ids = set(domain.labels(split)), {item.id for item in items}
        if lacking := sorted(ids - labelled):
            yield f"{len(lacking)} items of {split} have no label, such as {lacking[0]!r}"
        if foreign := sorted(labelled - ids):
            yield f"{len(foreign)} labels of {split} have no item, such as {foreign[0]!r}"
    if domain.smoke_item().id in splits:
        yield "the smoke item belongs to a split"


def _loads_equal(domain: Domain, again: Domain) -> Iterator[str]:
    if domain.data_sha256 != again.data_sha256:
        yield "loaded twice, data_sha256 differs; everything must follow from name and options"
    for split in SPLITS:
        first, second = ([(i.id, _encoded(i)) for i in d.items(split)] for d in (domain, again))
        if first != second:
            yield f"loaded twice, the items of {split} differ"
        if domain.labels(split) != again.labels(split):
            yield f"loaded twice, the labels of {split} differ"


def _values(domain: Domain) -> Iterator[str]:
    for split in SPLITS:
        labels = domain.labels(split)
        given = labels if any(labels.values()) else dict[str, str]()
        answers = {"no predictions": dict[str, str](), "its labels": given}
        for what, predictions in answers.items():
            if fault := _value_fault(domain, split, what, domain.score(split, predictions)):
                yield fault


def _value_fault(domain: Domain, split: Split, what: str, score: float) -> str:
    """Return what is wrong with a score and its fitness; empty if nothing is."""
    if type(score) not in (int, float):
        return f"the score of {what} on {split} is {score!r}, which is no number"
    if math.isfinite(score) and not 0 <= (fitness := domain.fitness(score)) <= 1:
        return f"the fitness of {what} on {split} is {fitness}, not within 0 and 1"
    return ""


def _scores(domain: Domain) -> Iterator[str]:
    for split in SPLITS:
        labels = domain.labels(split)
        answers = {
            "no predictions": {},
            "nonsense": dict.fromkeys(labels, NONSENSE[1]),
            "an item that there is not": {"no such item": "x"},
            "its labels": labels,
        }
        fitnesses = dict.fromkeys(answers, 0.0)
        for what, predictions in answers.items():
            score = domain.score(split, predictions)
            if fault := _value_fault(domain, split, what, score):
                yield fault
                continue
            if not math.isfinite(score):
                yield f"the score of {what} on {split} is {score}, which is no finite number"
                continue
            fitnesses[what] = domain.fitness(score)
            if domain.score(split, predictions) != score:
                yield f"scored twice, {what} on {split} have two scores"
        is_labelled = any(labels.values()) and not isinstance(domain, Composite)
        if is_labelled and not all(labels.values()):
            empty = next(id_ for id_, label in labels.items() if not label)
            yield f"the label of {empty!r} in {split} is empty, and others are not"
        if any(labels.values()) and fitnesses["its labels"] <= fitnesses["no predictions"]:
            yield f"on {split} its own labels are worth no more than no predictions"
        if isinstance(domain, Graded):
            yield from _item_scores(split, set(labels), domain.item_scores(split, {}))


def _item_scores(split: Split, ids: set[str], scores: Mapping[str, float]) -> Iterator[str]:
    if set(scores) != ids:
        yield f"item_scores of {split} are not of its items"
    if any(score != 0 for score in scores.values()):
        yield f"an item of {split} without a prediction has a score other than 0"


def _files(domain: Domain) -> Iterator[str]:
    shown = task_files(domain)
    if shown and not any(path.rpartition("/")[2] == "README.md" for path in shown):
        yield "its task files have no README.md"
    for path, data in {**domain.seed_files(), **shown}.items():
        text = _decoded(data)
        if text is None:
            yield f"{path} is not a UTF-8 text"
        elif path.endswith(".py"):
            try:
                check_python(text, path)
            except SyntaxError as error:
                yield f"{path} cannot be compiled: {error}"


def _samples(domain: Domain) -> Iterator[str]:
    if not isinstance(domain, Samplable):
        return
    small = domain.sampled(lambda _name, _split, ids: ids[:1])
    if small.data_sha256 != domain.data_sha256:
        yield "data_sha256 of a sample is another one"
    if not isinstance(domain, type(small)) or not all(small.items(split) for split in SPLITS):
        yield "a sample of one item of each split is no such domain"


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _encoded(item: Item) -> bytes:
    return msgspec.json.encode(item.inputs, order="sorted")
