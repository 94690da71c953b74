"""docs/reference/offline-models.md names every policy, option, range and default."""

import inspect

import pytest

from hyperspace.offline.catalog import POLICIES, NumberOption, WordOption
from hyperspace.offline.true_action import Act
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "reference" / "offline-models.md").read_text("utf-8")
IN_TABLES = [name for name in POLICIES if name not in ("tinker", "magpie", "grader")]


def row(policy: str) -> str:
    """The table row of a policy."""
    return next(line for line in TEXT.splitlines() if line.startswith(f"| `{policy}` |"))


@pytest.mark.parametrize("policy", IN_TABLES)
def test_every_option_stands_with_its_range_and_default(policy: str) -> None:
    entry = POLICIES[policy]
    defaults = inspect.signature(entry.make).parameters
    assert set(defaults) == set(entry.options)
    for name, option in entry.options.items():
        if isinstance(option, NumberOption):
            shown = f"{option.low:.15g} to {option.high:.15g}"
        else:
            assert isinstance(option, WordOption)
            shown = ", ".join(option.words)
        default = defaults[name].default
        assert f"`{name}` {shown}{'' if default == '' else f' ({default})'}" in row(policy)


def test_hostile_policies_are_called_so() -> None:
    for policy in IN_TABLES:
        assert ("**hostile**" in row(policy)) == POLICIES[policy].hostile


def test_acts_in_the_table_exist() -> None:
    acts = set(Act.__args__)
    personas = TEXT[TEXT.index("## Personas") : TEXT.index("A hostile policy is refused")]
    rows = [line for line in personas.splitlines() if line.startswith("| `")]
    named = {word for line in rows for word in line.split("|")[-2].split("`")[1::2]}
    assert named <= acts
    assert {"adopt", "recombine", "inspire", "probe", "recover"} <= named
