"""What a run spent: over time, by agent, purpose, model, provider; limits; where it leads."""

from collections.abc import Iterator, Sequence

from hyperspace.dashboard.api.spending import RunForecast, RunSpending, SpentBy, spending
from hyperspace.dashboard.pages.facts import facts
from hyperspace.dashboard.pages.parts import named
from hyperspace.dashboard.pages.run_cells import duration_text, usd_text
from hyperspace.dashboard.pages.time_svg import time_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.launch.forecast import Amount
from hyperspace.reporting.lines import counted
from hyperspace.reporting.page import Markup, figure, note, paragraph, section, table

SUMS = ("calls", "tokens sent", "received", "of them reasoning", "cached", "money")


def render(question: Question) -> PageContent:
    """Show the spending of a run."""
    run = spending(question)
    parts = [*([note(run.problem)] if run.problem else []), _standing(run), *_curves(run)]
    parts.append(_by("Agents", ("agent", "purpose"), run.by_agent))
    parts.append(_by("Models", ("model", "provider"), run.by_model))
    if run.forecast is not None:
        parts.append(section("Forecast and fact", _forecast(run.forecast)))
    return glued("Spending", tuple(parts), wide=True)


def _standing(run: RunSpending) -> Markup:
    limits, rate = run.limits, run.at_this_rate
    limited = [
        "" if limits.usd is None else f"${limits.usd:,.2f}",
        "" if limits.tokens is None else f"{limits.tokens:,} tokens",
        "" if limits.hours is None else f"{limits.hours:g} hours of work",
    ]
    total = run.total
    rows = [
        ("spent", f"{counted(total.calls, 'call')}, {total.tokens:,} tokens, {usd_text(total)}"),
        ("work", duration_text(run.worked_s)),
        ("limits", ", ".join(filter(None, limited)) or "none"),
        (
            "in flight",
            f"{counted(run.in_flight, 'call')}: at most {run.reserved_tokens:,} tokens, "
            f"${run.reserved_usd:,.2f}"
            if run.in_flight
            else "no call",
        ),
    ]
    if rate is not None:
        usd = "money unknown" if rate.usd is None else f"${rate.usd:,.2f}"
        rows.append(
            (
                "at this rate",
                f"{rate.calls:,} calls, {rate.tokens:,} tokens, {usd}, "
                f"{duration_text(rate.worked_s)} of work in the end "
                f"({rate.closed} of {rate.planned} generations are closed)",
            )
        )
    return facts(rows)


def _curves(run: RunSpending) -> Iterator[Markup]:
    moments = run.moments
    if len(moments) < 2:
        yield paragraph("No curve yet: fewer than two calls were settled.")
        return
    times_s = [moment.at_s for moment in moments]
    usd, tokens = [each.usd for each in moments], [float(each.tokens) for each in moments]
    if any(usd):
        yield figure(time_svg(times_s, usd, run.limits.usd), "US dollars spent over time (UTC)")
    limit = None if run.limits.tokens is None else float(run.limits.tokens)
    yield figure(time_svg(times_s, tokens, limit), "Tokens sent and received over time (UTC)")


def _by(title: str, names: tuple[str, str], rows: Sequence[SpentBy]) -> Markup:
    cells: list[tuple[str, ...]] = []
    for row in rows:
        total = row.total
        numbers = (
            total.calls,
            total.prompt_tokens,
            total.completion_tokens,
            total.reasoning_tokens,
            total.cached_tokens,
        )
        by = (named(getattr(row, name) or "-") for name in names)
        cells.append((*by, *(f"{number:,}" for number in numbers), usd_text(total)))
    return table((*names, *SUMS), cells, caption=title, numeric=range(2, 2 + len(SUMS)))


def _forecast(forecast: RunForecast) -> Markup:
    levels = ("low", "expected", "high", "fact")
    rows: list[tuple[str, ...]] = []
    for level in levels:
        amount: Amount = getattr(forecast, level)
        usd = "unknown" if amount.usd is None else f"${amount.usd:,.2f}"
        numbers = (amount.calls, amount.prompt_tokens, amount.completion_tokens)
        told = (f"{number:,}" for number in numbers)
        rows.append((level, *told, usd, duration_text(amount.seconds)))
    headings = ("", "calls", "tokens sent", "received", "money", "time")
    return table(
        headings, rows, caption="Before it began, and what it came to", numeric=range(1, 6)
    )


VIEW = View("spending", "/runs/{run}/spending", render, label="Spending", of="ours")
