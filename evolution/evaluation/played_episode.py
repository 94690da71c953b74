"""An episode while it is played: the environment, what was done in it, and how it ended."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from domains.base import Domain, Item, leaf_of
from domains.shapes.interactive import Episode, EpisodeFailed, Interactive
from domains.shapes.outcome import Outcome

LONGEST_ACTION = 1_000  # characters; what is cut off was no action
ENDED = "the environment died"


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

    def open(self, domain: Domain) -> None:
        """Make the environment."""
        leaf = leaf_of(domain, self.item)
        assert isinstance(leaf.domain, Interactive)  # noqa: S101 - blocks are made by shape
        self._tag = leaf.tag
        try:
            self._episode = leaf.domain.open(leaf.item)
        except EpisodeFailed as failed:
            self.error = f"{ENDED}: {failed}"

    def observe(self) -> dict[str, Any] | None:
        """Return what to tell the agent; None once there is nothing more to do."""
        if self._episode is None or self.error:
            return None
        try:
            observation = self._episode.observe()
        except EpisodeFailed as failed:
            self.error = f"{ENDED}: {failed}"
            return None
        if observation is None or not self._tag:
            return observation
        return {**observation, "domain": self._tag}

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
        with suppress(EpisodeFailed):
            return None if self._episode is None else self._episode.outcome()
        return None

    def close(self) -> None:
        """Let go of the environment; may be called twice."""
        if self._episode is not None:
            self._episode.close()
