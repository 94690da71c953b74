"""What a run may have beyond the loop: an extension is asked at fixed points of a generation.

The loop names none. `RunContext.features` holds those that a run has by its terms, in the order
in which they are asked; a run that has none asks nobody.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from hyperspace.kernel.feature import Feature
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Manifest
from markspace import Observation


def extensions(context: RunContext) -> Iterator["Extension"]:
    """Yield what a run's generations ask, in order."""
    return (each for each in context.features if isinstance(each, Extension))


class NoOptions(msgspec.Struct, frozen=True):
    """The options of an extension that has none."""


class Extension(Feature):
    """What a feature does in a generation; each method does nothing where it is not overridden.

    What it does follows from its arguments alone: a generation is played again after a kill, and in
    a replay. Calls of models go through `attempt.ask`, so that they are on record and paid; random
    numbers come from `attempt.stream`.

    `own` is an agent's archive, and `own.in_sight` what the agent may know of it: what is shown to
    it, and what is chosen for it, follows from the latter.

    Attributes:
        name: Of its part of a manifest (`Candidate.parts`), and of its folder in workspaces.
        Options: The form of its options; the text of each is converted.
        options: Its options in this run.
    """

    name: ClassVar[str] = ""
    Options: ClassVar[type[msgspec.Struct]] = NoOptions

    def __init__(self, options: Any = None) -> None:
        self.options: Any = self.Options() if options is None else options

    def choose_parent(self, attempt: Attempt, own: Archive, by_rule: int | None) -> int | None:
        """Choose the generation that this one is forked from.

        Args:
            attempt: The attempt.
            own: The agent's generations, as of its look.
            by_rule: What the run's rule chose; None where no generation is valid.

        Returns:
            The number of a valid one; None leaves it to others, and in the end to the rule.
        """
        return None

    async def make(
        self, attempt: Attempt, visible: VisibleStrategies, chosen: Chosen
    ) -> list[Candidate] | None:
        """Make and judge the candidates of a generation in another way (steps 2 to 6).

        Returns:
            The one that the generation comes to, then those that lost; None leaves it to others.

        Raises:
            RunPaused: A model is down.
        """
        return None

    async def begin(
        self, attempt: Attempt, candidate: Candidate, visible: VisibleStrategies
    ) -> None:
        """Change the code of generation 0 before it is judged.

        Raises:
            RunPaused: A model is down.
        """

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Return files that are laid into the workspace of a modification, by path.

        Args:
            attempt: The attempt.
            candidate: A fork of its parent's code.
            own: The agent's generations, as of its look.

        Raises:
            RunPaused: A model is down.
        """
        return {}

    async def judge(self, attempt: Attempt, candidate: Candidate) -> bool:
        """Judge a candidate in place of gates and evaluation (steps 5 and 6).

        Returns:
            Whether it was judged.
        """
        return False

    def metadata(self, manifest: Manifest) -> dict[str, object]:
        """Return what a generation's metadata.json says of it beside the rest, by field."""
        return {}

    def observations(self, manifest: Manifest) -> Iterator[Observation]:
        """Yield marks that are written in its agent's name with the generation."""
        yield from ()

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Add to a generation that was judged, or given up, before it is closed.

        Raises:
            RunPaused: A model is down.
        """
