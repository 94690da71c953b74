"""Units of code that change hands, and code that is said in other words."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.offline.conversation import Conversation
from agents.offline.edits import Edit
from agents.offline.inside.bench import cost, labels_of, load, loss
from agents.offline.inside.surgery import put, sites
from agents.offline.moves.searching import CROSSING
from agents.offline.plan import CandidPlan, Done, own_up
from agents.offline.tool_steps import run_program
from agents.offline.true_action import TrueAction
from tests.support.freight import SEED

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
    agent = load(code)
    parcels = [
        {"weight": weight, "distance": distance, "bulky": bulky}
        for weight in (1, 7)
        for distance in (10, 900)
        for bulky in (False, True)
    ]
    return [agent.forward(parcel)[0] for parcel in parcels]


def test_all_units_of_a_mate_bring_what_they_need(tmp_path: Path) -> None:
    code, result = written(tmp_path, "cross", mates=["mate.py"], share=1.0)
    assert answers(code) == answers(MATE) != answers(SEED)
    assert {"surcharge", "TaskAgent.forward"} <= set(result["taken"])
    assert code.startswith('"""The price of a parcel."""\n\nimport math\n')


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


def test_what_documents_or_annotates_is_left_alone() -> None:
    source = '"""Takes 3."""\ndef f(a: "1") -> "2":\n    """Gives 4."""\n    return f"{a:5}"\n'
    assert sites(source, ("1", "2")) == []


def test_an_endless_answer_costs_more_than_a_failing_one() -> None:
    endless = "class TaskAgent:\n    def __init__(self, m): pass\n    def forward(self, i):\n"
    item: dict[str, Any] = {"inputs": {}, "label": "a"}
    loops = loss(endless + "        while True: pass\n", [item])
    assert loops > loss(endless + "        raise ValueError\n", [item])
    assert loss(endless + "        return 'A ', []\n", [item]) == 0


def test_numbers_cost_their_distance_and_words_all() -> None:
    assert cost("3", "3", 10) == 0
    assert cost("4", "3", 10) == pytest.approx(0.1)
    assert cost("400", "3", 10) == cost("word", "3", 10) == 1
    assert cost(None, "3", 10) > 1
    assert labels_of([{"label": "3"}, {"label": "4"}]) == ()
    assert labels_of([{"label": "No"}, {"label": "yes"}]) == ("no", "yes")


def test_what_cannot_be_written_down_is_no_part_of_a_deed() -> None:
    def plan() -> CandidPlan:
        yield from ()
        return Done("x", TrueAction("adopt", "\ud800" * 900, "p", 10**30, 3))

    told = own_up(plan(), Conversation("modify", (), frozenset(), 0))
    assert told == TrueAction("adopt", "?" * 500, "p", None, 3)
