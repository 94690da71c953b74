"""From launch options to what a run has on record of them."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import content_sha256
from hyperspace.kernel.state.config import RunConfig, RunRecord
from hyperspace.options.launch import LaunchOptions
from hyperspace.options.option import declared
from hyperspace.options.solo import SoloTerms

HASHED: Final = {"data", "initial", "start"}  # options whose content has a hash of its own


def config_of(options: LaunchOptions, data_sha256: str) -> RunConfig:
    """Return what decides the result of a run that is asked for, but for its first code.

    Args:
        options: As asked for.
        data_sha256: Hash of the domain's inputs and labels.

    Raises:
        RunUsageError: A diagnosis would show what agents are not to see; lanes for turns.
    """
    fields = set(RunConfig.__struct_fields__)
    values = {name: getattr(options, name) for name in fields & {*options.__struct_fields__}}
    solo: SoloTerms | None = values.get("solo")
    if solo and solo.diagnosis and options.visible.train != "full":
        raise RunUsageError(
            f"the arm {solo.arm} shows a failed example of train with its answer, and "
            f"--visible says train={options.visible.train}; use train=full or another arm"
        )
    if options.lanes is not None and options.fleet and options.fleet.schedule != "concurrent":
        raise RunUsageError(
            f"--lanes {options.lanes}: the agents of this fleet take turns; leave it out, or say "
            'schedule = "concurrent" in the fleet\'s file'
        )
    later = dict(_later(options, fields))
    values["eval_repeats"] = UNSET if options.eval_repeats == 1 else options.eval_repeats
    try:
        return RunConfig(
            kind=options.kind,
            agents=options.agents(),
            data_sha256=data_sha256,
            options=later or UNSET,
            **values,
        )
    except ValueError as error:
        raise RunUsageError(f"{error}; give its model another one") from error


def recorded(options: LaunchOptions) -> dict[str, Any]:
    """Return what run_config.json holds of options beside the configuration, by field name."""
    return {
        option.field: _plain(option.of(options))
        for option in declared(type(options))
        if option.option.kept == "record"
        or option.field in RunRecord.__struct_fields__
        or (option.option.kept == "content" and option.field.partition(".")[0] not in HASHED)
    }


def _later(options: LaunchOptions, fields: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield what is not its default of the options that decide the result and have no field."""
    for option in declared(type(options)):
        value, record = option.of(options), option.field.partition(".")[0]
        if option.option.kept == "limits" and record != "terms":
            raise TypeError(f"{option.option.flag}: what is kept as limits is a field of Spending")
        if record in fields | HASHED or value == option.default:
            continue
        if option.option.kept == "identity":
            yield option.field, _plain(value)
        elif option.option.kept == "content":
            try:
                yield option.field, content_sha256(value)
            except OSError as error:
                raise RunUsageError(f"{option.option.flag} {value}: {error.strerror}") from error


def _plain(value: Any) -> Any:
    """Return a value as the record's JSON gives it back."""
    return msgspec.json.decode(
        msgspec.json.encode(value, enc_hook=lambda path: str(path.resolve()))
    )
