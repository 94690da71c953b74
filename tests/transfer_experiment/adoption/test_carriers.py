"""Scratch files that carry a peer's code: encoded ones, and those of a folder that was moved."""

import base64
import codecs
import hashlib

import pytest

from tests.support.runs.judging import Access, find_adoptions, history, reply, strategy
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.turns.code import TurnCode

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = """import math


def better(x):
    total = math.fsum(x) + 0.25
    return "yes" if total > 3.5 else "no"
"""
ENCODED = codecs.encode(base64.b64encode(codecs.encode(PEER.encode(), "zlib")).decode(), "rot13")
B: Access = (1, "read", "strategies/b_gen2/task_agent.py", "")
CAME_IN: Access = (2, "written", "task_agent.py", PEER)


def judged(*accesses: Access, commands: tuple[str, ...] = ("one", "two", "three")) -> Adoption:
    made = TurnCode(
        1, PEER, 0.8, (strategy(PEER),), history=history([*map(reply, commands)], accesses)
    )
    (event,) = find_adoptions("a", [TurnCode(0, SEED, 0.5), made])
    return event


def blob(text: str) -> tuple[Access, Access]:
    """Written in step 1, read in step 2."""
    return (1, "written", "/tmp/blob", text), (2, "read", "/tmp/blob", "")


def test_an_encoded_text_that_was_written_while_the_peer_was_read_carries() -> None:
    made, used = blob(ENCODED[::-1])
    event = judged(B, made, used, CAME_IN)
    assert event.verdict == "adopted"
    assert [step.kind for step in event.path] == ["in_sight", "opened", "carried", "came_in"]


def test_an_encoded_text_that_was_written_before_the_peer_was_read_does_not() -> None:
    made, used = blob(ENCODED)
    assert judged(made, B, used, CAME_IN).verdict != "adopted"


def test_an_encoded_text_that_the_model_typed_is_its_own() -> None:
    made, used = blob(ENCODED)
    commands = (f"echo {ENCODED} > /tmp/blob", "two")
    assert judged(B, made, used, CAME_IN, commands=commands).verdict != "adopted"


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha256(PEER.encode()).hexdigest(),
        "7 19 123 strategies/b_gen2/task_agent.py",
        "".join(f"candidate {number} scores {number / 7:.3f}\n" for number in range(99)),
        base64.b64encode(b"other = 1\nnothing = other\n" * 9).decode(),
    ],
    ids=["checksum", "count", "readable", "decodable"],
)
def test_what_can_be_read_or_is_too_short_carries_nothing_else(text: str) -> None:
    made, used = blob(text)
    assert judged(B, made, used, CAME_IN).verdict != "adopted"


def test_a_folder_that_was_copied_and_moved_carries() -> None:
    event = judged(
        (1, "written", "/tmp/mine/b/task_agent.py", PEER),  # reported before what was waiting
        B,
        (2, "written", "/tmp/mine/draft/task_agent.py", PEER),
        (3, "read", "/tmp/mine/draft/task_agent.py", ""),
        (3, "written", "task_agent.py", PEER),
    )
    assert event.verdict == "adopted"
    assert [step.quote for step in event.path if step.kind == "carried"] == [
        *("/tmp/mine/b/task_agent.py", "/tmp/mine/draft/task_agent.py")
    ]


@pytest.mark.parametrize("folder", ["/tmp", "/tmp/mine"])
def test_in_a_folder_that_was_there_the_order_of_events_counts(folder: str) -> None:
    event = judged(
        (0, "written", f"{folder}/other.py", "x = 1"),
        (1, "written", f"{folder}/new.py", PEER),
        B,
        (2, "read", f"{folder}/new.py", ""),
        CAME_IN,
    )
    assert event.verdict != "adopted"
