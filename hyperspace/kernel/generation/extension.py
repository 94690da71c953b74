"""What a run may have beyond the loop: an extension is asked at fixed points of a generation.

The loop names none. `RunContext.features` holds those that a run has by its terms, in the order
in which they are asked; a run that has none asks nobody.
"""

from collections.abc import Iterator

from hyperspace.kernel.feature import Feature
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.state.archive import Archive


def extensions(context: RunContext) -> Iterator["Extension"]:
    """Yield what a run's generations ask, in order."""
    return (each for each in context.features if isinstance(each, Extension))


class Extension(Feature):
    """What a feature does in a generation; each method does nothing where it is not overridden.

    What it does follows from its arguments alone: a generation is played again after a kill, and in
    a replay. Calls of models go through `attempt.ask`, so that they are on record and paid.
    """

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

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Add to a generation that was judged, or given up, before it is closed.

        Raises:
            RunPaused: A model is down.
        """
