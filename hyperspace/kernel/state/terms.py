"""On which terms a run may spend, and where it ends. They decide no generation: they may change.

What a start does not say holds on from the start before, so that a resume never spends more than
the person allowed last; `limits.json` in the run folder is where it is kept.
"""

from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunUsageError
from hyperspace.options.spending import Spending
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.prices import PriceTable, read_prices

FORMAT: Final = 1


class EndTerms(NamedTuple):
    """Where a run ends before its last generation.

    Attributes:
        target_score: Validation score that the best of an agent has then; None for no such end.
        patience: Generations in a row in which no agent has a new best then; None for no such end.
    """

    target_score: float | None = None
    patience: int | None = None


class Terms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms in force; the content of limits.json.

    Attributes:
        limits: What the run may take in all.
        prices: Absolute path of the person's price table; None for the one that comes along.
        allow_unknown_price: Whether models without a known price count as free of charge.
        target_score: See `EndTerms`; not set (and absent from the file) where none was ever named.
        patience: See `EndTerms`; as the field before.
        format: Version of this record.
    """

    limits: SpendingLimits = SpendingLimits()
    prices: str | None = None
    allow_unknown_price: bool = False
    target_score: float | UnsetType | None = UNSET
    patience: int | UnsetType | None = UNSET
    format: int = FORMAT

    @property
    def end(self) -> EndTerms:
        """Where the run ends before its last generation."""
        return EndTerms(
            None if self.target_score is UNSET else self.target_score,
            None if self.patience is UNSET else self.patience,
        )

    def table(self) -> PriceTable:
        """The prices.

        Raises:
            PriceTableError: The person's table cannot be read.
        """
        return read_prices(None if self.prices is None else Path(self.prices))

    @property
    def need_prices(self) -> bool:
        """True if every model must have a known price."""
        return self.limits.usd is not None and not self.allow_unknown_price


def terms_in_force(requested: Spending, before: Terms) -> Terms:
    """Return the terms in force when something is asked of a run that had others."""
    said = {name: value for name, value in asdict(requested).items() if value is not UNSET}
    limits = {name: said.pop(name) for name in SpendingLimits.__struct_fields__ if name in said}
    if "prices" in said:
        said["prices"] = str(said["prices"].resolve())
    return replace(before, limits=replace(before.limits, **limits), **said)


def read_terms(path: Path) -> Terms:
    """Read limits.json; a run that has none had no limits.

    Raises:
        RunUsageError: It is of another version or was damaged.
    """
    if not path.is_file():
        return Terms()
    try:
        terms = decode_json(read_whole(path), Terms)
    except (Unreadable, msgspec.MsgspecError) as error:
        raise RunUsageError(
            f"{path} holds no limits that this version can read ({error}); "
            "delete it and name the limits on the command line"
        ) from error
    if terms.format != FORMAT:
        raise RunUsageError(f"{path} has format {terms.format} and this version reads {FORMAT}")
    return terms
