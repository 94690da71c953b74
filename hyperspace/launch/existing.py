"""The run that exists where one is asked for: its options, its budgets."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

import msgspec

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import RunConfig, read_record, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.run_not_found import RECORD
from hyperspace.launch.trust import load_domain
from hyperspace.options.launch import AnyOptions
from hyperspace.options.option import Declared, declared
from hyperspace.tasks.base import Domain


def options_of(run: Path, kind: type[AnyOptions], **now: Any) -> AnyOptions:
    """Return the options that a run was started with, read from its folder.

    Args:
        run: The run folder.
        kind: Options of the run's kind.
        **now: Fields that have another value from now on.

    Raises:
        RunUsageError: There is no run in this folder, or its record holds what no command line
            can ask for; names it.
    """
    record = read_record_of(run)
    config = record.configuration
    fields = {*kind.__struct_fields__}
    values: dict[str, Any] = {"names": config.agents, "run": run, "command": record.command}
    values |= {name: getattr(config, name) for name in fields & {*RunConfig.__struct_fields__}}
    values["eval_repeats"] = config.repeats
    kept = (config.options or {}) | record.options | msgspec.structs.asdict(record)
    for option in declared(kind):
        try:
            if option.field in kept:
                values[option.field] = msgspec.convert(
                    kept[option.field], option.type, dec_hook=lambda to, value: to(value)
                )
            if option.field not in now:
                _require_parsed(option, values.get(option.field))
        except (ValueError, ArgumentTypeError) as error:
            raise RunUsageError(
                f"{run / RECORD} cannot be gone on with: {option.field}: {error}; restore it from "
                "a copy or an export of the run"
            ) from error
    if "generations" in now:
        values["fleet"] = config.fleet_lasting(now["generations"])
    return kind(**values | now)


def _require_parsed(option: Declared, value: Any) -> None:
    """Hold a recorded value against the option's own parser; raises what that raises."""
    if option.option.parse is not None and isinstance(value, int | float | str):
        option.option.parse(str(value))


def with_existing_budgets(options: AnyOptions, domain: Domain | None = None) -> AnyOptions:
    """The options, with the budgets of the run that is there; as they are where none is.

    For a command line that names no number: a run that is finished is then not made longer just
    because a default is another number.

    Args:
        options: As asked for.
        domain: The task, if it is loaded already.

    Raises:
        DomainError: The domain or its data cannot be used.
        RunUsageError: The folder holds something that is no run of this version.
    """
    domain = domain or load_domain(options)
    record = RunFolder(options.folder(domain)).record
    if not record.is_file():
        return options
    config = read_record(record).configuration
    return msgspec.structs.replace(options, generations=config.generations, fleet=config.fleet)
