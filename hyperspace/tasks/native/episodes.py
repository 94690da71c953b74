"""Episodes whose environments live in a child process, and survive each other's crashes."""

import threading
import weakref
from typing import Any

import msgspec

from hyperspace.tasks.native.process import ChildDied, ChildProcess
from hyperspace.tasks.shapes.interactive import EpisodeFailed
from hyperspace.tasks.shapes.outcome import Outcome

ANSWER_S = 60.0


class NativeGames:
    """The environments of one domain, in a child that lives as long as any of them is open.

    A child that takes long to start may stay, for as long as these games are there.

    An environment may kill the child. The other episodes are then played again in a new child, from
    their recorded actions, when they are next needed; so is the one that killed it, once: an
    episode's end then depends on its own actions alone.
    """

    def __init__(
        self, factory: str, answer_s: float = ANSWER_S, *, child_stays: bool = False
    ) -> None:
        """Keep what is needed to start.

        Args:
            factory: Module and function of ours that makes an episode of an item's inputs.
            answer_s: Wall-clock seconds to wait for one answer.
            child_stays: The child does not end with the last open episode.
        """
        self.factory = factory
        self.answer_s = answer_s
        self._child_stays = child_stays
        self._lock = threading.RLock()
        self._child: ChildProcess | None = None
        self._holds: set[int] = set()  # numbers of the episodes that live in this child
        self._open: set[int] = set()
        self._last = 0

    @property
    def pid(self) -> int | None:
        """Number of the child process; None if there is none."""
        return self._child.pid if self._child else None

    def open(self, inputs: dict[str, Any]) -> "NativeEpisode":
        """Make an environment.

        Raises:
            EpisodeFailed: It cannot be made.
        """
        with self._lock:
            self._last += 1
            self._open.add(self._last)
            episode = NativeEpisode(self, self._last, inputs)
            try:
                episode.start()
            except EpisodeFailed:
                episode.close()
                raise
            return episode

    def ask(self, episode: "NativeEpisode", operation: str, argument: Any = None) -> dict[str, Any]:
        """Put a request about an episode; it is replayed first if its child is gone.

        Raises:
            EpisodeFailed: It killed the child, also when alone in a fresh one, or raised.
        """
        with self._lock:
            alone = not self._holds - {episode.number}
            fresh = episode.number not in self._holds
            try:
                return self._put(episode, operation, argument)
            except ChildDied as death:
                self._drop_child()
                if alone and fresh:
                    raise EpisodeFailed(f"the environment {death}") from None
            try:
                return self._put(episode, operation, argument)
            except ChildDied as death:
                self._drop_child()
                raise EpisodeFailed(f"the environment {death}") from None

    def release(self, number: int) -> None:
        """Close an episode; the child ends with the last one."""
        with self._lock:
            self._open.discard(number)
            if self._child is None:
                return
            if not self._open and not self._child_stays:
                self._drop_child()
            elif number in self._holds:
                self._holds.remove(number)
                try:
                    self._child.ask(["close", number, None], self.answer_s)
                except ChildDied:
                    self._drop_child()

    def _put(self, episode: "NativeEpisode", operation: str, argument: Any) -> dict[str, Any]:
        child = self._child or self._start_child()
        if episode.number not in self._holds and operation != "open":
            for request in episode.history():
                _checked(child.ask(request, self.answer_s))
        answer = child.ask([operation, episode.number, argument], self.answer_s)
        self._holds.add(episode.number)
        return _checked(answer)

    def _start_child(self) -> ChildProcess:
        self._child = child = ChildProcess(self.factory)
        self._end_child = weakref.finalize(self, child.kill)
        return child

    def _drop_child(self) -> None:
        self._holds.clear()
        if self._child is not None:
            self._end_child()
            self._child = None


class NativeEpisode:
    """One environment in the child; an `Episode`."""

    def __init__(self, games: NativeGames, number: int, inputs: dict[str, Any]) -> None:
        self.number = number
        self._games = games
        self._inputs = inputs
        self._actions: list[str] = []
        self._observation: dict[str, Any] | None = None
        self._outcome = Outcome(0.0)
        self._failed = ""

    def start(self) -> None:
        """Make the environment.

        Raises:
            EpisodeFailed: It cannot be made.
        """
        self._take(self._ask("open", self._inputs))

    def observe(self) -> dict[str, Any] | None:
        """Observation; see `Episode`."""
        if self._failed:
            raise EpisodeFailed(self._failed)
        return self._observation

    def act(self, action: str) -> None:
        """Take one step; see `Episode`."""
        answer = self._ask("act", action)
        self._actions.append(action)
        self._take(answer)

    def outcome(self) -> Outcome:
        """Return the finding as of the last step that was taken."""
        return self._outcome

    def draw(self) -> str:
        """Return the situation as text."""
        return str(self._ask("draw")["drawing"])

    def close(self) -> None:
        """Let go of the environment; may be called twice."""
        self._failed = self._failed or "the episode is closed"
        self._games.release(self.number)

    def history(self) -> list[list[Any]]:
        """Return the requests that bring a new environment to where this one is."""
        acts = [["act", self.number, action] for action in self._actions]
        return [["open", self.number, self._inputs], *acts]

    def _ask(self, operation: str, argument: Any = None) -> dict[str, Any]:
        if self._failed:
            raise EpisodeFailed(self._failed)
        try:
            return self._games.ask(self, operation, argument)
        except EpisodeFailed as failure:
            self._failed = str(failure)
            raise

    def _take(self, answer: dict[str, Any]) -> None:
        self._observation = answer["observation"]
        self._outcome = msgspec.convert(answer["outcome"], Outcome)


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise EpisodeFailed(f"the environment raised {answer['error']}")
    return answer
