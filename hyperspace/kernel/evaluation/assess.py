"""From an answer to the prediction that goes on record: as it is, or what the host found out.

An artefact is verified, code is run in a scoring sandbox of its own, a judge model is asked; what
is recorded is the outcome (`hyperspace.tasks.shapes.outcome`); the answer lies in a file beside.
"""

import copy
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final

import anyio.to_thread
import msgspec

from hyperspace.kernel.evaluation.domain_calls import Calling, recorded_outcome
from hyperspace.tasks.base import Domain, Item, Split, leaf_of
from hyperspace.tasks.protocols import speaks
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.judged import JudgedByModel
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Runner, Verified, VerifiedBySandbox

JUDGE: Final = "judge"
"""What marks calls of a judge among those for an item."""
TRIES: Final = 2
_WITH_OUTCOMES: Final = (Interactive, Verified, VerifiedBySandbox, JudgedByModel)
AskJudge = Callable[[Split, str, int, str], Awaitable[str]]
"""Ask the judge about an item by its id: (split, item, number of the try, prompt) to its reply."""


def has_outcomes(domain: Domain) -> bool:
    """Return whether a domain's record holds outcomes in place of answers."""
    return any(speaks(domain, protocol) for protocol in _WITH_OUTCOMES)


def needs_judge(domain: Domain) -> bool:
    """Return whether a model grades answers to some items of a domain."""
    return any(isinstance(part, JudgedByModel) for part in _parts(domain))


def runs_answers(domain: Domain) -> bool:
    """Return whether answers to some items of a domain are run as code, within limits of time."""
    return any(isinstance(part, VerifiedBySandbox) for part in _parts(domain))


def _parts(domain: Domain) -> Collection[Domain]:
    return {
        id(leaf := leaf_of(domain, item).domain): leaf for item in domain.items("train")
    }.values()


class Assessor(msgspec.Struct, frozen=True):
    """Assesses answers to one domain's items.

    Attributes:
        domain: The task.
        run: Runs code of answers in scoring sandboxes.
        ask_judge: Asks the judge.
    """

    domain: Domain
    run: Runner
    ask_judge: AskJudge

    async def prediction(self, split: Split, item: Item, answer: str) -> str:
        """Return what goes on record of an answer.

        Raises:
            DomainError: The domain gave a score that is none.
            RunPaused: The judge is down.
        """
        domain, own, _ = leaf_of(self.domain, item)
        name = domain.name
        if has_outcomes(domain):  # its code may change what it is handed
            own = Item(own.id, copy.deepcopy(own.inputs))
        if speaks(domain, Verified):
            with Calling(name, "verify", item.id):
                outcome = await anyio.to_thread.run_sync(domain.verify, own, answer)
        elif speaks(domain, VerifiedBySandbox):
            with Calling(name, "verify_in_sandbox", item.id):
                outcome = await domain.verify_in_sandbox(own, answer, self.run)
        elif speaks(domain, JudgedByModel):
            ask = partial(self.ask_judge, split, item.id)
            outcome = await _judged(domain, self.domain.name, own, answer, ask)
        else:
            return answer
        return recorded_outcome(self.domain, item, outcome, answer)


async def _judged(
    domain: JudgedByModel,
    name: str,
    item: Item,
    answer: str,
    ask: Callable[[int, str], Awaitable[str]],
) -> Outcome:
    with Calling(name, "question", item.id):
        question = domain.question(item, answer)
    for number in range(TRIES):
        reply = await ask(number, question)
        with Calling(name, "judgement", item.id):
            outcome = domain.judgement(item, reply)
        if outcome is not None:
            return outcome
    with Calling(name, "worst", item.id):
        return domain.worst(item)
