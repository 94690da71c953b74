"""Programs that hold answers: who knows how inputs are drawn must not be able to foresee them."""

import json
from typing import Any

from hyperspace.tasks.base import Item
from hyperspace.tasks.streams import stream
from hyperspace.tasks.vx.domain import Vx, make
from hyperspace.tasks.vx.kernels import KERNELS, KernelCase
from hyperspace.tasks.vx.score import RUNS

VALUE, ADDRESS, SEEN, DIFFERENCE, HELD = 1, 2, 3, 4, 64


def holding(item: Item, cases: list[KernelCase]) -> str:
    """A program that tells the cases apart by one word and stores what is right for each."""
    words = range(len(cases[0].memory))
    telling = next(at for at in words if len({case.memory[at] for case in cases}) == len(cases))
    program: list[dict[str, Any]] = [
        {"l": [["li", ADDRESS, telling]]},
        {"l": [["ld", SEEN, ADDRESS]]},
    ]
    for case in cases:
        body = _stores(case.expected, case.first)
        over = len(program) + 3 + len(body) + 1
        program += [
            {"l": [["li", VALUE, case.memory[telling]]]},
            {"s": [["sub", DIFFERENCE, SEEN, VALUE]]},
            {"c": [["bnz", DIFFERENCE, over]]},
            *body,
            {"l": [["li", DIFFERENCE, 1]]},
        ]
    return json.dumps({"program": program})


def _stores(values: list[int], first: int) -> list[dict[str, Any]]:
    loads = [["li", HELD + at, value] for at, value in enumerate(values)]
    bundles: list[dict[str, Any]] = [{"l": loads[at : at + 2]} for at in range(0, len(loads), 2)]
    for at in range(0, len(values), 8):
        bundles.append({"l": [["li", ADDRESS, first + at]]})
        bundles.append({"w": [["vst", ADDRESS, HELD + at]]})
    return bundles


def test_a_program_cannot_hold_the_answers_to_inputs_that_its_maker_draws_first() -> None:
    domain: Vx = make(None, {})
    (item,) = [item for item in domain.items("val") if item.inputs["kernel"] == "match"]
    draw, sizes = KERNELS["match"].draw, item.inputs["sizes"]
    for name in (f"inputs/{item.id}", f"inputs/{item.id}/"):
        rng = stream("vx", 1, name)
        text = holding(item, [draw(sizes, rng) for _ in range(RUNS)])
        outcome = domain.verify(item, text)
        assert outcome.score == 0, outcome
        assert outcome.reason.startswith("run 1: wrong are"), "it ran, on other inputs"


def test_a_program_is_run_on_the_same_inputs_each_time_it_is_verified() -> None:
    domain, again = make(None, {}), make(None, {})
    item = domain.items("val")[-1]
    text = holding(item, [KERNELS["match"].draw(item.inputs["sizes"], stream("vx", 1, "x"))])
    assert domain.verify(item, text) == again.verify(item, text)
