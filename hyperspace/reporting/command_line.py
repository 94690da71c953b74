"""How command lines are read: by whole names, and with what was meant where one is wrong.

The parser of `hyperspace` and of every module that is a program of its own.
"""

import argparse
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NoReturn, cast

_NEGATIVE: Final = re.compile(r"-[\d.]")
"""How a value begins that is below 0, whatever follows: an option says what is wrong with it."""
_ALIKE: Final = 0.7  # of two names, as difflib measures it


def program() -> str:
    """Return how the running module was started: `python -m PACKAGE.MODULE`."""
    spec = sys.modules["__main__"].__spec__
    return Path(sys.argv[0]).name if spec is None else f"python -m {spec.name}"


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare the machine-readable form."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object and nothing else on standard output",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """Declare the run folder."""
    parser.add_argument("run", type=Path, metavar="RUN", help="run folder, results/.../seed<n>")


class Parser(argparse.ArgumentParser):
    """Takes no part of an option's name for the whole, and says in one line what is wrong.

    Attributes:
        surplus: What to say to somebody who gives more arguments than there is use for.
        passes_on: Whether what is unknown here is for another program to judge.
        takes_last: Whether of several values of one option the last counts: where programs add
            words to those of a person.
    """

    surplus: str = ""
    passes_on: bool = False
    takes_last: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what `argparse.ArgumentParser` takes; texts keep their lines."""
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, allow_abbrev=False, **kwargs)
        self.register("type", Path, _path)
        self._negative_number_matcher = _NEGATIVE
        self._store: Any = self._registry_get("action", "store")
        self._append: Any = self._registry_get("action", "append")
        self._values: dict[str, tuple[Any, str]] = {}  # by option, as they were read and typed

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Refuse what is not known here, where the right options are known.

        That comes before what is missing, which may be there under a wrong name.
        """
        given = sys.argv[1:] if args is None else args
        self._values.clear()
        if not (self.passes_on or self._subparsers):
            self._refuse([option for option in _options(given) if option not in self._known()])
        values, unknown = super().parse_known_args(given, namespace)
        if not self.passes_on:
            self._refuse(unknown)
        return values, unknown

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help shows what there is)\n")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuse two values of what takes one: of an option, or of a NAME in NAME=VALUE."""
        values: Any = super()._get_values(action, arg_strings)  # type: ignore[misc]
        if not self.takes_last and action.option_strings and arg_strings:
            flag, text = action.option_strings[0], shlex.join(arg_strings)
            name, _, _ = text.partition("=")
            if isinstance(action, self._append) and "=" in str(action.metavar):
                self._require_one(f"{flag} {name}", values, text)
            elif isinstance(action, self._store):
                self._require_one(flag, values, text)
        return values

    def _require_one(self, what: str, values: Any, text: str) -> None:
        earlier, before = self._values.setdefault(what, (values, text))
        if earlier != values:
            self.error(f"{what} is there with {before} and with {text}; one holds, so leave one")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say which of the choices was meant where a word is none of them."""
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        told = f"no {self._noun(action)} {str(value)!r}; {hint(str(value), names)}"
        raise argparse.ArgumentError(action if action.option_strings else None, told)

    @staticmethod
    def _noun(action: argparse.Action) -> str:
        metavar = action.metavar
        return (
            metavar.lower() if isinstance(metavar, str) and not action.option_strings else "value"
        )

    def _refuse(self, unknown: Sequence[str]) -> None:
        if not unknown:
            return
        option = next(filter(_is_option, unknown), None)
        if option is None:
            hint = f"; {self.surplus}" if self.surplus else ""
            self.error(f"unexpected argument {unknown[0]!r}{hint}")
        meant = alike(option, self._known())
        self.error(f"no option {option}" + (f"; did you mean {meant}?" if meant else ""))

    def _known(self) -> Collection[str]:
        return cast("dict[str, Any]", self._option_string_actions)  # pyright: ignore[reportPrivateUsage]


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("an empty path; write . for the folder where you are")
    return Path(text)


def alike(word: str, names: Collection[str]) -> str:
    """Return the name that somebody who wrote a word may have meant; empty if there is none."""
    from difflib import get_close_matches

    (meant, *_) = [*get_close_matches(word, names, n=1, cutoff=_ALIKE), ""]
    return meant


def hint(word: str, names: Collection[str]) -> str:
    """Return what to tell somebody whose word is none of some names."""
    meant = alike(word, names)
    return f"did you mean {meant}?" if meant else f"there are {', '.join(names)}"


def _options(arguments: Sequence[str]) -> Iterator[str]:
    """Names of the long options among arguments; after `--` there are none."""
    for argument in takewhile(lambda argument: argument != "--", arguments):
        if _is_option(argument):
            yield argument.partition("=")[0]


def _is_option(argument: str) -> bool:
    return argument.startswith("--") and " " not in argument.partition("=")[0]
