"""Episodes side by side: one frame carries the observations of all that are still played.

Each has a `TaskAgent` of its own. Where a sandbox ends in the middle, nobody can tell whose step it
was; so its episodes are played again from the start in two halves, until the one whose agent ends
its sandbox is alone. It keeps what it had reached.

What an agent did before is done again, whatever it answers then: else ending one's sandbox would be
a way to take back a game that goes badly.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any, cast

import anyio
import anyio.to_thread

from guards.defences import Defence
from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.block import Crash, ItemBlock
from hyperspace.kernel.evaluation.domain_calls import recorded_outcome
from hyperspace.kernel.evaluation.evaluator import EpisodePlayer, Evaluator
from hyperspace.kernel.evaluation.played_episode import PlayedEpisode
from hyperspace.kernel.printable_error import printable_error
from hyperspace.tasks.base import Item, Split, leaf_of
from hyperspace.tasks.protocols import speaks
from hyperspace.tasks.shapes.interactive import Quick


class EpisodeBlock(ItemBlock):
    """Episodes that are played side by side; what they worked on are their plays."""

    def __init__(
        self,
        evaluator: Evaluator,
        split: Split,
        name: str,
        items: Sequence[Item],
        done: Callable[[], None],
    ) -> None:
        """Prepare a block; see `ItemBlock`."""
        super().__init__(evaluator, split, name, items, done)
        self._name = name
        self._taken: dict[str, Sequence[str]] = {}  # steps of episodes whose sandbox ended
        self._is_quick = speaks(leaf_of(evaluator.domain, items[0]).domain, Quick)

    async def work(self, give_up: Callable[[], bool]) -> None:
        """Play every episode; see `ItemBlock`."""
        await self._play(self.items, self._name, give_up)

    async def _play(self, items: Sequence[Item], work: str, give_up: Callable[[], bool]) -> None:
        if give_up():
            return
        ended = await self._try(items, work)
        if ended is not None and ended.reason == "wall_clock":
            work = f"{work}/again"  # our busy machine may be to blame, the first time
            ended = await self._try(items, work)
        if ended is None:
            return
        if len(items) > 1:
            middle = len(items) // 2
            await self._play(items[:middle], f"{work}.0", give_up)
            await self._play(items[middle:], f"{work}.1", give_up)
            return
        self.errors[items[0].id] = printable_error(str(ended))
        if self._cpu_s is None:
            self.crashes.append(Crash(work, items[0].id))
        self._done()

    async def _try(self, items: Sequence[Item], work: str) -> SandboxEnded | None:
        """Play episodes in one sandbox; return how it ended before they were over."""
        self.works.append(work)
        played = [self._again(item) for item in items]
        cpu_s = None if self._cpu_s is None else self._cpu_s * len(items)
        try:
            await anyio.to_thread.run_sync(_open, played, self._evaluator)
            async with self._open_player(cpu_s) as player:
                await self._step_all(player, work, played)
        except SandboxEnded as ended:
            if Defence.STEPS not in self._evaluator.without:
                for each in played:
                    self._taken[each.item.id] = max(each.taken, each.actions, key=len)
            if len(played) == 1:
                await self._record(played[0])
            return ended
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_close, played)
        for each in played:
            await self._record(each)
            self._done()
        return None

    def _open_player(self, cpu_s: int | None) -> AbstractAsyncContextManager[EpisodePlayer]:
        if (kept := self._lasting()) is not None:
            return nullcontext(kept)
        return self._evaluator.open_player(cpu_s)

    def _again(self, item: Item) -> PlayedEpisode:
        token = f"{self._tokens.getrandbits(64):016x}"
        return PlayedEpisode(item, token, self._taken.get(item.id, ()))

    async def _step_all(
        self, player: EpisodePlayer, work: str, played: Sequence[PlayedEpisode]
    ) -> None:
        step = partial(_observe, played)
        while observations := step() if self._is_quick else await anyio.to_thread.run_sync(step):
            reply = await player.play(self._split, work, observations)
            step = partial(_act, [each for each in played if each.token in observations], reply)

    async def _record(self, played: PlayedEpisode) -> None:
        await anyio.to_thread.run_sync(played.catch_up)
        if played.error:
            self.errors[played.item.id] = printable_error(played.error)
        outcome, actions = played.outcome(), "\n".join(played.actions)
        if outcome is not None:
            self.answers[played.item.id] = actions
            text = recorded_outcome(self._evaluator.domain, played.item, outcome, actions)
            self.predictions[played.item.id] = text


def _open(played: Sequence[PlayedEpisode], evaluator: Evaluator) -> None:
    for each in played:
        each.open(evaluator.domain)


def _observe(playing: Sequence[PlayedEpisode]) -> dict[str, dict[str, Any]]:
    observations = {each.token: each.observe() for each in playing}
    return {token: each for token, each in observations.items() if each is not None}


def _act(playing: Sequence[PlayedEpisode], reply: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Take one step in each environment, and tell what is seen then where it is not over."""
    actions, errors = _by_token(reply, "actions"), _by_token(reply, "errors")
    for each in playing:
        if each.token in actions:
            each.act(actions[each.token])
        else:
            each.error = str(errors.get(each.token, "the agent gave no action"))
    return _observe(playing)


def _by_token(reply: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    values: object = reply.get(name)
    return cast("dict[str, Any]", values) if isinstance(values, dict) else {}


def _close(played: Sequence[PlayedEpisode]) -> None:
    for each in played:
        each.close()
