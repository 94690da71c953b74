"""What some runs have, and others have not."""

from hyperspace.kernel.state.config import RunConfig


class Feature:
    """A feature of some runs, known by their terms; the loop names none."""

    def is_part_of(self, config: RunConfig) -> bool:
        """Return whether a run has it."""
        raise NotImplementedError
