"""Options of `hyperspace research`, declared where the command line reads them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final, get_args

import msgspec

from hyperspace.executor.names import LOCAL
from hyperspace.kernel.errors import RunUsageError
from hyperspace.options.option import Option
from hyperspace.options.spending import Spending
from hyperspace.options.values import (
    MOST_WORKERS,
    executor_name,
    minutes,
    positive,
    run_seeds,
    sandbox_name,
    whole_number,
)
from hyperspace.research.loop.records import Arm

MOST_IDEAS = 10_000
MOST_REPAIRS = 100
ARMS: Final[tuple[Arm, ...]] = get_args(Arm)
_said = partial(Option, commands=("research",), common=("research",))


def share(text: str) -> float:
    """Parse a share, from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{text!r} is no share; use a number from 0 to 1")
    return number


def data_folder(text: str) -> tuple[str, Path]:
    """Parse NAME=FOLDER.

    Raises:
        ValueError: It is no such text.
    """
    name, is_there, folder = text.partition("=")
    if not (name and is_there and folder):
        raise ValueError(f"{text!r} is not NAME=FOLDER")
    if any("\udc80" <= each <= "\udcff" for each in text):
        raise ValueError(f"{text!r} is not UTF-8; rename the folder")
    return name, Path(folder)


def data_folders(said: Sequence[tuple[str, Path]]) -> dict[str, Path]:
    """Return folders by their names.

    Raises:
        RunUsageError: One name has two.
    """
    folders = dict(said)
    if len(folders) < len(said):
        raise RunUsageError("--data gives one name two folders; give each name one")
    return folders


def _arms(text: str) -> tuple[Arm, ...]:
    names = text.split(",")
    arms: tuple[Arm, ...] = tuple(arm for arm in ARMS if arm in names)
    if len(arms) < len(names):
        raise ValueError(
            f"{text!r} is no list of arms; name some of {', '.join(ARMS)}, each once, with commas "
            "between them"
        )
    return arms


def _ideas(text: str) -> int:
    return positive(text, MOST_IDEAS)


def _slots(text: str) -> int:
    return positive(text, MOST_WORKERS)


def _repairs(text: str) -> int:
    number = whole_number(text)
    if number > MOST_REPAIRS:
        raise ValueError(f"{text} is more than {MOST_REPAIRS}")
    return number


class ResearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A research run as asked for; a command line asks for one of each arm with each seed.

    Attributes:
        command: The command line, for the record.
    """

    env: Annotated[
        str,
        _said(
            "--env",
            "the environment: one that comes along (fit_line, nano_gpt, tiny_grpo), or the folder "
            "of one",
            kept="identity",
            metavar="ENV",
        ),
    ]
    models: Annotated[
        tuple[str, ...],
        _said(
            "--models",
            "who has ideas, in turns; several share what came of them",
            kept="identity",
            metavar="M",
            kind="several",
            finish=tuple,
        ),
    ]
    env_config: Annotated[
        Path | None,
        _said(
            "--env-config",
            "the env.toml of a repository that has none itself: --env is then the repository",
            kept="identity",
            metavar="FILE",
        ),
    ] = None
    scale: Annotated[
        str | None,
        _said(
            "--scale",
            "a scale of the environment, as [scales.NAME] of its env.toml: nano_gpt has gpu, which "
            "needs a graphics card",
            kept="identity",
            metavar="NAME",
        ),
    ] = None
    data: Annotated[
        dict[str, Path],
        _said(
            "--data",
            "a folder that jobs read, as [data.NAME] of env.toml says; repeatable",
            kept="content",
            metavar="NAME=FOLDER",
            parse=data_folder,
            kind="repeated",
            finish=data_folders,
        ),
    ] = {}
    epochs: Annotated[
        int,
        _said("--epochs", "epochs of ideas", kept="identity", metavar="E", parse=_ideas),
    ] = 4
    ideas: Annotated[
        int,
        _said("--ideas", "ideas of each epoch", kept="identity", metavar="N", parse=_ideas),
    ] = 12
    slots: Annotated[int, _said("--slots", "jobs at the same time", metavar="S", parse=_slots)] = 2
    executor: Annotated[
        str,
        _said(
            "--executor",
            "where jobs are played: local, ray, or ray://HOST:PORT (docs/reference/cluster.md); "
            "scores stay, to the digits of the environment",
            metavar="NAME",
            parse=executor_name,
        ),
    ] = LOCAL
    explore: Annotated[
        float | None,
        _said(
            "--explore",
            "share of the ideas, from the second epoch on, that are new and do not build upon the "
            "best",
            kept="identity",
            metavar="SHARE",
            parse=share,
            default_text="half at first, a fifth in the end",
        ),
    ] = None
    repairs: Annotated[
        int,
        _said(
            "--repairs",
            "how often a diff that is refused goes back to its model",
            kept="identity",
            metavar="R",
            parse=_repairs,
        ),
    ] = 2
    arm: Annotated[
        Arm,
        _said(
            "--arms",
            "search, or controls at equal cost: none (a model sees its own ideas alone), shuffled "
            "(those of others have each other's results), best_of_n (no idea sees another); a run "
            "of each",
            kept="identity",
            metavar="A,B",
            parse=_arms,
            default=("search",),
            default_text="search",
        ),
    ] = "search"
    seed: Annotated[
        int,
        _said(
            "--seeds",
            "one run seed, or a set of runs: 42..46 or 42,43,50",
            kept="identity",
            metavar="A..B",
            parse=run_seeds,
            default=(42,),
            default_text="42",
            aliases=("--seed",),
        ),
    ] = 42
    sandbox: Annotated[
        str,
        _said(
            "--sandbox",
            "where jobs run; one that is a boundary",
            group="guard",
            kept="identity",
            metavar="KIND",
            parse=sandbox_name,
        ),
    ] = "auto"
    results: Annotated[
        Path,
        _said("--results", "folder that runs are put into", group="results", metavar="DIR"),
    ] = Path("results")
    outage_minutes: Annotated[
        float,
        _said(
            "--outage-minutes",
            "minutes to go on asking a model that does not answer; then the run pauses",
            group="limits",
            metavar="M",
            parse=minutes,
        ),
    ] = 10.0
    terms: Spending = Spending()
    command: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an arm that would be another one, before any run of its set is played."""
        if self.arm in ("none", "shuffled") and len(self.models) < 2:
            raise RunUsageError(
                f"--arms {self.arm} changes what models see of each other, and --models names one; "
                "name two or more"
            )
