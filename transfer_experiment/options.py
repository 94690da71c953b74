"""What a person asks for when launching a paired run."""

from evolution.launch.options import LaunchOptions


class PairOptions(LaunchOptions, frozen=True, kw_only=True):
    """A paired run as asked for on the command line.

    Attributes:
        models: The two models, as people write them.
    """

    models: tuple[str, str]
