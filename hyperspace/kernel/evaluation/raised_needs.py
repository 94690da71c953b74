"""The questions that an attempt puts to the principal, and the answers that it waits for."""

from pathlib import Path
from typing import Final

import anyio
import msgspec

from guards.scope.changes import printable
from hyperspace.broker.broker import NeedRefused
from hyperspace.kernel.events import Notice, Observer
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.state.steering.records import LONGEST_QUESTION, MOST_NEEDS, RaisedNeed
from hyperspace.tracing.replaying import Playback

LOOK_S: Final = 0.25
_LONGEST_SHOWN: Final = 400


class RaisedNeeds(msgspec.Struct, kw_only=True):
    """Puts an attempt's questions; a replay answers them as they were answered.

    Attributes:
        agent: Who asks.
        generation: In which generation.
        writer: Writes needs into the space.
        steering: Where the principal's answers come in.
        emit: Told of each question.
        run: The run's folder.
        playback: Tells where a replay leaves its record; None in a run that is no replay.
        recorded: What was asked and answered in the record that a replay obeys.
    """

    agent: str
    generation: int
    writer: MarkWriter
    steering: CommandQueue
    emit: Observer
    run: Path
    playback: Playback | None
    recorded: tuple[RaisedNeed, ...]
    _raised: list[RaisedNeed] = []

    def raised(self) -> tuple[RaisedNeed, ...]:
        """What was asked so far, in order."""
        return tuple(self._raised)

    async def put(self, question: str, blocking: bool) -> str | None:
        """Put a question, and wait for the answer where it is blocking.

        Raises:
            NeedRefused: It is too long, empty, or one too many.
            ReplayStopped: This is a replay, and its record has another question there.
        """
        if not 0 < len(question) <= LONGEST_QUESTION:
            limits = f"from 1 to {LONGEST_QUESTION} characters"
            raise NeedRefused("too_large", f"a need of {len(question)} characters; it has {limits}")
        if len(self._raised) >= MOST_NEEDS:
            raise NeedRefused("budget", f"{MOST_NEEDS} needs of a generation are used up")
        ordinal, need = len(self._raised), RaisedNeed(question, blocking)
        self._raised.append(need)
        if self.playback is not None:
            return self._recorded(self.playback, ordinal)
        answer = await self._ask(need)
        self._raised[ordinal] = msgspec.structs.replace(need, answer=answer)
        return answer

    def _recorded(self, playback: Playback, ordinal: int) -> str | None:
        need = self._raised[ordinal]
        before = self.recorded[ordinal] if ordinal < len(self.recorded) else None
        if before is None or (before.question, before.blocking) != (need.question, need.blocking):
            raise playback.stop(None, f"asks the principal: {printable(need.question)}")
        self._raised[ordinal] = before
        return before.answer

    async def _ask(self, need: RaisedNeed) -> str | None:
        name = str(self.writer.raise_need(self.agent, self.generation, need))
        who = f"{self.agent} gen {self.generation}"
        waits = "waits for an answer" if need.blocking else "asks"
        question = printable(need.question[:_LONGEST_SHOWN])
        self.emit(
            Notice(
                f"{who} {waits}: {question} (hyperspace steer {self.run} answer {name[:8]} TEXT)"
            )
        )
        while need.blocking:
            self.steering.read.refresh()
            answer = self.steering.read.answer_to(name)
            if answer is not None:
                return answer.text
            await anyio.sleep(LOOK_S)
        return None
