"""Pictures as SVG by templates: what is drawn is computed, how it looks stands in the template."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from markupsafe import Markup

from hyperspace.reporting.rendering import Templates

MOST_ROWS: Final = 5_000  # of the numbers of one plot
_TEMPLATES: Final = Templates("hyperspace.dashboard")


def drawn(template: str, /, **values: Any) -> Markup:
    """Return a picture."""
    return Markup(_TEMPLATES.render(template, **values))  # noqa: S704  # what a template made


def numbers_of(headings: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> str:
    """Return the numbers of a plot, which a script saves as CSV.

    Args:
        headings: Names of the columns.
        rows: Where there are too many, some are left out evenly.
    """
    every = max(1, -(-len(rows) // MOST_ROWS))
    return msgspec.json.encode([headings, *rows[::every]]).decode()
