"""Whatever happens in whatever order, spent plus reserved never passes a limit."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hyperspace.messages import Usage
from hyperspace.models.base import LimitReached
from hyperspace.spending.budget import Bound, SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account

LIMITS = SpendingLimits(tokens=1000, usd=1.0)
ACCOUNT = Account("a", 1, "modify", "modify//0", "m")
USD_A_TOKEN = st.sampled_from([0.0, 0.0005, 0.003])  # so that now one limit binds, now the other
FEW = st.integers(0, 120)
PART = st.floats(0, 1)


class _Reserved(NamedTuple):
    prompt: int
    completion: int
    usd: float

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion


class SpendingMachine(RuleBasedStateMachine):
    """A ledger under reserve, settle, release, lose, and kill with or without a torn line.

    Beside it stands a plain count of what is reserved and spent, kept by the test.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "ledger.jsonl"
        self.ledger = Ledger(self.path, LIMITS)
        self.in_flight: dict[str, _Reserved] = {}
        self.lost_tokens = 0
        self.spent_tokens = 0

    def teardown(self) -> None:
        self.ledger.close()
        self.folder.cleanup()

    @rule(prompt=FEW, completion=FEW, usd=USD_A_TOKEN)
    def reserve(self, prompt: int, completion: int, usd: float) -> None:
        bound = Bound(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost_usd=(prompt + completion) * usd,
        )
        with contextlib.suppress(LimitReached):
            number = self.ledger.try_reserve(ACCOUNT, bound)
            if number is not None:
                assert number not in self.in_flight
                self.in_flight[number] = _Reserved(prompt, completion, usd)

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data(), sent=PART, received=PART)
    def settle(self, data: Any, sent: float, received: float) -> None:
        number, (prompt, completion, usd) = self._pick(data)
        usage = Usage(int(prompt * sent), int(completion * received))
        tokens = usage.prompt_tokens + usage.completion_tokens
        self.ledger.settle(number, usage, tokens * usd)
        self.spent_tokens += tokens

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data())
    def release(self, data: Any) -> None:
        self.ledger.release(self._pick(data)[0])

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data())
    def lose(self, data: Any) -> None:
        number, reserved = self._pick(data)
        self.ledger.lose(number)
        self.lost_tokens += reserved.tokens

    @rule(torn=st.binary(max_size=40))
    def kill_and_start_again(self, torn: bytes) -> None:
        content = self.path.read_bytes()
        self.ledger.close()
        self.path.write_bytes(content + torn.replace(b"\n", b""))
        self.ledger = Ledger(self.path, LIMITS)
        self.lost_tokens += self._reserved_tokens()
        self.in_flight = {}

    def _reserved_tokens(self) -> int:
        return sum(reserved.tokens for reserved in self.in_flight.values())

    def _pick(self, data: Any) -> tuple[str, _Reserved]:
        number = data.draw(st.sampled_from(sorted(self.in_flight)))
        return number, self.in_flight.pop(number)

    @invariant()
    def the_sums_are_those_of_a_plain_count(self) -> None:
        reserved = self.lost_tokens + self._reserved_tokens()
        assert self.ledger.budget.reserved_tokens() == reserved
        assert self.ledger.budget.spent.tokens == self.spent_tokens

    @invariant()
    def no_limit_is_passed(self) -> None:
        budget = self.ledger.budget
        assert budget.spent.tokens + budget.reserved_tokens() <= 1000
        assert budget.spent.cost_usd + budget.reserved_usd() <= 1.0 + 1e-9


SpendingMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
test_spending = SpendingMachine.TestCase
