"""Tasks that agents are told about in files."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from domains.base import Domain


@runtime_checkable
class Documented(Protocol):
    """A domain with files that are laid out read-only below `task/` of every workspace."""

    def task_files(self) -> Mapping[str, bytes]:
        """Path below `task/` to content.

        `README.md` says what is asked, how it is scored and what bounds an answer. `score.py`,
        where there is one, is the scorer of train items for code inside, in the standard library
        alone, with one of two functions: `score(inputs, prediction) -> float`, or, for episodes,
        `play(inputs, agent) -> float`, which calls `agent.forward(observation)` step by step.
        Nothing of validation or test can be told from these files.
        """
        ...


def task_files(domain: Domain) -> Mapping[str, bytes]:
    """Return the files below `task/` for a domain; none if it has none."""
    return domain.task_files() if isinstance(domain, Documented) else {}
