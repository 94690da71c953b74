"""What a set of levels will take, before anything is played."""

from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from hyperspace.cli.commands.levels.planning import LevelMember
from hyperspace.cli.launching import forecast_of
from hyperspace.cli.printing.forecasts import print_forecast
from hyperspace.launch.forecast import LEVELS, Forecast, Part, together
from replication.level_comparison.names import SHUFFLED

Amounts = TypeVar("Amounts", Forecast, Part)
_FEEDBACK: Final = "feedback"


def print_level_forecast(members: Sequence[LevelMember], *, shuffles: bool, as_json: bool) -> int:
    """Print what a set will take, a part for each level of each task.

    Args:
        members: Its runs that wait for no other.
        shuffles: Whether workers with shuffled advice play, too: they take what those with their
            own advice take.
        as_json: Whether to print one JSON object.
    """
    alike: dict[str, list[LevelMember]] = {}
    for member in members:
        alike.setdefault(member.kind, []).append(member)
    forecasts: dict[str, Forecast] = {}
    for kind, runs in alike.items():
        taken = _times(forecast_of(runs[0].options), len(runs))
        forecasts[f"{len(runs)} x {kind}"] = taken
        if shuffles and kind.endswith(f" {_FEEDBACK}"):
            forecasts[f"{len(runs)} x {kind.removesuffix(_FEEDBACK)}{SHUFFLED}"] = taken
    print_forecast(together(forecasts), as_json=as_json)
    return 0


def _times(forecast: Forecast, number: int) -> Forecast:
    """Return the forecast of so many runs, one after another."""
    parts = tuple(_multiplied(part, number) for part in forecast.parts)
    return _multiplied(msgspec.structs.replace(forecast, parts=parts), number)


def _multiplied(amounts: Amounts, number: int) -> Amounts:
    levels = {level: getattr(amounts, level).times(number) for level in LEVELS}
    return msgspec.structs.replace(amounts, **levels)
