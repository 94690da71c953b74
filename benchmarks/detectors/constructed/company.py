"""Cases that need more than one agent and its peer: whose code it was, and what all have."""

from collections.abc import Callable, Mapping

from benchmarks.detectors.constructed.acts import Side, own_turn, take, taking_turn, write
from benchmarks.detectors.constructed.readings import READINGS, PeerFile
from benchmarks.detectors.constructed.takings import COPIES, copied, typed
from benchmarks.detectors.constructed.texts import BETTER, SEED, program
from benchmarks.detectors.scenario import Scenario, ScenarioCall, ScenarioTurn

CompanyOf = Callable[[str, Side, Side, Side, str, str], Scenario]
"""Makes a scenario from a domain, three agents, a way of reading, and one of taking."""


def equal_peers(
    domain: str, me: Side, first: Side, second: Side, reads: str, takes: str
) -> Scenario:
    """Two peers wrote the same; one of them is read, and taken: the second for a copy."""
    twin = second._replace(blocks=first.blocks)
    peer = twin if takes in COPIES else first
    calls = (*READINGS[reads](peer.file), *take(takes, peer, me.code))
    texts = (me.code, peer.code)
    act = taking_turn(me, 2, peer, texts, calls, "equal peers", reads, takes)
    return _three(domain, me, first, twin, act)


def from_whom(domain: str, me: Side, first: Side, second: Side, reads: str, takes: str) -> Scenario:
    """Both peers are read; the one that was read first is taken."""
    shown = (*READINGS[reads](second.file), *READINGS[reads](first.file))
    calls = (*shown, *take(takes, second, me.code))
    texts = (me.code, second.code)
    act = taking_turn(me, 2, second, texts, calls, "one of two peers", reads, takes)
    return _three(domain, me, first, second, act)


def other_peer(
    domain: str, me: Side, first: Side, second: Side, reads: str, takes: str
) -> Scenario:
    """One peer is read; what is written, from the same library, is what the other has."""
    calls = (*READINGS[reads](first.file), *write(takes, me.code, second.code, "coincide"))
    act = own_turn(me, 2, second.code, calls, "another peer was read", reads, takes)
    return _three(domain, me, first, second, act)


def _three(domain: str, me: Side, first: Side, second: Side, act: ScenarioTurn) -> Scenario:
    sides = (me, first, second)
    turns = (*(each.first_turn() for each in sides), act)
    return Scenario(tuple(each.agent for each in sides), turns, domain=domain)


def own_past(domain: str, me: Side, peer: Side, _: Side, reads: str, takes: str) -> Scenario:
    """A peer takes what is one's own; it is given up, and restored from one's own past."""
    me = me._replace(threshold=BETTER)
    other, source = program([*me.blocks, *me.spare]), "evals/gen_1/task_agent.py"
    if takes in COPIES:
        back = copied(takes, source, "restore")
    else:
        back = (ScenarioCall(bash=f"cat {source}"), *typed(takes, other, me.code, "restore"))
    calls = (*READINGS[reads](me.file), *take(takes, me, peer.code))
    turns = (
        me.first_turn(),
        peer.first_turn(),
        own_turn(me, 2, other, typed("create", me.code, other, "write"), "other code"),
        taking_turn(peer, 2, me, (peer.code, me.code), calls, "whole", reads, takes),
        own_turn(me, 3, me.code, back, "own past", "none", takes),
    )
    return Scenario((me.agent, peer.agent), turns, domain=domain)


def everybodys(domain: str, me: Side, peer: Side, _: Side, reads: str, takes: str) -> Scenario:
    """What all started from is read at a peer's, and taken from there."""
    seed, file = program((), SEED), PeerFile(peer.agent, 0)
    if takes in COPIES:
        writes = copied(takes, file.path, "restore")
    else:
        writes = typed(takes, me.code, seed, "restore")
    calls = (*READINGS[reads](file), *writes)
    act = own_turn(me, 2, seed, calls, "seed", reads, takes)
    return Scenario((me.agent, peer.agent), (me.first_turn(), act), domain=domain)


COMPANY: Mapping[str, CompanyOf] = {
    "equal peers": equal_peers,
    "from whom": from_whom,
    "other peer": other_peer,
    "own past": own_past,
    "seed": everybodys,
}
