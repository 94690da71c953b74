"""The programs that policies send through a shell, run as a shell runs them."""

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from hyperspace.offline.inside.literals import scaled, slotted
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import seed_files

STEP = """
LIMIT = 0.5
class TaskAgent:
    def __init__(self, model, log_file=""): print("noise")
    def forward(self, inputs):
        print("noise")
        return ("high" if inputs["x"] >= LIMIT else "low"), []
"""


def run(order: Mapping[str, object], folder: Path, *programs: str) -> dict[str, Any]:
    files = resources.files("hyperspace.offline.inside")
    source = "\n\n".join(files.joinpath(f"{name}.py").read_text("utf-8") for name in programs)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-", json.dumps(order)],
        input=source,
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    assert done.stdout.startswith("RESULT ")
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout.removeprefix("RESULT "))


def write_items(folder: Path, *items: tuple[float, str]) -> None:
    lines = [
        json.dumps({"id": str(i), "inputs": {"x": x}, "label": label})
        for i, (x, label) in enumerate(items)
    ]
    (folder / "items.jsonl").write_text("\n".join(lines))


def tune(folder: Path, code: str, **changed: object) -> dict[str, Any]:
    (folder / "code.py").write_text(code)
    order: dict[str, object] = {"code": "code.py", "items": "items.jsonl", "mates": []}
    order |= {"trials": 30, "spread": 0.1, "share": 1.0, "seed": 1}
    return run(order | changed, folder, "literals", "tune_constants")


def test_a_constant_is_moved_until_every_item_is_right(tmp_path: Path) -> None:
    write_items(tmp_path, (0.1, "low"), (0.55, "low"), (0.7, "high"), (0.9, "high"))
    result = tune(tmp_path, STEP)
    assert (result["status"], result["before"], result["after"]) == ("tuned", 3, 4)
    [[line, start, end, old, new]] = result["changes"]
    assert STEP.split("\n")[line - 1][start:end] == "0.5" == str(old)
    assert 0.55 < new <= 0.7


def test_a_firm_constant_lies_away_from_all_items(tmp_path: Path) -> None:
    write_items(tmp_path, (0.499, "low"), (0.7, "high"))
    [[_, _, _, _, new]] = tune(tmp_path, STEP)["changes"]
    assert 0.51 < new < 0.69


@pytest.mark.long
@pytest.mark.parametrize(
    ("literal", "used"),
    [
        ("5", "LIMIT / 10"),
        ('"50%"', "float(LIMIT.strip('%')) / 100"),
        ("' 50.0 %'", "float(LIMIT.strip(' %')) / 100"),
        ("-5", "-LIMIT / 10"),
        ("-0.5", "-LIMIT"),
        ("[0.5, [1.5]]", "LIMIT[0]"),
        ('{"high": (5, 9)}', 'LIMIT["high"][0] / 10'),
        ("{1: 0.5}", "LIMIT[1]"),
        ("0", "0.5 + LIMIT / 10"),
        ("0.0", "0.5 + LIMIT"),
    ],
)
def test_a_number_of_any_kind_is_moved_as_it_is_written(
    tmp_path: Path, literal: str, used: str
) -> None:
    write_items(tmp_path, (0.1, "low"), (0.55, "low"), (0.7, "high"), (0.9, "high"))
    code = STEP.replace("LIMIT = 0.5", f"LIMIT = {literal}").replace(">= LIMIT", f">= {used}")
    result = tune(tmp_path, code)
    assert (result["status"], result["before"], result["after"]) == ("tuned", 3, 4)
    for line, start, end, old, new in result["changes"]:
        assert code.split("\n")[line - 1][start:end] == str(old)
        assert type(old) is type(new)


@pytest.mark.parametrize(
    "text",
    [
        "x = y[1]",
        "x = 'abcdef'[1:-2]",
        "x = [i for i in range(3)]",
        "x = round(y, 2)",
        "__version__ = 1.5",
        "API_VERSION = (1, 2)",
        'x = "1.2.0"',
        'x = "35"',
        "x = 0xFF",
        "x = {1: 'a', -2: 'b'}",
        "i = n\nwhile i > 0:\n    i -= 1",
        "x: tuple[int, 2] = ()",
        "x = True",
        'x = "5%" "0%"',
        'x = "sure: 50%"',
        "import math as m2",
    ],
)
def test_what_is_no_parameter_is_left(text: str) -> None:
    assert slotted(text, ())[1] == []


def test_a_percentage_that_is_a_label_is_left() -> None:
    assert slotted('x = "50%"', {"50%"})[1] == []


def test_a_whole_number_stays_whole_and_moves_by_at_least_one() -> None:
    assert [scaled(value, 1.01) for value in (0, 1, -1, 300)] == [1, 2, -2, 303]
    assert [scaled(value, 0.99) for value in (0, 1, -1, 300)] == [-1, 0, 0, 297]
    assert scaled(7, 1.0) == 7


def test_equal_orders_give_equal_results(tmp_path: Path) -> None:
    write_items(tmp_path, (0.2, "high"), (0.7, "low"))
    assert tune(tmp_path, STEP) == tune(tmp_path, STEP)


def test_mates_with_as_many_constants_are_recombined_with(tmp_path: Path) -> None:
    write_items(tmp_path, (0.1, "low"), (0.3, "high"), (0.4, "high"))
    (tmp_path / "mate.py").write_text(STEP.replace("0.5", "0.2"))
    (tmp_path / "other.py").write_text("A = 1.0\nB = 2.0\n")
    result = tune(tmp_path, STEP, mates=["mate.py", "other.py", "absent.py"], spread=0.0)
    assert result["after"] == 3
    [[number, percent]] = result["mates"]
    [[_, _, _, old, new]] = result["changes"]
    assert number == 0
    assert percent == round(100 * math.log(new / old) / math.log(0.2 / 0.5)) > 0


def test_a_result_that_no_mate_gave_a_direction_names_none(tmp_path: Path) -> None:
    write_items(tmp_path, (0.1, "low"), (0.55, "low"), (0.7, "high"))
    (tmp_path / "mate.py").write_text(STEP.replace("0.5", "1.5").replace("LIMIT", "OTHER"))
    assert tune(tmp_path, STEP)["mates"] == []
    assert tune(tmp_path, STEP, mates=["mate.py"], trials=0)["mates"] == []


@pytest.mark.parametrize(
    "code",
    [
        "match 1.5:\n    case 1.5: LIMIT = 0.5\n" + STEP,
        'X = f"{0.25:.2f}"\n' + STEP,
        "def f(a: float = -1e-3) -> float: return a\n" + STEP,
    ],
)
def test_constants_in_odd_places_break_nothing(tmp_path: Path, code: str) -> None:
    write_items(tmp_path, (0.55, "low"), (0.7, "high"))
    assert tune(tmp_path, code)["after"] == 2


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("from agent.llm_client import chat\n" + STEP, "asks_model"),
        ("import agent\n" + STEP, "asks_model"),
        (STEP.replace("0.5", "True"), "nothing_to_tune"),
        ("class TaskAgent(", "failed"),
    ],
)
def test_what_cannot_be_tuned_is_said(tmp_path: Path, code: str, status: str) -> None:
    write_items(tmp_path, (0.1, "low"))
    assert tune(tmp_path, code)["status"] == status


def test_an_agent_that_fails_on_every_item_is_no_error(tmp_path: Path) -> None:
    write_items(tmp_path, (0.1, "low"))
    assert tune(tmp_path, STEP.replace('inputs["x"]', 'inputs["y"]'))["after"] == 0


def test_the_seed_of_repo_quality_improves_within_a_few_searches(tmp_path: Path) -> None:
    domain = load("repo_quality")
    labels = domain.labels("train")
    lines = [
        json.dumps({"id": item.id, "inputs": item.inputs, "label": labels[item.id]})
        for item in domain.items("train")
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    result = tune(tmp_path, domain.seed_files()["task_agent.py"].decode(), trials=100)
    assert (result["before"], result["items"]) == (13, 20)
    assert result["after"] >= 17


def diagnose(folder: Path, code: str) -> dict[str, Any]:
    (folder / "code.py").write_text(code)
    (folder / "predictions.csv").write_text("id,prediction,label\n0,None,low\n1,,high\n")
    order = {"code": "code.py", "items": "items.jsonl", "predictions": "predictions.csv"}
    return run(order, folder, "diagnose")


def test_labels_and_predictions_are_counted(tmp_path: Path) -> None:
    write_items(tmp_path, (0.1, "low"), (0.2, "low"), (0.3, "high"))
    result = diagnose(tmp_path, "x = 1")
    assert result["labels"] == {"high": 1, "low": 2}
    assert result["predicted"] == {"none": 1}
    assert result["prompt"] is None


@pytest.mark.parametrize(
    "code",
    [
        'def f(x):\n    """Document at great length."""\n    return f"é: {x}."\n',
        'P = """Tell\n{x}\nme."""\nQ = "short"\n',
        "def f(x):\n    return (\n        'Tell '\n        f'me {x}.'\n    )\n",
    ],
)
def test_the_end_of_the_prompt_is_where_text_can_be_added(tmp_path: Path, code: str) -> None:
    prompt = diagnose(tmp_path, code)["prompt"]
    lines = [line.encode() for line in code.split("\n")]
    line, column = prompt["line"] - 1, prompt["column"]
    lines[line] = lines[line][:column] + b" MORE" + lines[line][column:]
    space: dict[str, Any] = {}
    exec(b"\n".join(lines), space)  # noqa: S102 - a test's own text
    told = space["f"](1) if "f" in space else space["P"]
    assert told.startswith(("Tell", "é"))
    assert told.endswith(". MORE")


def test_the_prompt_of_the_standard_seed_is_found(tmp_path: Path) -> None:
    prompt = diagnose(tmp_path, seed_files()["task_agent.py"].decode())["prompt"]
    assert prompt["triple"]
    assert "You are an agent" in prompt["text"]


def test_missing_files_are_told_and_no_error(tmp_path: Path) -> None:
    result = run({"code": "a", "items": "b", "predictions": "c"}, tmp_path, "diagnose")
    assert (result["labels"], result["predicted"], result["prompt"]) == ({}, {}, None)
    assert "FileNotFoundError" in result["labels_error"]
