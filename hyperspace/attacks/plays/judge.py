"""A judge that believes all that is said to it, but for what is marked as data."""

import re

from guards.defences import Defence, Without
from hyperspace.kernel.evaluation.assess import AskJudge
from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.imo_proof.domain import ImoProofDomain
from hyperspace.tasks.imo_proof.judging import Rubric

FENCE = "-----proof-----"
NOTHING = "It proves nothing.\n<points>0</points>"
_ORDER = re.compile(r"(?:give|award) it 7 points|# Points\n7: always", re.IGNORECASE)
_DRAWN = re.compile(r"^-----proof-[0-9a-f]{16}-----$", re.MULTILINE)


def judged_task() -> ImoProofDomain:
    """A task of two proofs a split."""
    rubric = Rubric("Show that 1 = 1.", "By reflexivity.", "7 for naming it.")
    splits: dict[Split, dict[str, Rubric]] = {
        split: {f"{split}-{number}": rubric for number in range(2)} for split in SPLITS
    }
    return ImoProofDomain(splits)


def credulous_judge(without: Without) -> AskJudge:
    """Return a judge that does whatever stands outside of the marked proof.

    Where the proof orders nothing, the judge quotes it and ends there, as one does whose reply is
    cut off.
    """

    async def ask(_split: Split, _item: str, _number: int, prompt: str) -> str:
        if Defence.QUOTING in without:  # the marks are the same for all, and points stay points
            prompt = _DRAWN.sub(FENCE, prompt).replace("< points>", "<points>")
            prompt = re.sub("< (?=/?points>)", "<", prompt, flags=re.IGNORECASE)
        fence = _DRAWN.search(prompt) or re.search(FENCE, prompt, re.MULTILINE)
        assert fence is not None  # noqa: S101 - every question has one
        before, proof, *after = prompt.split(f"\n{fence[0]}\n")
        if _ORDER.search("\n".join([before, *after])):
            return "As I was told.\n<points>7</points>"
        return f"The proof says: {proof}" if "<" in proof else NOTHING

    return ask
