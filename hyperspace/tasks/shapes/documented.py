"""Tasks that agents are told about in files."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from hyperspace.tasks.base import Domain

README = "README.md"


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


@runtime_checkable
class Described(Protocol):
    """A domain that says in words what it asks."""

    @property
    def description(self) -> str:
        """What is asked, what an answer is, and how it is scored, in Markdown; may be empty."""
        ...


def description_of(domain: Domain) -> str:
    """Return what a domain says of itself: its description, its README, or what its form tells."""
    if isinstance(domain, Described) and domain.description:
        return domain.description
    if readme := task_files(domain).get(README, b"").decode(errors="replace"):
        return readme
    better = "higher" if domain.higher_is_better else "lower"
    return (
        f"The task {domain.name}: `TaskAgent.forward` gets the inputs of one item, and its answer "
        f"is scored. The score is {domain.metric}; {better} is better.\n"
    )
