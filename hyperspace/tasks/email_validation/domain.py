"""Builds the e-mail domain from its specification, its generator and its seed."""

from collections.abc import Mapping
from typing import Any, Self

from hyperspace.tasks.email_validation.cases import INVALID, VALID, Cases
from hyperspace.tasks.email_validation.oracle import Profile, broken_rule, skeleton
from hyperspace.tasks.options import RowsSeed, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.cases import CaseMalformed, OracleAnswer
from hyperspace.tasks.shapes.renewable import Epochs
from hyperspace.tasks.table import TableDomain

_NAME = "email_validation"


class EmailOptions(Profile, frozen=True, forbid_unknown_fields=True):
    """The options of `email_validation`: the switches of the profile, and the seed of the rows."""

    rows_seed: RowsSeed = 1


class EmailValidation(TableDomain):
    """Valid or invalid, by the oracle; validation addresses can be drawn afresh."""

    answers = (INVALID, VALID)

    def __init__(self, options: EmailOptions) -> None:
        self.options = options
        cases = Cases(options.rows_seed, options)
        self._epochs = Epochs(cases.epochs)
        super().__init__(
            _NAME,
            cases.splits,
            smoke_inputs={"address": "someone@mail.example"},
            calls_model=False,
            seed_files=seed_files(_NAME),
            task_files=task_files(_NAME),
        )

    def renewed(self, epoch: int) -> Self:
        """The same task with the validation addresses of another epoch; see `Renewable`."""
        return self.with_rows({"val": self._epochs.of(epoch)})

    def judge(self, address: str) -> tuple[str, str]:
        """Return the label of any address and the rule that it breaks; "" if none."""
        rule = broken_rule(address, self.options)
        return (INVALID if rule else VALID), rule

    def normal_form(self, inputs: Mapping[str, Any]) -> str:
        """The address with letters and digits in place of which they are; see `HasOracle`."""
        address = inputs.get("address")
        if set(inputs) != {"address"} or not isinstance(address, str):
            raise CaseMalformed('inputs are {"address": TEXT} and nothing else')
        return skeleton(address)

    def decide(self, inputs: Mapping[str, Any]) -> OracleAnswer:
        """The label by the oracle; the kind is the rule that is broken, or `valid`."""
        label, rule = self.judge(inputs["address"])
        return OracleAnswer(label, rule or VALID)


make = generated(_NAME, EmailOptions)(EmailValidation)
