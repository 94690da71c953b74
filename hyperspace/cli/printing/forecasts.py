"""A forecast, printed: as JSON, or as a table."""

import sys
from typing import TextIO

from rich.table import Table

from hyperspace.cli.printing.progress import cost_text
from hyperspace.cli.printing.streaming import print_json
from hyperspace.cli.printing.terminal import console
from hyperspace.launch.forecast import Amount, Forecast

_TITLES = ("", "calls", "tokens sent", "tokens received", "cost", "hours")


def print_forecast(forecast: Forecast, *, as_json: bool) -> None:
    """Print a forecast on standard output."""
    if as_json:
        print_json(forecast)
    else:
        print_forecast_table(forecast, sys.stdout)


def print_forecast_table(forecast: Forecast, stream: TextIO) -> None:
    """Print a forecast as a table.

    Args:
        forecast: What to print.
        stream: Where.
    """
    table = Table(title="forecast: no model was asked, nothing was written")
    for title in _TITLES:
        table.add_column(title, justify="right" if title else "left")
    for part in forecast.parts:
        table.add_row(f"{part.agent} {part.work} ({part.model})", *_cells(part.expected))
    table.add_section()
    for name in ("low", "expected", "high"):
        table.add_row(f"all, {name}", *_cells(getattr(forecast, name)))
    out = console(stream)
    out.print(table)
    for name, assumed in forecast.rests_on.items():
        out.print(f"{name}: {assumed}", markup=False, soft_wrap=True)
    out.print(forecast.spread, markup=False, soft_wrap=True)
    for model in forecast.unpriced:
        text = f"no price is known for {model}; give one with --prices FILE.toml"
        out.print(text, markup=False)


def _cells(amount: Amount) -> list[str]:
    return [
        f"{amount.calls:,}",
        f"{amount.prompt_tokens:,}",
        f"{amount.completion_tokens:,}",
        cost_text(amount.usd),
        f"{amount.seconds / 3600:.2f}",
    ]
