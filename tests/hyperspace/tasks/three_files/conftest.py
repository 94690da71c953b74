from pathlib import Path

import pytest

CONFIG = """
name = "reach"
metric = "sum of squares"
higher_is_better = true
perfect_score = 200
timeout = 5
prompt = "Write numbers() so that the sum of their squares is near 200; see $HOME and {braces}."
"""
SOLUTION = '''"""Some numbers."""

NUMBERS = [3, 4, 5]


def numbers():
    return NUMBERS
'''
BENCHMARK = """
import importlib.util
import sys
from limits import LARGEST

spec = importlib.util.spec_from_file_location("solution", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
total = sum(n * n for n in module.numbers())
print("sum of squares: 1")
print(f"sum of squares:{total if total <= LARGEST else float('nan')}")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "a+b" / "reach"
    folder.mkdir(parents=True)
    for name, text in {
        "config.toml": CONFIG,
        "initial_solution.py": SOLUTION,
        "benchmark.py": BENCHMARK,
        "limits.py": "LARGEST = 1_000_000\n",
    }.items():
        (folder / name).write_text(text)
    return folder
