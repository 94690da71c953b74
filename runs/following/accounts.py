"""What a run has spent, from its ledger and its limits as another process writes them."""

from agents.spending.budget import SpendingState
from agents.spending.ledger_file import LedgerDamaged
from agents.spending.ledger_lines import ReservedCall
from agents.spending.ledger_tail import LedgerTail
from evolution.errors import RunDamaged
from evolution.state.folder import RunFolder
from evolution.state.terms import read_terms
from runs.following.events import BudgetChanged
from runs.spent import Spent, of_total


class Accounts:
    """Adds a ledger up as it grows.

    Attributes:
        is_behind: Whether the last look left lines unread.
    """

    def __init__(self, folder: RunFolder, agents: tuple[str, ...]) -> None:
        self._folder = folder
        self._agents = agents
        self._tail = LedgerTail(folder.ledger)
        self._budget = SpendingState()
        self._latest = ""
        self._told: BudgetChanged | None = None

    @property
    def is_behind(self) -> bool:
        """True if the last look left lines unread."""
        return self._tail.is_behind

    def look(self) -> BudgetChanged | None:
        """Return what the run has spent by now; None if that was told before.

        Raises:
            RunDamaged: The ledger holds what this version did not write.
        """
        try:
            for line in self._tail.look():
                self._budget.take(line)
                if isinstance(line, ReservedCall):
                    self._latest = f"{line.agent} gen {line.generation} {line.purpose}"
        except LedgerDamaged as error:
            raise RunDamaged(str(error)) from error
        now = self._sums()
        if now == self._told:
            return None
        self._told = now
        return now

    def _sums(self) -> BudgetChanged:
        budget = self._budget
        open_ = budget.reserved.values()
        unpriced = any(line.cost_usd is None for line in open_)
        reserved_usd = None if unpriced else float(budget.reserved_usd())
        return BudgetChanged(
            spent=of_total(budget.spent),
            reserved=Spent(len(open_), budget.reserved_tokens(), reserved_usd),
            by={agent: of_total(budget.of(agent)) for agent in self._agents},
            worked_s=round(budget.worked_s, 3),
            limits=read_terms(self._folder.terms).limits,
            latest=self._latest,
        )
