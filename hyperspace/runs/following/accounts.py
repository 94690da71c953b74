"""The ledger of a run that is followed, added up as it grows."""

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.terms import read_terms
from hyperspace.runs.following.events import BudgetChanged
from hyperspace.runs.following.ledger import LedgerTail
from hyperspace.runs.spent import Spent, of_total
from hyperspace.spending.budget import SpendingState
from hyperspace.spending.ledger_file import LedgerDamaged
from hyperspace.spending.ledger_lines import Line, ReservedCall


class Accounts:
    """Adds a ledger up as it grows."""

    def __init__(self, folder: RunFolder, agents: tuple[str, ...]) -> None:
        self._folder = folder
        self.agents = agents
        self.tail = LedgerTail(folder.ledger)
        self._budget = SpendingState()
        self._latest = ""
        self._told: BudgetChanged | None = None

    def look(self) -> BudgetChanged | None:
        """Return what the run has spent by now; None if that was told before.

        Raises:
            RunDamaged: The ledger holds what this version did not write.
        """
        try:
            lines = next(self.tail.look(), list[Line]())
        except (LedgerDamaged, OSError) as error:
            raise RunDamaged(str(error)) from error
        self._budget.take(lines)
        for line in lines:
            if isinstance(line, ReservedCall):
                self._latest = f"{line.agent} gen {line.generation} {line.purpose}"
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
            by={agent: of_total(budget.of(agent)) for agent in self.agents},
            worked_s=round(budget.worked_s, 3),
            limits=read_terms(self._folder.terms).limits,
            latest=self._latest,
        )
