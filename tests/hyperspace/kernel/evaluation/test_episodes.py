"""Episodes in lock-step, with players that behave in scripted ways; the real one is in the runs."""

import random
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
import pytest

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.state.rng import stream
from hyperspace.tasks.base import SPLITS, Domain, Item, Split
from hyperspace.tasks.shapes.outcome import decode_outcome
from tests.support.tasks.corridor import Corridor, CorridorWalk, corridor

pytestmark = pytest.mark.anyio


class ScriptedPlayer:
    """Walks right; ends its sandbox in the episodes that are named, at their third step."""

    def __init__(self, ends: Mapping[int, str], asked: list[tuple[str, int]]) -> None:
        self.ends, self.asked = dict(ends), asked
        self.steps: dict[str, int] = {}

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        self.asked.append((work, len(observations)))
        for token, seen in observations.items():
            self.steps[token] = self.steps.get(token, 0) + 1
            if seen["name"] in self.ends and self.steps[token] == 3:
                raise SandboxEnded(self.ends[seen["name"]], "no answer")
        return {"actions": dict.fromkeys(observations, "right"), "errors": {}}


class Stage:
    """An evaluator whose players share a script, and what it was told."""

    def __init__(self, domain: Domain, ends: Mapping[int, str] | None = None) -> None:
        self.asked: list[tuple[str, int]] = []
        self.settled: list[Any] = []
        self.answers: dict[str, str] = {}
        self.ends = ends or {}
        self.opened: list[int | None] = []
        self.evaluator = Evaluator(
            domain,
            lambda _cpu_s: pytest.fail("no item is asked by itself"),
            lambda name: stream(7, name),
            lambda _split, _done, _total: None,
            on_settled=self._settle,
            keep_answers=lambda _split, answers: self.answers.update(answers),
            open_player=self._open,
        )

    def _settle(self, split: str, counted: Sequence[str], dropped: Sequence[str]) -> None:
        self.settled.append((split, counted, dropped))

    @asynccontextmanager
    async def _open(self, cpu_s: int | None) -> AsyncGenerator[ScriptedPlayer]:
        self.opened.append(cpu_s)
        yield ScriptedPlayer(self.ends, self.asked)


async def test_a_frame_carries_every_episode_that_is_not_over() -> None:
    stage = Stage(corridor(None, {}))
    result = await evaluate_split(stage.evaluator, "val")
    assert result.score == 1.0
    # The longest corridor takes eleven steps; the shortest are over after five.
    sizes = [size for _, size in stage.asked]
    assert (sizes[0], len(sizes)) == (10, 11)
    assert sizes == sorted(sizes, reverse=True)
    assert stage.answers["val-0"] == "\n".join(["right"] * 5)


@pytest.mark.parametrize("reason", ["exited", "wall_clock"])
async def test_the_episode_that_ends_its_sandbox_keeps_what_it_reached(reason: str) -> None:
    stage = Stage(corridor(None, {}), {4: reason})
    result = await evaluate_split(stage.evaluator, "val")
    scores = {id_: decode_outcome(text).score for id_, text in result.predictions.items()}
    assert scores.pop("val-4") == 2 / 10
    assert set(scores.values()) == {1.0}, "the neighbours are played to their end"
    assert result.errors == {"val-4": f"{reason}: no answer"}


@pytest.mark.parametrize("is_quick", [False, True])
async def test_steps_are_taken_beside_the_event_loop_where_they_are_not_quick(
    is_quick: bool,
) -> None:
    taken_by: set[int] = set()

    class Watched(CorridorWalk):
        def act(self, action: str) -> None:
            taken_by.add(threading.get_ident())
            super().act(action)

    class WatchedCorridor(Corridor):
        def open(self, item: Item) -> Watched:
            return Watched(item.inputs["length"], 0, dies=False)

    class QuickCorridor(WatchedCorridor):
        steps_are_quick: Final = True

    made = QuickCorridor if is_quick else WatchedCorridor
    walks: dict[Split, list[Item]] = {
        split: [Item(f"{split}-0", {"length": 4})] for split in SPLITS
    }
    domain = made("watched", walks, smoke_inputs={"ahead": 9, "name": -1}, seed_files={})
    result = await evaluate_split(Stage(domain).evaluator, "val")
    assert result.score == 1.0
    assert (taken_by == {threading.get_ident()}) is is_quick


class TakesBack:
    """Walks to and fro, and ends its sandbox; walks to the door once it is played again."""

    def __init__(self, reason: str, ended: list[int]) -> None:
        self.reason, self.ended, self.steps = reason, ended, 0

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        self.steps += 1
        if not self.ended and self.steps == 19:
            self.ended.append(len(observations))
            raise SandboxEnded(self.reason, "no answer")
        action = "right" if self.ended or self.steps % 2 else "left"
        return {"actions": dict.fromkeys(observations, action), "errors": {}}


@pytest.mark.parametrize("reason", ["exited", "wall_clock"])
@pytest.mark.parametrize(("without", "score"), [(ALL_IN_FORCE, 2), ({Defence.STEPS}, None)])
async def test_who_ends_its_sandbox_takes_no_step_back(
    reason: str, without: Without, score: float | None
) -> None:
    stage, ended = Stage(corridor(None, {})), list[int]()

    @asynccontextmanager
    async def opened(_cpu_s: int | None) -> AsyncGenerator[TakesBack]:
        yield TakesBack(reason, ended)

    evaluator = msgspec.structs.replace(stage.evaluator, open_player=opened, without=without)
    result = await evaluate_split(evaluator, "val")
    lengths = {item.id: item.inputs["length"] for item in stage.evaluator.domain.items("val")}
    # Of twenty steps eighteen lead nowhere; after them there is time for two.
    scores = {id_: decode_outcome(text).score for id_, text in result.predictions.items()}
    assert scores == {id_: score / length if score else 1 for id_, length in lengths.items()}
    assert len(ended) == 1
    if score:
        assert all(answer.count("left") == 9 for answer in stage.answers.values())


async def test_three_crashes_end_the_candidate() -> None:
    stage = Stage(corridor(None, {}), {1: "exited", 4: "exited", 7: "exited"})
    with pytest.raises(CandidateFailed, match="ended 3 times on val: exited: no answer"):
        await evaluate_split(stage.evaluator, "val")


async def test_what_is_settled_names_every_work_that_calls_can_belong_to() -> None:
    stage = Stage(corridor(None, {}), {4: "exited"})
    await evaluate_split(stage.evaluator, "val")
    ((_, counted, dropped),) = stage.settled
    assert {work for work, _ in stage.asked} == set(counted)
    assert list(dropped) == []


async def test_an_environment_that_dies_ends_its_episode_alone() -> None:
    stage = Stage(corridor(None, {"fragile": "val-2"}))
    result = await evaluate_split(stage.evaluator, "val")
    assert result.errors == {"val-2": "the environment died: a stone fell"}
    assert decode_outcome(result.predictions["val-2"]).score == pytest.approx(2 / 11)
    assert len(stage.opened) == 1


async def test_the_outcome_of_an_episode_does_not_depend_on_its_neighbours() -> None:
    domain, rng = corridor(None, {}), random.Random(3)
    whole = await evaluate_split(Stage(domain).evaluator, "val")
    ids = [item.id for item in domain.items("val")]
    for _ in range(5):
        some = set(rng.sample(ids, rng.randint(1, len(ids))))
        part = domain.with_items({"val": [i for i in domain.items("val") if i.id in some]})
        result = await evaluate_split(Stage(part).evaluator, "val")
        assert result.predictions == {id_: whole.predictions[id_] for id_ in sorted(some)}


@pytest.mark.parametrize("reply", [{}, {"actions": 7}, {"actions": {"other": "right"}}])
async def test_a_reply_without_actions_ends_the_episodes(reply: dict[str, Any]) -> None:
    stage = Stage(corridor(None, {}))

    class Mute:
        async def play(
            self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
        ) -> Mapping[str, Any]:
            return reply

    @asynccontextmanager
    async def opened(_cpu_s: int | None) -> AsyncGenerator[Mute]:
        yield Mute()

    mute = msgspec.structs.replace(stage.evaluator, open_player=opened)
    result = await evaluate_split(mute, "val")
    assert result.score == 0.0
    assert set(result.errors.values()) == {"the agent gave no action"}
