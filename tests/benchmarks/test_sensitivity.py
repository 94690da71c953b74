import ast
from pathlib import Path

import pytest

from benchmarks.sensitivity import CONSTANTS, Constant, change, default_of, scaled
from hyperspace.offline.registry import named
from tests.support.paths import ROOT

OPTIONS = [constant for constant in CONSTANTS if not constant.file]
IN_FILES = [constant for constant in CONSTANTS if constant.file]


def name(constant: Constant) -> str:
    return f"{constant.policy}-{constant.name}"


def assigned(path: Path) -> dict[str, str]:
    """What each name of a module stands for, but for functions and classes."""
    statements = ast.parse(path.read_text("utf-8")).body
    return {
        ast.unparse(statement.targets[0]): ast.unparse(statement.value)
        for statement in statements
        if isinstance(statement, ast.Assign)
    }


@pytest.mark.parametrize("constant", IN_FILES, ids=name)
def test_a_constant_is_changed_in_the_copy_and_nothing_else_is(
    constant: Constant, tmp_path: Path
) -> None:
    change(tmp_path, constant, scaled(constant, 4.0))
    before = assigned(ROOT / constant.file)
    after = assigned(tmp_path / constant.file)
    assert ast.literal_eval(before[constant.name]) == default_of(constant)
    assert ast.literal_eval(after.pop(constant.name)) == scaled(constant, 4.0)
    assert scaled(constant, 4.0) != default_of(constant)
    del before[constant.name]
    assert after == before


@pytest.mark.parametrize("constant", OPTIONS, ids=name)
@pytest.mark.parametrize("factor", [0.25, 4.0])
def test_an_option_takes_the_scaled_value(constant: Constant, factor: float) -> None:
    value = scaled(constant, factor)
    policy = named(f"{constant.policy}?{constant.name}={value}")
    assert getattr(policy, constant.name) == value != default_of(constant)


@pytest.mark.parametrize(
    ("policy", "option", "factor", "value"),
    [("tinker", "trials", 0.25, 3), ("tinker", "share", 4.0, 1.0), ("climber", "restarts", 0.1, 1)],
)
def test_whole_numbers_stay_whole_and_options_in_their_range(
    policy: str, option: str, factor: float, value: float
) -> None:
    assert scaled(Constant(policy, option), factor) == value


def test_tables_are_widened() -> None:
    surgery = "hyperspace/offline/inside/surgery.py"
    factors = scaled(Constant("mutator", "FACTORS", surgery), 2.0)
    assert isinstance(factors, tuple)
    assert (factors[0], factors[-1]) == (0.25, 4.0)
    assert scaled(Constant("mutator", "STEPS", surgery), 4.0) == (-4, 4, -8, 8)
