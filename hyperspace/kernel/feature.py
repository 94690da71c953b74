"""What some runs have, and others have not."""


class Feature:
    """A feature of some runs; the loop names none.

    What it does is in the hooks that it also is: `kernel.generation.extension.Extension`,
    `kernel.run.round_end.RoundEnd`.
    """
