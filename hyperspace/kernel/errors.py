"""What can go wrong with a run.

Errors::

    RunError                   a run cannot start or go on; the message says what to do
    ├── RunUsageError          the command asks for something that does not fit (exit code 2)
    │   ├── ConfigMismatch     the folder holds a run of another configuration or version
    │   ├── ForeignRun         somebody else began the run; it needs --trust
    │   ├── RecordUnreadable   the folder holds a record that is damaged, or of another version
    │   └── FirstCodeFailed    the code that agents start from fails its gates or its evaluation
    ├── RunHeld                another coordinator works on this run
    ├── RunPaused              a model does not answer: nothing is lost, the same command goes on
    │   └── RunLimited         a limit of the run is reached; goes on with a higher one
    │       └── AgentLimited   the quota of an agent is
    ├── BudgetSpent            the calls that a run's terms give its search are made
    ├── RunDamaged             the run's space and its files do not agree
    └── LibraryMissing         a library of an extra is needed and not installed
"""

from pathlib import Path


def another_place(where: Path | str) -> str:
    """Return where another run would lie: beside a folder, or beside a space on a server."""
    folder = "another --results folder"
    return folder if isinstance(where, Path) else f"{folder} with another space=NAME in --space"


class RunError(Exception):
    """A run cannot start or go on."""


class RunUsageError(RunError):
    """The command asks for something that does not fit."""


class ConfigMismatch(RunUsageError):
    """The run that is there has another configuration.

    Attributes:
        field: Name of the first field that differs.
    """

    def __init__(self, where: Path | str, field: str, recorded: object, requested: object) -> None:
        use = "the same value"
        if field == "data_sha256":
            use = (
                "the same data (--data names a folder; what a domain makes itself changes with its "
                "version and its files)"
            )
        elif field == "generations" and _is_less(requested, recorded):
            use = "the same value (hyperspace steer RUN stop-agent NAME ends it earlier)"
        super().__init__(
            f"{where} holds a run with {field}={recorded!r}, and you ask for "
            f"{field}={requested!r}; use {use} to go on with it, or {another_place(where)}"
        )
        self.field = field


def _is_less(number: object, other: object) -> bool:
    return isinstance(number, int) and isinstance(other, int) and number < other


class ForeignRun(RunUsageError):
    """A run that this user did not begin on this machine is to be executed."""

    def __init__(self, run: str, would: str, what: str) -> None:
        super().__init__(
            f"{run} {what}, so nothing of it is executed; it would {would}; if you trust who made "
            "it, add --trust"
        )


class RecordUnreadable(RunUsageError):
    """The record of the run that is there is damaged, or of another version."""


class FirstCodeFailed(RunUsageError):
    """The code that agents start from fails a gate, or its evaluation."""

    def __init__(self, run: Path, agent: str, why: str) -> None:
        super().__init__(
            f"the code that {agent} starts from does not work: {why}; mend it (it lies in "
            f"{run / agent / 'gen_0' / 'repo'}), try it with hyperspace domains NAME --check, and "
            "start again with another --results folder"
        )


class RunHeld(RunError):
    """Another coordinator works on this run."""


class RunPaused(RunError):
    """A provider did not answer for too long; the same command goes on.

    Attributes:
        outage: What the model said, or that it said nothing; None where it is another pause.
    """

    def __init__(self, message: str, outage: Exception | None = None) -> None:
        super().__init__(message)
        self.outage = outage


class RunLimited(RunPaused):
    """The run has reached a limit that the person has set.

    Attributes:
        reached: Which limit, with what is spent and reserved.
    """

    def __init__(self, reached: str) -> None:
        super().__init__(
            f"{reached}; nothing is lost, the same command with a higher limit (or none) goes on"
        )
        self.reached = reached


class AgentLimited(RunLimited):
    """An agent has reached its quota; others may go on where they do not wait for it."""


class BudgetSpent(RunError):
    """The calls that the terms of a run give its search are made; the try that asked is over."""


class RunDamaged(RunError):
    """The run's space and its files do not agree."""


class LibraryMissing(RunError):
    """A requested feature needs a library that is not installed."""

    def __init__(self, needs: str, extra: str, instead: str = "") -> None:
        """Name what to install.

        Args:
            needs: What needs which library, such as "figures need matplotlib".
            extra: Name of the extra in pyproject.toml that has it.
            instead: What works without it; empty for nothing.
        """
        from markspace.extras import how_to_install  # a whole package: command lines do without

        super().__init__(
            f"{needs}; {how_to_install(extra)}" + (f", or {instead}" if instead else "")
        )
