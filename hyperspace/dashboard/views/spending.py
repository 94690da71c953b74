"""What a run spent: over time, by agent, purpose, model, provider; limits; where it leads."""

from collections.abc import Iterator
from typing import Any

from hyperspace.dashboard.api.spending import RunSpending, spending
from hyperspace.dashboard.pages.time_svg import time_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View


def render(question: Question) -> PageContent:
    """Show the spending of a run."""
    run = spending(question)
    limits = run.limits
    limited = [
        "" if limits.usd is None else f"${limits.usd:,.2f}",
        "" if limits.tokens is None else f"{limits.tokens:,} tokens",
        "" if limits.hours is None else f"{limits.hours:g} hours of work",
    ]
    values: dict[str, Any] = {
        "run": run,
        "limits": [*filter(None, limited)],
        "curves": [*_curves(run)],
    }
    return PageContent("Spending", "spending.html", values)


def _curves(run: RunSpending) -> Iterator[tuple[str, str]]:
    """Yield each curve with its caption; none before two calls are settled."""
    moments = run.moments
    if len(moments) < 2:
        return
    times_s = [moment.at_s for moment in moments]
    usd, tokens = [each.usd for each in moments], [float(each.tokens) for each in moments]
    if any(usd):
        yield time_svg(times_s, usd, run.limits.usd), "US dollars spent over time (UTC)"
    limit = None if run.limits.tokens is None else float(run.limits.tokens)
    yield time_svg(times_s, tokens, limit), "Tokens sent and received over time (UTC)"


VIEW = View("spending", "/runs/{run}/spending", render, label="Spending", of="ours")
