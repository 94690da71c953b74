"""What a feature may do when a round is closed."""

from hyperspace.kernel.feature import Feature
from hyperspace.kernel.generation.run_context import RunContext


class RoundEnd(Feature):
    """Asked after each round, and again about the closed ones when a run is resumed."""

    def close_round(self, context: RunContext, number: int) -> None:
        """Write down what a closed round came to; nothing that was written is written twice.

        Raises:
            AgentForked: Somebody joins the run, which is opened again with them.
        """
        raise NotImplementedError
