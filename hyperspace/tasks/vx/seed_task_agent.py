"""Writes programs for the machine: scalar code for each kernel, packed into bundles in order."""

import json
from collections.abc import Callable
from typing import Any

# Operations of one bundle: of all engines together, and of each.
MOST_OPERATIONS = 2
MOST = {"s": 2, "v": 1, "l": 1, "w": 1, "c": 1}
# How many walkers, words or places are worked on side by side.
INTERLEAVE_DESCENT = 1
INTERLEAVE_PREFIX = 1
CONSTANTS = 16  # registers for them
MIXES = ((5, 0x2545F491, 13), (9, 0x9E3779B1, 7), (17, 0x85EBCA6B, 16))


class Packer:
    """Puts operations into bundles, in the order in which they come."""

    def __init__(self) -> None:
        self.bundles: list[dict[str, list[list[Any]]]] = []
        self.written: set[int] = set()
        self.stores = False
        self.constants: dict[int, int] = {}
        self.label()

    def label(self) -> int:
        """Begin a bundle and return its index, to jump to."""
        self.bundles.append({})
        self.written = set()
        self.stores = False
        return len(self.bundles) - 1

    def put(self, engine: str, name: str, *operands: int) -> list[Any]:
        """Append an operation to the last bundle if it may be there, else to a new one."""
        writes = {operands[0]} if engine in "sl" else set[int]()
        reads = set(operands) if engine in "sw" else {operands[0]} if engine == "c" else set[int]()
        if engine == "l" and name == "ld":
            reads = {operands[1]}
        bundle = self.bundles[-1]
        count = sum(len(listed) for listed in bundle.values())
        is_full = count >= MOST_OPERATIONS or len(bundle.get(engine, [])) >= MOST[engine]
        is_late = bool((reads | writes) & self.written) or (self.stores and name == "ld")
        if is_full or is_late or "c" in bundle:
            self.label()
        self.written |= writes
        self.stores = self.stores or engine == "w"
        operation = [name, *operands]
        self.bundles[-1].setdefault(engine, []).append(operation)
        return operation

    def constant(self, value: int) -> int:
        """Return a register that has a value; all are loaded before they are used in a loop."""
        if value not in self.constants:
            self.constants[value] = len(self.constants)
            self.put("l", "li", self.constants[value], value)
        return self.constants[value]

    def text(self) -> str:
        """Return the program."""
        return json.dumps({"program": self.bundles}, separators=(",", ":"))


def in_groups(count: int, size: int) -> list[range]:
    """Cut so many things into groups of a size."""
    return [range(start, min(count, start + size)) for start in range(0, count, size)]


def descent(packer: Packer, sizes: dict[str, int], layout: dict[str, int]) -> None:
    """Go down the tree, a group of walkers at a time; the level tells when it ends."""
    zero, one, two, three = (packer.constant(value) for value in range(4))
    mixes = [[packer.constant(value) for value in mix] for mix in MIXES]
    for group in in_groups(sizes["walkers"], INTERLEAVE_DESCENT):
        lanes = [(walker, CONSTANTS + 4 * index) for index, walker in enumerate(group)]
        for walker, r in lanes:
            packer.put("l", "li", r + 3, layout["walkers"] + walker)
        for _, r in lanes:
            packer.put("l", "ld", r, r + 3)
        for step in range(sizes["rounds"]):
            root = step % sizes["depth"] == 0
            for _, r in lanes:
                packer.put("l", "ld", r + 2, zero if root else r + 1)
            for _, r in lanes:
                packer.put("s", "xor", r, r, r + 2)
            for m, c, s in mixes:
                for _, r in lanes:
                    packer.put("s", "mul", r, r, m)
                for _, r in lanes:
                    packer.put("s", "add", r, r, c)
                for _, r in lanes:
                    packer.put("s", "shr", r + 2, r, s)
                for _, r in lanes:
                    packer.put("s", "xor", r, r, r + 2)
            if (step + 1) % sizes["depth"] == 0:
                continue
            for _, r in lanes:
                packer.put("s", "shl", r + 1, zero if root else r + 1, two)
            for _, r in lanes:
                packer.put("s", "and", r + 2, r, three)
            for _, r in lanes:
                packer.put("s", "add", r + 1, r + 1, r + 2)
            for _, r in lanes:
                packer.put("s", "add", r + 1, r + 1, one)
        for _, r in lanes:
            packer.put("w", "st", r + 3, r)


def prefix(packer: Packer, sizes: dict[str, int], layout: dict[str, int]) -> None:
    """Add up word by word; the total starts as 0, as every register does."""
    zero, total = packer.constant(0), CONSTANTS - 1
    for group in in_groups(sizes["words"], INTERLEAVE_PREFIX):
        lanes = [(word, CONSTANTS + 2 * index) for index, word in enumerate(group)]
        for word, r in lanes:
            packer.put("l", "li", r + 1, layout["words"] + word)
        for _, r in lanes:
            packer.put("l", "ld", r, r + 1)
        last = total
        for _, r in lanes:
            packer.put("s", "add", r, last, r)
            last = r
        for _, r in lanes:
            packer.put("w", "st", r + 1, r)
        packer.put("s", "add", total, last, zero)


def match(packer: Packer, sizes: dict[str, int], layout: dict[str, int]) -> None:
    """Try each pattern at place after place; the first word that differs ends a try."""
    steps = [packer.constant(value) for value in range(8)]
    limit, absent = packer.constant(sizes["words"] - 7), packer.constant(sizes["words"])
    place, address, word, out = range(CONSTANTS, CONSTANTS + 4)
    pattern = range(CONSTANTS + 4, CONSTANTS + 12)
    for number in range(sizes["patterns"]):
        for k, register in enumerate(pattern):
            packer.put("l", "li", address, layout["patterns"] + 8 * number + k)
            packer.put("l", "ld", register, address)
        packer.put("l", "li", out, layout["results"] + number)
        packer.put("l", "li", place, 0)
        start = packer.label()
        jumps: list[list[Any]] = []
        for k, register in enumerate(pattern):
            packer.put("s", "add", address, place, steps[k])
            packer.put("l", "ld", word, address)
            packer.put("s", "xor", word, word, register)
            jumps.append(packer.put("c", "bnz", word, 0))
        packer.put("w", "st", out, place)
        end = packer.put("c", "bnz", steps[1], 0)
        following = packer.label()
        for jump in jumps:
            jump[2] = following
        packer.put("s", "add", place, place, steps[1])
        packer.put("s", "lt", word, place, limit)
        packer.put("c", "bnz", word, start)
        packer.put("w", "st", out, absent)
        end[2] = packer.label()


KERNELS: dict[str, Callable[[Packer, dict[str, int], dict[str, int]], None]] = {
    "descent": descent,
    "prefix": prefix,
    "match": match,
}


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the program and the (empty) conversation."""
        packer = Packer()
        KERNELS[inputs["kernel"]](packer, inputs["sizes"], inputs["layout"])
        return packer.text(), []
