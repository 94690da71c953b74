"""What a page may start: fields of a form, and the words of the command line that they become.

The command line judges values; here stands what may be said at all. Nothing that names a path,
code or an address gets through: no file of a task, no `--trust`, no `--sandbox process`.
"""

import re
from collections.abc import Iterator
from os.path import lexists
from typing import Final, Literal

import msgspec

from hyperspace.dashboard.errors import NotDone
from hyperspace.dashboard.starting.models import require_allowed
from hyperspace.options.launch import agent_names
from hyperspace.options.option import Declared, declared
from hyperspace.options.solo import Annealing
from hyperspace.reporting.lines import counted
from hyperspace.runs.spaces.listing import printable
from hyperspace.tasks.registry import CONFIG, entries
from replication.options import SoloOptions
from transfer_experiment.options import FleetOptions, PairOptions

Launch = Literal["pair", "solo", "fleet"]
OptionValue = str | int | float | bool | list[str]
MODELS: Final[dict[Launch, tuple[int, int]]] = {"pair": (2, 2), "solo": (1, 1), "fleet": (1, 100)}
"""How many models each command takes: at least, and at most."""

MOST_CHARACTERS: Final = 200  # of a value
ALLOWED: Final = frozenset(
    {
        *("--eval-model", "--judge", "--fallback", "--policy", "--visible", "--needs"),
        *("--eval-samples", "--eval-repeats", "--rotate-val", "--eval-workers", "--keep-traces"),
        *("--max-tokens", "--max-hours", "--outage-minutes", "--target-score", "--patience"),
        *("--experiment", "--arm", "--selection", "--freeze-meta", "--annealing"),
        *("--annealing-p0", "--annealing-decay", "--seed-agent", "--skip-staged", "--eval-test"),
        *("--optimise", "--ensemble-size"),
    }
)
"""Options that a page may set: none of them names a path or an address, or runs code of one."""

_RECORDS: Final = {
    "pair": (PairOptions,),
    "solo": (SoloOptions, Annealing),
    "fleet": (FleetOptions,),
}
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DOMAIN: Final = re.compile(r"([a-z0-9_]+)(\?[A-Za-z0-9_.,=&-]*)?")


class RunRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run to be started.

    Attributes:
        command: As on the command line: `pair`, `solo` or `fleet`.
        models: One for each agent; those of the network need their key in the environment of the
            dashboard, and `max_usd`.
        domain: A name that `hyperspace domains` lists, with options; or several joined by `+`.
        generations: After generation 0.
        seed: The run's.
        max_usd: Money to spend at most, in US dollars; None for no limit.
        name: Of a fleet, in the results tree.
        options: Further options by their names on the command line, without the dashes.
    """

    command: Launch
    models: tuple[str, ...]
    domain: str = "repo_quality"
    generations: int = 10
    seed: int = 42
    max_usd: float | None = None
    name: str = "fleet"
    options: dict[str, OptionValue] = {}

    def check(self, *, to_start: bool = True) -> None:
        """Check that a page may start this.

        Args:
            to_start: Whether it is started; a forecast needs no key and no limit.

        Raises:
            NotDone: It may not; says why.
        """
        least, most = MODELS[self.command]
        if not least <= len(self.models) <= most:
            takes = counted(least, "model") if least == most else f"{least} to {most} models"
            raise NotDone(f"a {self.command} has {takes}; {len(self.models)} were named")
        _check_domain(self.domain)
        experiment = self.run_name if self.command == "solo" else self.name
        for what, name in (("name", self.name), ("--experiment", experiment)):
            if not _NAME.fullmatch(name):
                raise NotDone(f"{what}: {_shown(name)} is no name of a folder")
        judges = [self.options[name] for name in ("eval-model", "judge") if name in self.options]
        for model in (*self.models, *map(str, judges)):
            require_allowed(model, is_limited=self.max_usd is not None, to_start=to_start)
        _ = self.option_words()

    @property
    def run_name(self) -> str:
        """The folder below the domain's, as the command line names it; a pair's has its agents."""
        match self.command:
            case "pair":
                return "_vs_".join(agent_names(self.models))
            case "solo":  # the domain's name, unless an option says another
                return str(self.options.get("experiment", self.domain.partition("?")[0]))
            case "fleet":
                return self.name

    def option_words(self) -> tuple[str, ...]:
        """Return the further options as words of a command line.

        Raises:
            NotDone: One is none of those that a page may set, or holds what no value does.
        """
        options = allowed(self.command)
        words: list[str] = []
        for name, value in self.options.items():
            if name not in options:
                raise NotDone(
                    f"the option {_shown(name)} is not for pages; of hyperspace {self.command} a "
                    f"page sets {', '.join(sorted(options))}; the command line has the others"
                )
            words += _words(options[name], value)
        return tuple(words)


def allowed(command: Launch) -> dict[str, Declared]:
    """Return the options of a command that a page may set, by their names without dashes."""
    return {
        option.option.flag.removeprefix("--"): option
        for record in _RECORDS[command]
        for option in declared(record)
        if option.option.flag in ALLOWED and command in option.option.commands
    }


def _check_domain(domain: str) -> None:
    """Check that a domain is one that is installed: never a file, and never a folder."""
    for part in domain.split("+"):
        match = _DOMAIN.fullmatch(part)
        if match is None or match[1] not in entries() or len(domain) > MOST_CHARACTERS:
            raise NotDone(
                f"the domain {_shown(part)} is not for pages, which take those that are "
                f"installed: {', '.join(sorted(entries()))}; the command line takes files, too"
            )
        if any(lexists(f"{name}/{CONFIG}") for name in (match[1], domain.partition("?")[0])):
            raise NotDone(f"{match[1]} is also a folder's task where the dashboard was started")


def _words(declaration: Declared, value: OptionValue) -> Iterator[str]:
    option = declaration.option
    if option.kind == "switch":
        if not isinstance(value, bool):
            raise NotDone(f"{option.flag} is true or false")
        if value:
            yield option.flag
        return
    values = value if isinstance(value, list) else [value]
    if isinstance(value, bool) or (len(values) > 1 and option.kind != "repeated"):
        raise NotDone(f"{option.flag} takes one value, a text or a number")
    for each in values:
        text = str(each)
        if not text.isprintable() or not 0 < len(text) <= MOST_CHARACTERS:
            raise NotDone(
                f"{option.flag}: {_shown(text)} is no line of at most {MOST_CHARACTERS} characters"
            )
        yield f"{option.flag}={text}"


def _shown(text: str) -> str:
    return f"'{printable(text, MOST_CHARACTERS)}'"
