"""How a launch option is declared: once, in the annotation of a field of a record.

    eval_workers: Annotated[int, Option("--eval-workers", "let N sandboxes ...")] = 1

Command lines, their help, run records, forecasts and docs/reference/options.md follow from that.
This module and those that declare options import nothing heavy: `--help` needs them.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from math import prod
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

Command = Literal["pair", "solo", "fleet", "arena", "levels", "resume", "research", "rubric"]
Kept = Literal["identity", "content", "record", "limits", "start"]
Kind = Literal["value", "switch", "either", "repeated", "several"]

LAUNCHES: Final[tuple[Command, ...]] = ("pair", "solo", "fleet", "arena")
WITH_LEVELS: Final[tuple[Command, ...]] = (*LAUNCHES, "levels")
KEPT: Final[dict[Kept, str]] = {
    "identity": "part of the run: another value is refused",
    "content": "part of the run, as far as what it names: other content is refused",
    "record": "recorded; `resume` takes what the first start said",
    "limits": "holds on until a start says otherwise",
    "start": "counts for one start",
}
"""What becomes of an option's value after the start that said it."""

GROUPS: Final[dict[str, str]] = {
    "run": "who plays what, for how long",
    "set": "several runs of one command",
    "arm": "what the run does differently from arm A, the full one",
    "evaluation": "how candidates are judged",
    "start": "code that agents start from; these add up in this order",
    "guard": "what code of agents may do, write and see",
    "ending": "where it ends before its last generation; a start keeps what it does not name",
    "limits": "reaching one pauses the run; a resume keeps those that it does not name",
    "results": "where runs, replies and traces are kept",
    "output": "what is printed and told",
}
"""The headings of `--help-all` and of the docs page, in their order, and what they are about."""


class Unset(Enum):
    """Stands for what a declaration does not say."""

    FIELD = "the field's own default"


class Option(msgspec.Struct, frozen=True):
    """The declaration of one option.

    Attributes:
        flag: Its name on the command line.
        help: What it does, in a line or two; the default is added to it.
        group: One of `GROUPS`.
        kept: What becomes of its value; one of `KEPT`.
        metavar: Stands for its value in help; several, if it takes so many values.
        parse: Makes a value of text; raises `ValueError`, or argparse's error, that says why not.
            A path or a float need not say it.
        choices: The values that there are; empty for any. The field's type says it if it is a
            `Literal` and there is no `parse`.
        kind: Whether it takes a value; is a `switch` that stores `const`, as every bool is; a
            switch that is named with and without `no-` (`either`); is `repeated`; or takes
            `several` values at once, one or more.
        const: What a switch stores, of a bool what it is not by default; or what an option says
            that is named without its value.
        default: What holds where it is not given, before `finish`; usually the field's default.
        default_text: How help tells the default; None shows the value, empty shows nothing.
        finish: Makes the field's value of what was parsed.
        aliases: Other names on the command line.
        dest: Name among the parsed arguments; empty for the flag's.
        common: Commands whose `--help` shows it; `--help-all` shows it anyway.
        hidden: Whether no help tells of it.
        commands: Those that take it.
        scales: What the forecast of an evaluation is multiplied by (`calls`) or what its time is
            divided by (`workers`) when this is a number.
    """

    flag: str
    help: str
    group: str = "run"
    kept: Kept = "start"
    metavar: str | tuple[str, ...] | None = None
    parse: Callable[[str], Any] | None = None
    choices: tuple[str, ...] = ()
    kind: Kind = "value"
    const: Any = None
    default: Any = Unset.FIELD
    default_text: str | None = None
    finish: Callable[[Any], Any] | None = None
    aliases: tuple[str, ...] = ()
    dest: str = ""
    common: tuple[Command, ...] = ()
    hidden: bool = False
    commands: tuple[Command, ...] = LAUNCHES
    scales: Literal["", "calls", "workers"] = ""

    @property
    def name(self) -> str:
        """Its name among the parsed arguments."""
        return self.dest or self.flag.lstrip("-").replace("-", "_")


class Declared(NamedTuple):
    """An option and the field that declares it.

    Attributes:
        field: Name of the field; that of a record within a record stands behind a dot.
        option: The declaration.
        type: Type of the field.
        default: The field's default; `msgspec.NODEFAULT` if it has none.
    """

    field: str
    option: Option
    type: Any
    default: Any

    @property
    def required(self) -> bool:
        """True if a command line must have it."""
        return self.option.default is Unset.FIELD and self.default is msgspec.NODEFAULT

    @property
    def unsaid(self) -> Any:
        """Value among the parsed arguments where it is not given."""
        return self.default if self.option.default is Unset.FIELD else self.option.default

    def of(self, record: msgspec.Struct) -> Any:
        """Its value in a record."""
        value: Any = record
        for name in self.field.split("."):
            value = getattr(value, name)
        return value


@lru_cache
def declared(record: type[msgspec.Struct]) -> tuple[Declared, ...]:
    """The options that the fields of a record declare, those of records within it included."""
    return tuple(_declared(record))


def scale(record: msgspec.Struct, what: Literal["calls", "workers"]) -> int:
    """Return what the options of a record multiply a forecast of evaluation by."""
    return prod(o.of(record) for o in declared(type(record)) if o.option.scales == what)


def inner_record(kind: Any) -> type[msgspec.Struct] | None:
    """Return the record that a field without an option of its own holds; None for anything else."""
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def _declared(record: type[msgspec.Struct]) -> Iterator[Declared]:
    for field in msgspec.structs.fields(record):
        kind, metadata = field.type, list[Any]()
        if get_origin(kind) is Annotated:
            kind, *metadata = get_args(kind)
        option = next((data for data in metadata if isinstance(data, Option)), None)
        if option is not None:
            factory = field.default_factory
            default = field.default if factory is msgspec.NODEFAULT else factory()
            yield Declared(field.name, _completed(option, kind, default), kind, default)
        elif inner := inner_record(kind):
            for below in declared(inner):
                yield below._replace(field=f"{field.name}.{below.field}")


def _completed(option: Option, kind: Any, default: Any) -> Option:
    """Return an option that says what follows from the type of its field, too."""
    if kind is bool and option.kind == "value":
        return msgspec.structs.replace(option, kind="switch", const=not default)
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    named, *others = [part for part in members if part not in (NoneType, UnsetType)]
    if get_origin(named) is Literal and not others and option.parse is None:
        return msgspec.structs.replace(option, choices=get_args(named))
    is_read = named in (Path, float) and option.parse is None
    return msgspec.structs.replace(option, parse=named) if is_read else option
