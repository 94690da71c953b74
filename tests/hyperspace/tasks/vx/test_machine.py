import json
from typing import Any

import pytest

from hyperspace.tasks.vx.machine import (
    MOST_BUNDLES,
    MOST_CYCLES,
    InvalidProgram,
    read_program,
    run_program,
)

Bundles = list[dict[str, list[list[Any]]]]


def run(bundles: Bundles, memory: list[int]) -> tuple[int, list[int]]:
    words = list(memory)
    return run_program(read_program(json.dumps({"program": bundles})), words), words


def stored(*bundles: dict[str, list[list[Any]]]) -> int:
    """What stands in register 9 after some bundles."""
    return run([*bundles, {"w": [["st", 0, 9]]}], [0])[1][0]


def loaded(register: int, value: int) -> dict[str, list[list[Any]]]:
    return {"l": [["li", register, value]]}


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("add", 2**32 - 1, 2, 1), ("sub", 1, 2, 2**32 - 1), ("mul", 2**31, 3, 2**31),
        ("xor", 6, 3, 5), ("and", 6, 3, 2), ("shl", 1, 33, 2), ("shr", 8, 34, 2),
        ("lt", 1, 2, 1), ("lt", 2, 2, 0), ("lt", 2**32 - 1, 1, 0),
    ],
)  # fmt: skip
def test_arithmetic_wraps_at_32_bits_in_scalars_and_lanes(
    name: str, a: int, b: int, result: int
) -> None:
    operands = {"l": [["li", 2, a], ["li", 3, b]]}
    assert stored(operands, {"s": [[name, 9, 2, 3]]}) == result
    lanes = {"v": [["bc", 16, 2], ["bc", 24, 3]]}
    assert stored(operands, lanes, {"v": [[name, 2, 16, 24]]}) == result


def test_all_reads_of_a_bundle_happen_before_its_writes() -> None:
    swap = {"s": [["add", 2, 3, 0], ["add", 3, 2, 0]]}
    begin = {"l": [["li", 2, 7], ["li", 3, 8]]}
    store = {"l": [["li", 4, 1]]}, {"w": [["st", 0, 2], ["st", 4, 3]]}
    assert run([begin, swap, *store], [0, 0]) == (4, [8, 7])
    load_and_store = {"l": [["ld", 9, 0]], "w": [["st", 0, 2]]}
    assert stored(begin, load_and_store) == 0
    jump = [loaded(9, 1), {"s": [["add", 9, 0, 0]], "c": [["bnz", 9, 3]]}, loaded(9, 5)]
    assert stored(*jump) == 0


def test_eight_words_are_moved_at_once_and_registers_may_overlap() -> None:
    shift = {"v": [["add", 9, 8, 0]]}
    cycles, words = run([{"l": [["vld", 8, 0]]}, shift, {"w": [["vst", 0, 8]]}], [*range(1, 9)])
    assert (cycles, words) == (3, [1, 1, 2, 3, 4, 5, 6, 7])


def test_a_loop_counts_each_of_its_rounds() -> None:
    loop: Bundles = [
        {"l": [["li", 2, 10], ["li", 3, 1]]},
        {"s": [["sub", 2, 2, 3]]},
        {"c": [["bnz", 2, 1]]},
    ]
    assert run(loop, []) == (21, [])
    assert run([*loop, {"c": [["bnz", 3, 4]]}], [])[0] == 22


REFUSED: list[tuple[Any, str]] = [
    ({"s": [["add", 1024, 0, 0]]}, "bundle 0, s operation 0: there is no register 1024"),
    ({"s": [["add", 0, 0, -1]]}, "no register -1"),
    ({"v": [["add", 1017, 0, 0]]}, "v operation 0: there is no register 1024"),
    ({"w": [["vst", 0, 1020]]}, "no register 1027"),
    ({"s": [["add", 1, 0, 0], ["xor", 1, 0, 0]]}, "s operation 1: a register is written twice"),
    ({"v": [["bc", 8, 0]], "l": [["li", 15, 3]]}, "l operation 0: a register is written twice"),
    ({"w": [["st", 0, 1], ["st", 0, 1]]}, "w operation 1: the other store writes to the same"),
    ({"w": [["st", 0, 8], ["vst", 0, 8]]}, "address 0 lies outside the 4 words"),
    ({"w": [["vst", 0, 8]]}, "the address 0 lies outside the 4 words"),
    ({"l": [["vld", 8, 0]]}, "l operation 0: the address 0 lies outside"),
    ({"s": [["add", 0, 0, 0]] * 9}, "bundle 0, s: no list of at most 8"),
    ({"c": [["bnz", 0, 0]] * 2}, "c: no list of at most 1"),
    ({"s": [["mod", 0, 0, 0]]}, "the engine s has no 'mod'"),
    ({"v": [["ld", 0, 0]]}, "the engine v has no 'ld'"),
    ({"s": [["add", 0, 0]]}, "add takes 3 whole numbers"),
    ({"s": [["add", 0, 0, 1.0]]}, "add takes 3 whole numbers"),
    ({"s": [["add", 0, 0, True]]}, "add takes 3 whole numbers"),
    ({"s": [[]]}, "no list of a name and operands"),
    ({"s": {"add": 1}}, "no list of at most 8"),
    ({"x": []}, "unknown engine 'x'"),
    ({"l": [["li", 0, 2**32]]}, "does not lie in 0 to 4294967295"),
    ({"l": [["li", 0, -1]]}, "does not lie in 0"),
    ({"c": [["bnz", 0, 2]]}, "2 does not lie in 0 to 1"),
    ([], "bundle 0 is no object"),
]


@pytest.mark.parametrize(("bundle", "says"), REFUSED)
def test_what_is_invalid_is_refused_with_its_place(bundle: Any, says: str) -> None:
    with pytest.raises(InvalidProgram, match=says):
        run([bundle], [0] * 4)


def test_an_address_beyond_memory_is_told_with_bundle_and_operation() -> None:
    with pytest.raises(InvalidProgram, match="bundle 1, l operation 1: the address 4 lies outside"):
        run([loaded(2, 4), {"l": [["ld", 3, 0], ["ld", 4, 2]]}], [0] * 4)
    with pytest.raises(InvalidProgram, match="bundle 1, w operation 0: the address 4294967295"):
        run([loaded(2, 2**32 - 1), {"w": [["st", 2, 2]]}], [0] * 4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"), ("NaN", "not JSON"), ("[]", "one key"), ('{"program": 1}', "no list"),
        ('{"program": [], "x": 1}', "one key"), ('{"program": [], "program": []}', "stands twice"),
        ('{"program": [{"l": [["li", 0, 1e400]]}]}', "whole numbers"),
        ('{"program": [{"l": [["li", 0, 1e99999]]}]}', "too many digits"),
        ('{"program": [{"l": [["li", 0, Infinity]]}]}', "Infinity"),
        ('{"program": [{"l": [["li", 0, ' + "9" * 5000 + "]]}]}", "too many digits"),
        ('{"program": ' + "[" * 100_000, "nested too deeply"),
        ('{"program": [' + "{}," * MOST_BUNDLES + "{}]}", "at most 60000 bundles"),
    ],
)  # fmt: skip
def test_text_that_is_no_program_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidProgram, match=says):
        read_program(text)


def test_an_endless_loop_ends() -> None:
    with pytest.raises(InvalidProgram, match=f"more than {MOST_CYCLES} cycles"):
        run([loaded(2, 1), {"c": [["bnz", 2, 1]]}], [])
