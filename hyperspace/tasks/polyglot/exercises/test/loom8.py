"""Exercise loom8: a register machine with eight instructions."""

from random import Random
from typing import Any

STATEMENT = """\
A machine has the registers a, b, c and d, which hold integers from 0 to 65535 and are 0 at first.
A program is a list of instructions, numbered from 0; r and s are names of registers, n is an
integer:

- ["set", r, n]: r becomes n modulo 65536 (a result from 0 to 65535, also for negative n)
- ["copy", r, s]: r becomes s
- ["add", r, s]: r becomes r + s modulo 65536
- ["sub", r, s]: r becomes r - s modulo 65536, from 0 to 65535
- ["half", r]: r becomes half of r, rounded down
- ["out", r]: r is appended to the output
- ["jump", n]: the next instruction is the one n places further on (back if n is negative)
- ["skip", r, s]: if r is less than s, the next instruction is left out

After every other instruction, and a skip that leaves out none, comes the one that follows. The
machine begins at instruction 0. It ends before an instruction whose number is not in the program,
or after "cap" instructions; an instruction that is left out is not counted.

The input is an object with the keys "program" and "cap" (>= 0). The answer is [output, count, end]:
the list of the output, how many instructions were carried out, and "end" if the next number is not
in the program, else "cap".
"""
NAMES = "abcd"


def draw_case(rng: Random) -> dict[str, Any]:
    """Random programs, with jumps that make loops."""
    program: list[list[Any]] = []
    for _ in range(rng.randint(0, 14)):
        r, s = rng.choice(NAMES), rng.choice(NAMES)
        instructions: list[list[Any]] = [
            ["set", r, rng.choice([rng.randint(-3, 9), rng.randint(-70_000, 140_000)])],
            ["copy", r, s],
            ["add", r, s],
            ["sub", r, s],
            ["half", r],
            ["out", r],
            ["jump", rng.choice([-6, -4, -3, -2, 2, 3])],
            ["skip", r, s],
        ]
        program.append(rng.choices(instructions, (5, 1, 3, 3, 2, 3, 2, 3))[0])
    return {"program": program, "cap": rng.choice([0, 5, 30, 100])}


def solve(case: dict[str, Any]) -> list[Any]:
    """Carry out instruction after instruction."""
    program, registers = case["program"], dict.fromkeys(NAMES, 0)
    at, count, output = 0, 0, list[int]()
    while 0 <= at < len(program) and count < case["cap"]:
        name, *arguments = program[at]
        count += 1
        at += 1
        if name == "jump":
            at += arguments[0] - 1
            continue
        r, value = arguments[0], registers[arguments[0]]
        other = arguments[1] if len(arguments) > 1 else 0
        other = registers[other] if isinstance(other, str) else other
        if name == "out":
            output.append(value)
        elif name == "skip":
            at += value < other
        else:
            results = {"set": other, "copy": other, "add": value + other, "sub": value - other}
            registers[r] = results.get(name, value // 2) % 65_536
    return [output, count, "end" if not 0 <= at < len(program) else "cap"]
