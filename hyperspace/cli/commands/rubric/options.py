"""Options of `hyperspace rubric`."""

from typing import Annotated

import msgspec

from hyperspace.options.option import Option
from hyperspace.options.spending import Spending


class RubricOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Who drafts, and what that may take."""

    model: Annotated[
        str,
        Option(
            "--model",
            "the model that drafts",
            metavar="M",
            commands=("rubric",),
            common=("rubric",),
        ),
    ]
    terms: Spending = Spending()
