"""Links to pages of a dashboard that runs."""

import sys
from collections.abc import Sequence
from pathlib import Path


def tell_page(runs: Sequence[Path]) -> None:
    """Print on standard error where a live dashboard shows runs; nothing if none does."""
    address = page_address(runs)
    if address is not None:
        print(f"in the dashboard: {address}", file=sys.stderr)


def page_address(runs: Sequence[Path]) -> str | None:
    """Return the address of a run's page in a live dashboard, of several that of their list."""
    from hyperspace.dashboard.pidfile import live_dashboards

    for live in live_dashboards():
        pages = [live.page_of(run) for run in runs]
        if pages and None not in pages:
            return pages[0] if len(pages) == 1 else live.url
    return None
