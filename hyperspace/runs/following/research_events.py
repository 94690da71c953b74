"""What there is to tell of a research run: with `--json` each is an object on a line of its own."""

from hyperspace.runs.following.events import BudgetChanged, StateChanged, TaggedEvent


class ResearchFound(TaggedEvent, frozen=True, tag="run"):
    """The run is there; its fields are as in research.json.

    Attributes:
        ideas: Of each epoch.
        metric: Name of the score.
        goal: Which score is better, `max` or `min`.
    """

    run: str
    environment: str
    arm: str
    models: tuple[str, ...]
    epochs: int
    ideas: int
    seed: int
    metric: str
    goal: str
    started_utc: str


class IdeaEntered(TaggedEvent, frozen=True, tag="under way"):
    """An idea that is not closed came into another state.

    Attributes:
        state: `asked` (its model), `queued` (its job) or `running`.
        since_utc: Since when.
    """

    number: int
    epoch: int
    kind: str
    model: str
    state: str
    since_utc: str


class LogTold(TaggedEvent, frozen=True, tag="log"):
    """A job printed lines, which nobody believes.

    Attributes:
        number: Of the idea.
        lines: The new ones, each cut at 500 characters.
        missed: How many came before them and are not told: a look saw the end alone.
    """

    number: int
    lines: tuple[str, ...]
    missed: int = 0


class IdeaEnded(TaggedEvent, frozen=True, tag="idea"):
    """An idea was closed.

    Attributes:
        sequence: Of its closing mark.
        number: From 1 on; 0 is the repository as it is.
        model: Of who had it; empty for the baseline.
        parent: The idea whose repository it changed.
        state: What came of it.
        score: None where there is none.
        reason: Why there is none; empty where there is one.
        is_best: Whether its score is better than every one before it.
        best: The best score by now.
    """

    sequence: int
    number: int
    epoch: int
    kind: str
    model: str
    parent: int
    state: str
    score: float | None
    reason: str
    is_best: bool
    best: float | None


ResearchEvent = ResearchFound | StateChanged | IdeaEntered | LogTold | IdeaEnded | BudgetChanged
