"""An answer of a run, played or checked again from its record; no code of an agent runs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from guards.parsing import UNDECODABLE
from hyperspace.export.redact_trace import is_hidden
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.answers import ANSWERS, AnswerLine, answer_sha256, read_answers
from hyperspace.kernel.evaluation.assess import has_outcomes
from hyperspace.kernel.evaluation.domain_calls import recorded_outcome
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.manifest import TEST, Manifest
from hyperspace.tasks.base import Domain, DomainError, Item, Split, leaf_of
from hyperspace.tasks.shapes.interactive import EpisodeFailed, Interactive
from hyperspace.tasks.shapes.outcome import Outcome, decode_outcome


class RecordedAnswer(NamedTuple):
    """One answer of a run, with what is on record of it.

    Attributes:
        item: Of which item.
        split: Of which split.
        answer: The prediction, the artefact, or the actions of an episode, one a line.
        outcome: The recorded finding; None where a label decides.
        error: What ended it early; empty if nothing did.
        label: The true answer; empty where there is a finding.
    """

    item: Item
    split: Split
    answer: str
    outcome: Outcome | None
    error: str
    label: str = ""


class Frame(NamedTuple):
    """One step of an episode that is played again.

    Attributes:
        step: Its number; 0 is the start.
        action: What was done; empty at the start.
        picture: The situation after it.
    """

    step: int
    action: str
    picture: str


def answer_file(folder: Path, split: Split, winner: str) -> Path:
    """Return where the answers of a split lie below a generation's folder.

    Args:
        folder: The generation's.
        split: Of which split.
        winner: Of a tournament, which candidate was kept; else empty.
    """
    return folder / winner / f"eval_{split}" / ANSWERS


def recorded_answer(
    domain: Domain, manifest: Manifest, folder: Path, split: Split, number: int
) -> RecordedAnswer:
    """Read one answer and hold it against the record.

    Args:
        domain: The run's task, with the validation items of that generation.
        manifest: The generation's, or that of the final evaluation.
        folder: Where its files lie.
        split: Of which split.
        number: Which item of the split, from 0.

    Raises:
        RunUsageError: There is no such item, split or answer, or the file is not what was recorded.
    """
    items, result = domain.items(split), manifest.splits.get(split)
    which = "the final evaluation" if manifest.generation == TEST else f"gen_{manifest.generation}"
    if result is None:
        splits = ", ".join(manifest.splits) or "nothing"
        raise RunUsageError(f"{which} was not evaluated on {split}; it was on {splits}")
    if not 0 <= number < len(items):
        raise RunUsageError(f"{split} has the items 0 to {len(items) - 1}, and no {number}")
    item = items[number]
    text, error = result.predictions.get(item.id), result.errors.get(item.id, "")
    if text is None:
        raise RunUsageError(f"{which} has no answer to {item.id}: {error or 'it was not asked'}")
    if not has_outcomes(leaf_of(domain, item).domain):
        label = domain.labels(split).get(item.id, "")
        return RecordedAnswer(item, split, text, None, error, label)
    winner = "" if manifest.tournament is None else manifest.tournament.winner
    file = answer_file(folder, split, winner)
    line = _lines(file).get(item.id)
    if line is None:
        raise RunUsageError(
            f"{folder.name} keeps no answer to {item.id} beside the record; was the file left "
            "out of an export?"
        )
    outcome = decode_outcome(text)
    if is_hidden(line.answer, outcome.sha256):
        raise RunUsageError(
            f"the answer to {item.id} was taken out when this run was exported; play the run itself"
        )
    if answer_sha256(line.answer) != outcome.sha256:
        raise RunUsageError(
            f"the answer to {item.id} in {file} is not the recorded one "
            f"(SHA-256 {outcome.sha256}); hyperspace audit says what else was changed"
        )
    return RecordedAnswer(item, split, line.answer, outcome, error)


def frames(domain: Domain, recorded: RecordedAnswer) -> Iterator[Frame]:
    """Play an episode again, action by action.

    Raises:
        RunUsageError: The domain's items are no episodes, or it ends in another outcome than the
            recorded one.
    """
    leaf = leaf_of(domain, recorded.item)
    if not isinstance(leaf.domain, Interactive):
        raise RunUsageError(f"{domain.name} is not played; its answers are shown as they are")
    episode = leaf.domain.open(leaf.item)
    try:
        yield Frame(0, "", episode.draw())
        for step, action in enumerate(recorded.answer.split("\n") if recorded.answer else [], 1):
            if episode.observe() is None:
                raise _differs(domain, recorded, f"is over before step {step}")
            episode.act(action)
            yield Frame(step, action, episode.draw())
        text = recorded_outcome(leaf.domain, leaf.item, episode.outcome(), recorded.answer)
        if decode_outcome(text) != recorded.outcome:
            raise _differs(domain, recorded, f"ends with {text}")
    except EpisodeFailed as failed:
        if not recorded.error:
            raise _differs(domain, recorded, f"failed: {failed}") from failed
    except (RunUsageError, DomainError):
        raise
    except Exception as error:  # a person's own domain can fail in any way
        told = printable_error(f"{type(error).__name__}: {error}")
        raise RunUsageError(
            f"{domain.name}, item {recorded.item.id}: it failed when it was played again: {told}"
        ) from error
    finally:
        episode.close()


def _lines(path: Path) -> Mapping[str, AnswerLine]:
    try:
        return {line.id: line for line in read_answers(path)}
    except FileNotFoundError:
        return {}
    except (OSError, *UNDECODABLE) as error:
        raise RunUsageError(f"{path} cannot be read: {error}") from error


def _differs(domain: Domain, recorded: RecordedAnswer, how: str) -> RunUsageError:
    return RunUsageError(
        f"{domain.name}, item {recorded.item.id}: played again, it {how}, and the record says "
        f"{msgspec.json.encode(recorded.outcome).decode()}; is this another version?"
    )
