"""A domain that breaks its own contract is named in one sentence; no candidate is blamed."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from guards.sandboxes.sandbox import SandboxError
from hyperspace.kernel.evaluation.assess import Assessor
from hyperspace.kernel.evaluation.played_episode import MOST_STEPS, PlayedEpisode
from hyperspace.tasks.base import SPLITS, DomainError, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.interactive import EpisodeFailed
from hyperspace.tasks.shapes.outcome import Outcome, decode_outcome
from hyperspace.tasks.shapes.verified import Executed, Execution, Runner

Break = Callable[[], Any]
ITEM = Item("train-0", {})
ITEMS: dict[Split, list[Item]] = {split: [Item(f"{split}-0", {})] for split in SPLITS}


class OwnEnd(BaseException):
    """What no code of others knows."""


def raising(error: BaseException) -> Break:
    def fail() -> None:
        raise error

    return fail


class Broken(GradedDomain):
    """Episodes of one step, in which one method is replaced."""

    def __init__(self, **broken: Break) -> None:
        super().__init__("broken", ITEMS, smoke_inputs={})
        self.broken = broken
        self.steps = 0

    def _do(self, method: str, otherwise: object) -> Any:
        return self.broken[method]() if method in self.broken else otherwise

    def open(self, _item: Item) -> "Broken":
        return self._do("open", self)

    def observe(self) -> dict[str, Any] | None:
        return self._do("observe", {"n": 1} if self.steps < 1 else None)

    def act(self, _action: str) -> None:
        self.steps += 1
        self._do("act", None)

    def outcome(self) -> Outcome:
        return self._do("outcome", Outcome(1.0, "there"))

    def draw(self) -> str:
        return ""

    def close(self) -> None:
        self._do("close", None)


class Checked(GradedDomain):
    """A verifier that finds what it is given."""

    def __init__(self, find: Break) -> None:
        super().__init__("checked", ITEMS, smoke_inputs={})
        self.find = find

    def verify(self, _item: Item, _artefact: str) -> Outcome:
        return self.find()


class Executing(GradedDomain):
    """A verifier that runs something."""

    tools = ()

    async def verify_in_sandbox(self, _item: Item, _artefact: str, run: Runner) -> Outcome:
        await run(Execution(files={}, steps=()))
        return Outcome(1.0)


def play(domain: Broken) -> PlayedEpisode:
    played = PlayedEpisode(ITEM, "token")
    try:
        played.open(domain)
        while played.observe() is not None:
            played.act("on")
        played.outcome()
    finally:
        played.close()
    return played


async def assess(domain: Any, run: Any = None) -> str:
    async def no_judge(*_: object) -> str:
        raise AssertionError("nobody is asked")

    return await Assessor(domain, run, no_judge).prediction("train", ITEM, "answer")


BROKEN: Mapping[str, tuple[str, Break, str]] = {
    "open raises": ("open", raising(OSError("no display")), "OSError: no display"),
    "open gives nothing": ("open", lambda: None, "gave None, not an episode"),
    "act exits": ("act", raising(SystemExit(3)), "SystemExit: 3"),
    "act has its own way to end": ("act", raising(OwnEnd("x")), "OwnEnd: x"),
    "observe raises": ("observe", raising(KeyError("x")), "KeyError: 'x'"),
    "act raises": ("act", raising(ValueError("bad\naction")), "ValueError: bad action"),
    "outcome raises": ("outcome", raising(ZeroDivisionError("nil")), "ZeroDivisionError: nil"),
    "close raises": ("close", raising(OSError("gone")), "OSError: gone"),
    "a list is seen": ("observe", lambda: [1], "gave list, not a dictionary"),
    "an object is seen": ("observe", lambda: {"n": object()}, "TypeError"),
    "too much is seen": ("observe", lambda: {"n": "a" * 10_000_000}, "10,000,008 bytes"),
    "it never ends": ("observe", lambda: {}, f"gave no None in {MOST_STEPS:,} steps"),
    "nothing is found": ("outcome", lambda: None, "gave None, not an Outcome"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_episode_that_breaks_its_contract_is_named_in_a_sentence(case: str) -> None:
    method, broken, told = BROKEN[case]
    with pytest.raises(DomainError) as caught:
        play(Broken(**{method: broken}))
    sentence = str(caught.value)
    assert sentence.startswith(f"{method} of broken, for 'train-0', ")
    assert told in sentence and "the same command goes on" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("method", ["open", "observe", "act", "outcome", "close"])
def test_an_environment_may_die_anywhere(method: str) -> None:
    played = play(Broken(**{method: raising(EpisodeFailed("a stone fell"))}))
    in_time = method in ("open", "observe", "act")
    assert played.error == ("the environment died: a stone fell" if in_time else "")


FINDINGS: Mapping[str, tuple[Break, str]] = {
    "raises": (raising(RuntimeError("first\nsecond")), "RuntimeError: first second"),
    "finds nothing": (lambda: None, "is NoneType, not an Outcome"),
    "finds a word": (lambda: Outcome("good"), "is 'good', which is no number"),  # type: ignore[arg-type]
    "finds a truth": (lambda: Outcome(True), "is True, which is no number"),
    "exits": (raising(SystemExit(0)), "SystemExit: 0"),
    "has its own way to end": (raising(OwnEnd("x")), "OwnEnd: x"),
    "finds no number": (lambda: Outcome(float("nan")), "is nan; a score is finite"),
    "finds too much": (lambda: Outcome(float("inf")), "is inf; a score is finite"),
    "finds less than nothing": (lambda: Outcome(-1.0), "is -1.0; a score is finite"),
    "has an endless detail": (
        lambda: Outcome(0.5, "r", details={"ratio": float("nan")}),
        "details that are neither finite numbers nor texts",
    ),
    "has a reason of half a character": (lambda: Outcome(0.5, "\ud800"), "UnicodeEncodeError"),
}


@pytest.mark.anyio
@pytest.mark.parametrize("case", FINDINGS)
async def test_a_verifier_that_breaks_its_contract_is_named_in_a_sentence(case: str) -> None:
    find, told = FINDINGS[case]
    with pytest.raises(DomainError, match="of checked, for 'train-0', ") as caught:
        await assess(Checked(find))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.anyio
async def test_a_finding_that_is_in_order_goes_on_record() -> None:
    text = await assess(Checked(lambda: Outcome(1, "all right", details={"size": 3})))
    assert decode_outcome(text).score == 1


@pytest.mark.anyio
async def test_a_sandbox_that_fails_is_not_the_domains_fault() -> None:
    async def fails(_: Execution) -> Executed:
        raise SandboxError("no room for a sandbox")

    with pytest.raises(SandboxError, match="no room for a sandbox"):
        await assess(Executing("executing", ITEMS, smoke_inputs={}), fails)


@pytest.mark.anyio
async def test_a_verifier_that_changes_what_it_is_handed_changes_nothing_for_others() -> None:
    item = Item("train-0", {"numbers": [1]})

    class Changing(Checked):
        def verify(self, item: Item, _artefact: str) -> Outcome:
            item.inputs["numbers"].append(2)
            return Outcome(float(len(item.inputs["numbers"]) == 2))

    async def no_judge(*_: object) -> str:
        raise AssertionError("nobody is asked")

    assessor = Assessor(Changing(raising(OSError())), None, no_judge)  # type: ignore[arg-type]
    for _ in range(2):
        assert decode_outcome(await assessor.prediction("train", item, "answer")).score == 1
    assert item.inputs == {"numbers": [1]}
