"""Token budgets: what an agent may consume over its life, and what it has consumed."""

from enum import StrEnum

import msgspec


class BudgetStatus(StrEnum):
    """Result of a budget check; warnings come once per dimension."""

    OK = "ok"
    WARNING_INPUT = "warning_input"
    WARNING_OUTPUT = "warning_output"
    EXHAUSTED_INPUT = "exhausted_input"
    EXHAUSTED_OUTPUT = "exhausted_output"


class TokenBudget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ceilings in tokens; None means no ceiling.

    Attributes:
        max_input_tokens_per_round: For the caller to pass to `read(max_tokens=)`.
        max_output_tokens_per_round: For the caller to pass to its model.
        max_input_tokens_total: Over the agent's life.
        max_output_tokens_total: Over the agent's life.
        warning_fraction: Share of a total at which a warning is due, between 0 and 1.
    """

    max_input_tokens_per_round: int | None = None
    max_output_tokens_per_round: int | None = None
    max_input_tokens_total: int | None = None
    max_output_tokens_total: int | None = None
    warning_fraction: float = 0.8

    def __post_init__(self) -> None:
        if not 0 < self.warning_fraction < 1:
            raise ValueError(f"warning_fraction={self.warning_fraction!r} must lie within (0, 1)")
        for field in self.__struct_fields__[:4]:
            ceiling = getattr(self, field)
            if ceiling is not None and ceiling < 0:
                raise ValueError(f"{field}={ceiling!r} must not be negative")


class BudgetTracker(msgspec.Struct):
    """Tokens that one agent has consumed. Consumption never decreases.

    Attributes:
        total_input_consumed: Input tokens so far.
        total_output_consumed: Output tokens so far.
        warning_emitted_input: Whether the input warning has been given.
        warning_emitted_output: Whether the output warning has been given.
        exhausted: Whether a ceiling was reached and not raised since.
    """

    total_input_consumed: int = 0
    total_output_consumed: int = 0
    warning_emitted_input: bool = False
    warning_emitted_output: bool = False
    exhausted: bool = False

    def record_input(self, tokens: int) -> None:
        """Add input tokens; a negative number raises ValueError."""
        self.total_input_consumed += count(tokens)

    def record_output(self, tokens: int) -> None:
        """Add output tokens; a negative number raises ValueError."""
        self.total_output_consumed += count(tokens)

    def check_lifetime(self, budget: TokenBudget) -> BudgetStatus:
        """Return the first due status; a warning comes before exhaustion and only once."""
        fraction = budget.warning_fraction
        spent_in, limit_in = self.total_input_consumed, budget.max_input_tokens_total
        spent_out, limit_out = self.total_output_consumed, budget.max_output_tokens_total
        if not self.warning_emitted_input and reached(spent_in, limit_in, fraction):
            self.warning_emitted_input = True
            return BudgetStatus.WARNING_INPUT
        if not self.warning_emitted_output and reached(spent_out, limit_out, fraction):
            self.warning_emitted_output = True
            return BudgetStatus.WARNING_OUTPUT
        if not self._at_a_ceiling(budget):
            return BudgetStatus.OK
        self.exhausted = True
        on_input = reached(spent_in, limit_in)
        return BudgetStatus.EXHAUSTED_INPUT if on_input else BudgetStatus.EXHAUSTED_OUTPUT

    def is_exhausted(self, budget: TokenBudget) -> bool:
        """Return whether a ceiling is reached; it stays so until `try_clear_exhaustion`."""
        if not self.exhausted:
            self.exhausted = self._at_a_ceiling(budget)
        return self.exhausted

    def try_clear_exhaustion(self, budget: TokenBudget) -> bool:
        """Clear exhaustion if consumption lies strictly below every ceiling; say whether."""
        if self._at_a_ceiling(budget):
            return False
        self.exhausted = False
        return True

    def _at_a_ceiling(self, budget: TokenBudget) -> bool:
        return reached(self.total_input_consumed, budget.max_input_tokens_total) or reached(
            self.total_output_consumed, budget.max_output_tokens_total
        )


def count(tokens: int) -> int:
    """Return a number of tokens; a negative one raises ValueError."""
    if tokens < 0:
        raise ValueError(f"{tokens} tokens: a consumption is never negative")
    return tokens


def reached(spent: int, ceiling: int | None, fraction: float = 1.0) -> bool:
    """Return whether `spent` is at or past that fraction of the ceiling."""
    return ceiling is not None and spent >= fraction * ceiling
