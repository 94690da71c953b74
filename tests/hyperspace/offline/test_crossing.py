"""Units of code that change hands, and code that is said in other words."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hyperspace.offline.edits import Edit
from hyperspace.offline.inside.bench import cost, labels_of, load
from hyperspace.offline.inside.surgery import put, sites
from hyperspace.offline.moves.searching import CROSSING
from hyperspace.offline.tool_steps import run_program
from tests.support.tasks.freight import SEED

MATE = '''"""Another one."""

import math

BASE = 2
PER_KILO = 3
FAR = 500


def is_far(parcel):
    return parcel["distance"] > FAR


@staticmethod
def unused():
    return math.pi


def surcharge(parcel):
    extra = 0
    for feature in ("bulky",):
        extra += 5 if parcel[feature] else 0
    if is_far(parcel):
        extra += int(0.1 * 30 + 1.5e0)
    else:
        extra += 0
    return extra


class TaskAgent:
    RATE = 0.25

    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        price = BASE + PER_KILO * inputs["weight"] + surcharge(inputs)
        return f"{price}", []
'''


def carry_out(folder: Path, name: str, order: Mapping[str, object]) -> Any:
    """Run a program as a policy's plan sends it through a shell."""
    plan = run_program("", name, order, CROSSING)
    command = str(next(plan).arguments["command"])
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True
    )
    with pytest.raises(StopIteration) as end:
        plan.send(done.stdout)
    return end.value.value


def written(folder: Path, name: str, **order: object) -> tuple[str, Any]:
    """The code after a program was carried out, and what the program said."""
    (folder / "code.py").write_text(SEED)
    (folder / "mate.py").write_text(MATE)
    (folder / "items.jsonl").write_text("")
    base: dict[str, object] = {"code": "code.py", "items": "items.jsonl", "seed": 1, "trials": 0}
    result = carry_out(folder, name, base | order)
    edit = Edit(result["old"], result["new"])
    assert SEED.count(edit.old) == 1
    return SEED.replace(edit.old, edit.new), result


def answers(code: str) -> list[str]:
    loaded = load(code)
    assert loaded
    parcels = [
        {"weight": weight, "distance": distance, "bulky": bulky}
        for weight in (1, 7)
        for distance in (10, 900)
        for bulky in (False, True)
    ]
    return [loaded.agent.forward(parcel)[0] for parcel in parcels]


def test_all_units_of_a_mate_bring_what_they_need(tmp_path: Path) -> None:
    code, result = written(tmp_path, "cross", mates=["mate.py"], share=1.0)
    assert answers(code) == answers(MATE) != answers(SEED)
    assert {"surcharge", "TaskAgent.forward"} <= set(result["taken"])
    assert code.startswith('"""The price of a parcel."""\n\nimport math\n')


@pytest.mark.long
def test_a_share_of_the_units_is_taken(tmp_path: Path) -> None:
    _, whole = written(tmp_path, "cross", mates=["mate.py"], share=1.0)
    _, part = written(tmp_path, "cross", mates=["absent.py", "mate.py"], share=0.3)
    assert 0 < len(part["taken"]) < len(whole["taken"])
    assert part["mate"] == 1


def test_other_words_mean_the_same(tmp_path: Path) -> None:
    code, _ = written(tmp_path, "rephrase", mate="mate.py", share=1.0)
    assert answers(code) == answers(MATE)
    own = {line.strip() for line in SEED.splitlines()}
    kept = {line.strip() for line in code.splitlines()} & {
        line.strip() for line in MATE.splitlines()
    }
    assert all(
        line.startswith(("def ", "import ", "@", "else")) or line == "" for line in kept - own
    )


@pytest.mark.long
def test_equal_orders_give_equal_results(tmp_path: Path) -> None:
    first = written(tmp_path, "rephrase", share=0.5, mate="mate.py")
    assert written(tmp_path, "rephrase", share=0.5, mate="mate.py") == first
    second = written(tmp_path, "cross", share=0.5, mates=["mate.py"])
    assert written(tmp_path, "cross", share=0.5, mates=["mate.py"]) == second


@pytest.mark.parametrize("source", [SEED, MATE, "é = 1 + 2  # ü\nif é > 2: é += 1\n"])
def test_every_variant_differs_and_compiles(source: str) -> None:
    places = sites(source, ("bulky", "far"))
    assert places
    for site in places:
        for other in site.others:
            varied = put(source, site.start, site.end, other)
            compile(varied, "varied", "exec")


def test_a_repertoire_bounds_what_changes() -> None:
    numbers, structure, both = (
        {(site.start, site.end) for site in sites(SEED, ("bulky",), repertoire)}
        for repertoire in ("numbers", "structure", "both")
    )
    assert numbers
    assert structure
    assert not numbers & structure
    assert numbers | structure < both
    data = SEED.encode()
    assert all(float(data[start:end]) >= 0 for start, end in numbers)


PANEL = """def one(x):
    return x > 5


def two(x):
    return x > {}


def three(x):
    return x < {}


class TaskAgent:
    def __init__(self, model):
        pass

    def forward(self, inputs):
        rule = [one, two, three][inputs["kind"]]
        return ("yes" if rule(inputs["x"]) else "no"), []
"""


OWN = PANEL.format(9, 20)


def panel(folder: Path, mates: list[str], own: str = OWN, **order: object) -> Any:
    items = [
        {"inputs": {"kind": kind, "x": x}, "label": "yes" if (x > 5) == (kind < 2) else "no"}
        for kind in range(3)
        for x in range(40)
    ]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    (folder / "code.py").write_text(own)
    for number, mate in enumerate(mates):
        (folder / f"mate{number}.py").write_text(mate)
    files = [f"mate{number}.py" for number in range(len(mates))]
    base = {"code": "code.py", "items": "items.jsonl", "mates": files, "share": 0.0, "seed": 1}
    return carry_out(folder, "cross", base | {"trials": 20} | order)


def test_every_function_of_every_mate_that_helps_is_taken_at_once(tmp_path: Path) -> None:
    worse_and_better, better = PANEL.format(30, 6), PANEL.format(6, 20)
    result = panel(tmp_path, [worse_and_better, better, better])
    assert [(step["mate"], step["taken"]) for step in result["steps"]] == [
        (0, ["three"]),
        (1, ["two"]),
    ]
    assert (result["status"], result["tried"]) == ("better", 5)
    assert result["after"] < result["before"]
    code = OWN
    for step in result["steps"]:
        assert code.count(step["old"]) == 1
        code = code.replace(step["old"], step["new"])
    assert code == PANEL.format(6, 6)


def test_no_more_variants_are_tried_than_asked_for(tmp_path: Path) -> None:
    result = panel(tmp_path, [PANEL.format(30, 6), PANEL.format(6, 20)], trials=2)
    assert (result["status"], result["tried"]) == ("unchanged", 2)


def test_where_nothing_helps_alone_all_is_tried_together(tmp_path: Path) -> None:
    own, mate = (
        f"BASE = {base}\nSTEP = {step}\n\n\n" + PANEL.format("BASE + STEP", 6)
        for base, step in ((20, -11), (1, 4))
    )
    (result,) = panel(tmp_path, [mate], own)["steps"]
    assert result["taken"] == ["BASE", "STEP"]
    assert own.replace(result["old"], result["new"]) == mate


def test_what_documents_or_annotates_is_left_alone() -> None:
    source = '"""Takes 3."""\ndef f(a: "1") -> "2":\n    """Gives 4."""\n    return f"{a:5}"\n'
    assert sites(source, ("1", "2")) == []


def test_numbers_cost_their_distance_and_words_all() -> None:
    assert cost("3", "3", 10) == 0
    assert cost("4", "3", 10) == pytest.approx(0.1)
    assert cost("400", "3", 10) == cost("word", "3", 10) == 1
    assert cost(None, "3", 10) > 1
    assert labels_of([{"label": "3"}, {"label": "4"}]) == ()
    assert labels_of([{"label": "No"}, {"label": "yes"}]) == ("no", "yes")
