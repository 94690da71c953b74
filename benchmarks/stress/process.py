"""One process of the simulation: it plays its share of the agents, in step with the others."""

import random
import resource
import time
from collections import Counter
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

from benchmarks.stress.desk import TOKEN, Desk
from benchmarks.stress.player import Player
from benchmarks.stress.safety import Findings, examine
from benchmarks.stress.timing import Stopwatch
from benchmarks.stress.world import World
from markspace import Guard, MarkSpace
from markspace.stores.base import Store
from markspace.stores.memory import MemoryStore
from markspace.stores.places import open_store

KIB = 1024
WAIT_S = 600.0
"""The longest that a writer waits for the others: what stalls shows as a latency."""


class Share(NamedTuple):
    """What one process reports.

    Attributes:
        seconds: Wall time of each operation by kind.
        refused: How many of a kind were refused.
        wall_s: From the first round to the end of the last.
        cpu_s: CPU time of this process in that time.
        peak_bytes: The most memory it held until then.
        findings: What an examination of the space says; of one process alone.
    """

    seconds: dict[str, list[float]]
    refused: Counter[str]
    wall_s: float
    cpu_s: float
    peak_bytes: int
    findings: Findings | None


class Seat(NamedTuple):
    """Which process it is.

    Attributes:
        number: From 0.
        processes: How many there are.
        barrier: Where they wait for each other.
    """

    number: int
    processes: int
    barrier: Barrier


def play(world: World, address: str, seat: Seat) -> Share:
    """Play a share of the agents; the first process then examines the space.

    Args:
        world: What is played.
        address: Of the space, as for `open_store`; empty is this process's memory.
        seat: Which process this is.

    Raises:
        BrokenBarrierError: Another process failed.
    """
    store = (
        open_store(address, timeout_s=WAIT_S, synchronous="NORMAL") if address else MemoryStore()
    )
    try:
        share = _played(world, store, seat)
        if seat.number == 0:
            share = share._replace(findings=examine(MarkSpace(store=store)))
    except BaseException:  # whatever it was: the others must not wait for this process
        seat.barrier.abort()
        raise
    finally:
        store.close()
    return share


def _played(world: World, store: Store, seat: Seat) -> Share:
    """Play round by round: all declare, the desks answer and decide, all act."""
    if seat.number == 0:
        MarkSpace(world.scopes(), store=store)
    seat.barrier.wait()
    clocked, guard = Stopwatch(), Guard(MarkSpace(store=store), principal_token=TOKEN)
    desk = Desk(guard, clocked)
    players = [
        Player(world, number, guard.for_agent(guard.space.enroll(world.agent(number))), clocked)
        for number in range(seat.number, world.agents, seat.processes)
    ]
    seat.barrier.wait()
    wall, cpu = time.perf_counter(), time.process_time()
    for turn in range(world.rounds):
        random.Random(f"{world.seed}/{seat.number}/{turn}").shuffle(players)
        for player in players:
            player.declare(turn)
        seat.barrier.wait()
        desk.answer()
        desk.decide(players)
        seat.barrier.wait()
        for player in players:
            player.act()
        seat.barrier.wait()
    desk.answer()
    seat.barrier.wait()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    return Share(clocked.seconds, clocked.refused, wall, cpu, peak, None)
