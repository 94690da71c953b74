"""Plays episodes the way the host does: one agent an episode, one call a step."""

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from hyperspace.tasks.base import Domain, Split
from hyperspace.tasks.shapes.interactive import Episode, Interactive
from hyperspace.tasks.shapes.outcome import encode_outcome


class Playable(Domain, Interactive, Protocol):
    """A domain whose items are episodes."""


@cache
def load_source(source: bytes | str) -> dict[str, Any]:
    """Execute source text alone in a fresh namespace, once, and return that."""
    space: dict[str, Any] = {"__name__": "apart"}
    exec(compile(source, "apart.py", "exec"), space)  # noqa: S102 - our own files
    return space


def agent_of(source: bytes | str) -> Any:
    """Make the task agent of a source."""
    return load_source(source)["TaskAgent"]("offline")


def seed_agent(domain: Domain) -> Any:
    """Make the seed's task agent."""
    return agent_of(domain.seed_files()["task_agent.py"])


class Scripted:
    """A task agent that says what it was told to, and then the last of it again and again."""

    def __init__(self, *actions: Any) -> None:
        self._actions = list(actions)

    def forward(self, inputs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """Return the next action."""
        assert inputs
        return self._actions.pop(0) if len(self._actions) > 1 else self._actions[0], []


def play_out(episode: Episode, agent: Any) -> list[dict[str, Any]]:
    """Play an episode to its end and return what the agent was told."""
    observations: list[dict[str, Any]] = []
    while (observation := episode.observe()) is not None:
        observations.append(observation)
        episode.act(agent.forward(observation)[0])
    episode.close()
    return observations


def predictions(domain: Playable, split: Split, make_agent: Callable[[], Any]) -> dict[str, str]:
    """Play every episode of a split and return the outcomes as they go on record."""
    texts: dict[str, str] = {}
    for item in domain.items(split):
        episode = domain.open(item)
        play_out(episode, make_agent())
        texts[item.id] = encode_outcome(episode.outcome())
    return texts


def actions_of(episode: Episode, agent: Any) -> list[str]:
    """Play an episode to its end, close it, and return the actions."""
    actions: list[str] = []
    try:
        while (observation := episode.observe()) is not None:
            actions.append(agent.forward(observation)[0])
            episode.act(actions[-1])
    finally:
        episode.close()
    return actions
