"""Every answer with a flaw, handed in to the verifier that it is meant for."""

from collections import Counter

import pytest

from hyperspace.attacks.attack import Attack
from hyperspace.attacks.corpus.verifiers import canaries
from hyperspace.attacks.plays.handed_in import HandsIn


@pytest.fixture(scope="module")
def attacks() -> list[Attack]:
    return canaries()


@pytest.mark.long
@pytest.mark.parametrize("task", ["packing", "sortnet", "binpack", "vx", "support"])
def test_an_answer_with_a_flaw_is_worth_nothing(task: str, attacks: list[Attack]) -> None:
    plays = {a.name: a.play for a in attacks if a.name.startswith(f"{task}: ")}
    assert len(plays) >= 9
    verdicts = {name: play.verdict() for name, play in plays.items() if isinstance(play, HandsIn)}
    assert len(verdicts) == len(plays)
    assert verdicts == dict.fromkeys(plays, "worthless")


def test_no_two_have_one_name_or_one_answer(attacks: list[Attack]) -> None:
    assert max(Counter(attack.name for attack in attacks).values()) == 1
    plays = [attack.play for attack in attacks]
    assert len({(p.task, p.answer) for p in plays if isinstance(p, HandsIn)}) == len(plays)
