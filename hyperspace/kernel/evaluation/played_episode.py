"""An episode while it is played: the environment, what was done in it, and how it ended.

An environment may die (`EpisodeFailed`), which ends its episode. Whatever else is wrong with it is
the domain's fault, and ends the evaluation in a sentence.
"""

import copy
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from hyperspace.kernel.evaluation.domain_calls import Calling, fault
from hyperspace.tasks.base import Domain, DomainError, Item, leaf_of
from hyperspace.tasks.shapes.interactive import Episode, EpisodeFailed, Interactive
from hyperspace.tasks.shapes.outcome import Outcome

LONGEST_ACTION = 1_000  # characters; what is cut off was no action
ENDED = "the environment died"
MOST_STEPS = 20_000  # of an episode; the longest here have 2,000
LARGEST_OBSERVATION = 256 * 1024  # bytes as JSON: a frame carries those of 20 episodes


@dataclass
class PlayedEpisode:
    """One episode; an environment that dies ends it with what was reached.

    Attributes:
        item: What it is the episode of.
        token: Its name inside, drawn for this play.
        taken: Steps that an earlier play has taken; they are taken again, whatever is answered.
        actions: What was done so far.
        error: Why it ended early; empty while it goes on.
    """

    item: Item
    token: str
    taken: Sequence[str] = ()
    actions: list[str] = field(default_factory=list)
    error: str = ""
    _episode: Episode | None = None
    _tag: str = ""
    _domain: str = ""

    def open(self, domain: Domain) -> None:
        """Make the environment."""
        leaf = leaf_of(domain, self.item)
        assert isinstance(leaf.domain, Interactive)  # noqa: S101 - blocks are made by shape
        self._tag, self._domain = leaf.tag, domain.name
        try:
            with self._calling("open"):  # its code may change what it is handed
                item = Item(leaf.item.id, copy.deepcopy(leaf.item.inputs))
                self._episode = leaf.domain.open(item)
        except EpisodeFailed as failed:
            self.error = f"{ENDED}: {failed}"
        else:
            if cast("object", self._episode) is None:
                raise self._fault("open", "gave None, not an episode")

    def observe(self) -> dict[str, Any] | None:
        """Return what to tell the agent; None once there is nothing more to do."""
        if self._episode is None or self.error:
            return None
        try:
            with self._calling("observe"):
                observation = self._checked(self._episode.observe())
        except EpisodeFailed as failed:
            self.error = f"{ENDED}: {failed}"
            return None
        if observation is None or not self._tag:
            return observation
        return {**observation, "domain": self._tag}

    def _checked(self, observation: object) -> dict[str, Any] | None:
        if observation is None:
            return None
        if len(self.actions) >= MOST_STEPS:
            what = f"gave no None in {MOST_STEPS:,} steps; an episode has to end"
            raise self._fault("observe", what)
        if not isinstance(observation, dict):
            raise self._fault("observe", f"gave {type(observation).__name__}, not a dictionary")
        size = len(msgspec.json.encode(observation))
        if size > LARGEST_OBSERVATION:
            what = f"gave {size:,} bytes; an observation has at most {LARGEST_OBSERVATION:,}"
            raise self._fault("observe", what)
        return cast("dict[str, Any]", observation)

    def act(self, action: object) -> None:
        """Take a step with what the agent answered; what is no text is a malformed action."""
        if self._episode is None or self.error:
            return
        text = action if isinstance(action, str) else ""
        text = text[:LONGEST_ACTION].replace("\n", " ").replace("\r", " ")
        if len(self.actions) < len(self.taken):
            text = self.taken[len(self.actions)]
        self.actions.append(text)
        try:
            with self._calling("act"):
                self._episode.act(text)
        except EpisodeFailed as failed:
            self.error = f"{ENDED}: {failed}"

    def catch_up(self) -> None:
        """Take the steps of an earlier play that this one did not come to."""
        error, self.error = self.error, ""
        while len(self.actions) < len(self.taken) and self.observe() is not None:
            self.act("")
        self.error = error or self.error

    def outcome(self) -> Outcome | None:
        """Return the finding as of now; None if the environment cannot tell any more."""
        with suppress(EpisodeFailed), self._calling("outcome"):
            if self._episode is not None:
                outcome = cast("Outcome | None", self._episode.outcome())
                if outcome is None:
                    raise self._fault("outcome", "gave None, not an Outcome")
                return outcome
        return None

    def close(self) -> None:
        """Let go of the environment; may be called twice."""
        if self._episode is not None:
            with suppress(EpisodeFailed), self._calling("close"):
                self._episode.close()

    def _calling(self, method: str) -> AbstractContextManager[None]:
        return Calling(self._domain, method, self.item.id)

    def _fault(self, method: str, what: str) -> DomainError:
        return fault(self._domain, method, self.item.id, what)
