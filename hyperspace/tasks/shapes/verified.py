"""Tasks whose answers are artefacts that a program of the host checks."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, runtime_checkable

import msgspec

from hyperspace.tasks.base import Item
from hyperspace.tasks.shapes.outcome import Outcome


@runtime_checkable
class Verified(Protocol):
    """A domain with an exact verifier; it runs on the host and executes nothing of the answer."""

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Check an answer; pure, deterministic, bounded in time and memory whatever it holds.

        Args:
            item: Whose answer it is.
            artefact: Text of at most the domain's answer limit; may be anything.
        """
        ...


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run in a scoring sandbox of its own, without network, model or labels.

    Attributes:
        files: Path to content; laid out in the working directory.
        steps: Command lines that are run one after the other; the first that fails ends it. The
            word `{python}` stands for the sandbox's Python.
        stdin: What the last command reads.
        cpu_s: CPU seconds of each command.
        output_characters: Of the last command; what is longer counts as failed.
    """

    files: Mapping[str, bytes]
    steps: tuple[tuple[str, ...], ...]
    stdin: str = ""
    cpu_s: int = 5
    output_characters: int = 1_000_000


class Executed(msgspec.Struct, frozen=True):
    """What came of an execution.

    Attributes:
        stdout: Text that the last command printed; empty if it failed.
        error: One line; empty if every command ended with exit status 0.
    """

    stdout: str
    error: str = ""


Runner = Callable[[Execution], Awaitable[Executed]]


@runtime_checkable
class VerifiedBySandbox(Protocol):
    """A domain whose artefacts are code, which runs in a scoring sandbox to be checked.

    The sandbox gets inputs; expected answers stay on the host, which compares the output.
    """

    async def verify_in_sandbox(self, item: Item, artefact: str, run: Runner) -> Outcome:
        """Check an answer; see `Verified.verify`."""
        ...

    @property
    def tools(self) -> tuple[str, ...]:
        """Programs of the host that its executions need beside Python, by name (`node`)."""
        ...


@runtime_checkable
class HasBenchmark(Protocol):
    """A domain whose answers are measured by a program that can itself end with an error."""

    def benchmark_error(self, outcome: Outcome) -> str:
        """Return why that program gave no figure for an answer; empty where it gave one."""
        ...
