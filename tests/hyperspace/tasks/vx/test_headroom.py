"""How far two plain ideas get, vectors and list scheduling, beside the seed's scalar code."""

import json
from collections import defaultdict
from typing import Any, NamedTuple

import pytest

from hyperspace.tasks.base import Item
from hyperspace.tasks.vx.domain import Vx, make
from hyperspace.tasks.vx.machine import LANES, SLOTS

MIXES = ((5, 0x2545F491, 13), (9, 0x9E3779B1, 7), (17, 0x85EBCA6B, 16))
ZEROS = 1016  # eight registers that nothing writes to


class Op(NamedTuple):
    engine: str
    parts: tuple[str | int, ...]
    writes: range
    reads: tuple[range, ...]


class Listing:
    """Operations in the order of a program, to be packed by how long a path hangs on each."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.registers = 0

    def take(self, width: int = 1) -> int:
        self.registers += width
        return self.registers - width

    def constant(self, value: int) -> int:
        register = self.take()
        self.ops.append(Op("l", ("li", register, value), alone(register), ()))
        return register

    def broadcast(self, value: int) -> int:
        lanes, scalar = self.take(LANES), self.constant(value)
        self.ops.append(Op("v", ("bc", lanes, scalar), span(lanes), (alone(scalar),)))
        return lanes

    def vector(self, name: str, d: int, a: int, b: int) -> None:
        self.ops.append(Op("v", (name, d, a, b), span(d), (span(a), span(b))))

    def spread(self, d: int, a: int) -> None:
        self.ops.append(Op("v", ("bc", d, a), span(d), (alone(a),)))

    def scalar(self, name: str, d: int, a: int, b: int) -> None:
        self.ops.append(Op("s", (name, d, a, b), alone(d), (alone(a), alone(b))))

    def load(self, d: int, address: int) -> None:
        self.ops.append(Op("l", ("ld", d, address), alone(d), (alone(address),)))

    def load_lanes(self, d: int, address: int) -> None:
        self.ops.append(Op("l", ("vld", d, address), span(d), (alone(address),)))

    def store_lanes(self, address: int, source: int) -> None:
        reads = (alone(address), span(source))
        self.ops.append(Op("w", ("vst", address, source), range(0), reads))

    def scheduled(self) -> str:
        """Pack by greatest height first; what waits for a write waits a cycle, for a read none."""
        before = self.dependencies()
        heights = [0] * len(self.ops)
        for index in reversed(range(len(self.ops))):
            for earlier, wait in before[index].items():
                heights[earlier] = max(heights[earlier], heights[index] + wait)
        behind: dict[int, list[int]] = defaultdict(list)
        missing = [len(earlier) for earlier in before]
        for index, earlier in enumerate(before):
            for other in earlier:
                behind[other].append(index)
        at = [-1] * len(self.ops)
        ready = {index for index, count in enumerate(missing) if not count}
        bundles: list[dict[str, list[Any]]] = []
        while ready:
            cycle, bundle = len(bundles), defaultdict[str, list[Any]](list)
            for index in sorted(ready, key=lambda i: (-heights[i], i)):
                op = self.ops[index]
                late = any(at[e] + wait > cycle for e, wait in before[index].items())
                if late or len(bundle[op.engine]) == SLOTS[op.engine]:
                    continue
                bundle[op.engine].append(op.parts)
                at[index] = cycle
                ready.remove(index)
                for other in behind[index]:
                    missing[other] -= 1
                    if not missing[other]:
                        ready.add(other)
            bundles.append({engine: ops for engine, ops in bundle.items() if ops})
        return json.dumps({"program": bundles}, separators=(",", ":"))

    def dependencies(self) -> list[dict[int, int]]:
        """For each operation the earlier ones that it waits for, and how many cycles."""
        writer: dict[int, int] = {}
        readers: dict[int, list[int]] = defaultdict(list)
        before: list[dict[int, int]] = []
        for index, op in enumerate(self.ops):
            waits: dict[int, int] = {}
            for register in op.writes:
                waits.update(dict.fromkeys(readers.pop(register, ()), 0))
            read = [register for registers in op.reads for register in registers]
            waits.update((writer[r], 1) for r in [*read, *op.writes] if r in writer)
            waits.pop(index, None)
            for register in read:
                readers[register].append(index)
            writer.update(dict.fromkeys(op.writes, index))
            before.append(waits)
        return before


def alone(register: int) -> range:
    return range(register, register + 1)


def span(register: int) -> range:
    return range(register, register + LANES)


def descent(item: Item) -> Listing:
    """Eight walkers a vector; the root stays in registers."""
    listing, sizes = Listing(), item.inputs["sizes"]
    one, two, three = (listing.broadcast(value) for value in (1, 2, 3))
    mixes = [tuple(listing.broadcast(value) for value in mix) for mix in MIXES]
    scalar, root = listing.constant(0), listing.take(LANES)
    node = listing.take()
    listing.load(node, scalar)
    listing.ops.append(Op("v", ("bc", root, node), span(root), (alone(node),)))
    for first in range(0, sizes["walkers"], LANES):
        address = listing.constant(item.inputs["layout"]["walkers"] + first)
        v, t, x = (listing.take(LANES) for _ in range(3))
        listing.load_lanes(v, address)
        for step in range(sizes["rounds"]):
            level = step % sizes["depth"]
            if level:
                for lane in range(LANES):
                    listing.load(t + lane, x + lane)
            listing.vector("xor", v, v, t if level else root)
            for m, c, s in mixes:
                listing.vector("mul", v, v, m)
                listing.vector("add", v, v, c)
                listing.vector("shr", t, v, s)
                listing.vector("xor", v, v, t)
            if level + 1 == sizes["depth"]:
                continue
            listing.vector("and", t, v, three)
            listing.vector("add", t, t, one)
            if level:
                listing.vector("shl", x, x, two)
                listing.vector("add", x, x, t)
            else:
                listing.vector("add", x, t, ZEROS)
        listing.store_lanes(address, v)
    return listing


def prefix(item: Item) -> Listing:
    """Sums within eight lanes in three steps, then what came before is added to all of them."""
    listing, carry = Listing(), -1
    blocks = [(listing.take(2 * LANES), listing.take(LANES)) for _ in range(32)]
    for first in range(0, item.inputs["sizes"]["words"], LANES):
        block, lanes = blocks[first // LANES % len(blocks)]
        x = block + LANES  # eight registers before it hold 0
        address = listing.constant(first)
        listing.load_lanes(x, address)
        for shift in (1, 2, 4):
            listing.vector("add", x, x, x - shift)
        if carry >= 0:
            listing.ops.append(Op("v", ("bc", lanes, carry), span(lanes), (alone(carry),)))
            listing.vector("add", x, x, lanes)
        carry = x + LANES - 1
        listing.store_lanes(address, x)
    return listing


def match(item: Item) -> Listing:
    """Fingerprints of eight words at every place; of equal ones the last going backwards."""
    listing, sizes, layout = Listing(), item.inputs["sizes"], item.inputs["layout"]
    words, chunks = sizes["words"], range(0, sizes["words"], LANES)
    factor, factors = listing.constant(0x9E3779B1), listing.broadcast(0x9E3779B1)
    text, prints, places = (listing.take(words + LANES) for _ in range(3))
    eights = listing.broadcast(LANES)
    for lane in range(LANES):
        listing.ops.append(Op("l", ("li", places + lane, lane), alone(places + lane), ()))
    for first in chunks:
        listing.load_lanes(text + first, listing.constant(layout["text"] + first))
        listing.vector("add", places + first + LANES, places + first, eights)
    for first in chunks:
        listing.vector("mul", prints + first, text + first, factors)
        for k in range(1, LANES):
            listing.vector("add", prints + first, prints + first, text + first + k)
            if k + 1 < LANES:
                listing.vector("mul", prints + first, prints + first, factors)
    blocks = [listing.take(4 * LANES + 3) for _ in range(4)]
    for number in range(sizes["patterns"]):
        wanted = blocks[number % len(blocks)]
        differs, ahead, best, word = (wanted + LANES * k for k in range(1, 5))
        fingerprint, address = word + 1, word + 2
        for k in range(LANES):
            start = layout["patterns"] + LANES * number + k
            listing.ops.append(Op("l", ("li", address, start), alone(address), ()))
            listing.load(word if k else fingerprint, address)
            if k:
                listing.scalar("mul", fingerprint, fingerprint, factor)
                listing.scalar("add", fingerprint, fingerprint, word)
        listing.spread(wanted, fingerprint)
        listing.ops.append(Op("l", ("li", word, words), alone(word), ()))
        listing.spread(best, word)
        for first in reversed(chunks):
            listing.vector("xor", differs, prints + first, wanted)
            listing.vector("lt", differs, ZEROS, differs)
            listing.vector("sub", ahead, best, places + first)
            listing.vector("mul", ahead, ahead, differs)
            listing.vector("add", best, places + first, ahead)
        for lane in range(1, LANES):
            listing.scalar("lt", word, best + lane, best)
            listing.scalar("sub", fingerprint, best + lane, best)
            listing.scalar("mul", fingerprint, fingerprint, word)
            listing.scalar("add", best, best, fingerprint)
        result = layout["results"] + number
        listing.ops.append(Op("l", ("li", address, result), alone(address), ()))
        reads = (alone(address), alone(best))
        listing.ops.append(Op("w", ("st", address, best), range(0), reads))
    return listing


@pytest.fixture(scope="module")
def domain() -> Vx:
    return make(None, {})


@pytest.mark.parametrize(("index", "least", "most"), [(0, 0.8, 1.0), (2, 0.6, 1.0), (4, 0.4, 1.0)])
def test_vectors_and_list_scheduling_leave_the_seed_far_behind(
    domain: Vx, index: int, least: float, most: float
) -> None:
    item = domain.items("train")[index]
    listing = {"descent": descent, "prefix": prefix, "match": match}[item.inputs["kernel"]](item)
    outcome = domain.verify(item, listing.scheduled())
    print(item.inputs["sizes"], outcome.reason, outcome.score)
    assert least < outcome.score < most, outcome.reason
