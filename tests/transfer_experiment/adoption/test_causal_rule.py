"""The causal rule on generations made up step by step: each way in, and each that is none."""

import base64
import json
from collections.abc import Sequence

import pytest

from hyperspace.runs.trace import TraceLine
from tests.support.runs.judging import Access, find_adoptions, history, reply, strategy
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.turns.code import SeenStrategy, TurnCode

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = """import math


def better(x):
    total = math.fsum(x) + 0.25
    return "yes" if total > 3.5 else "no"
"""
B = "strategies/b_gen2/task_agent.py"
C = "strategies/c_gen1/task_agent.py"
CAT = f"cat {B}"
TYPE = f"cat > task_agent.py <<'E'\n{PEER}E"
CAME_IN: Access = (1, "written", "task_agent.py", PEER)


def judge(
    replies: Sequence[TraceLine],
    accesses: Sequence[Access] | None,
    text: str = PEER,
    seen: Sequence[SeenStrategy] = (strategy(PEER),),
    unobserved: str = "",
) -> list[Adoption]:
    record = history(replies, accesses, unobserved)
    made = TurnCode(1, text, 0.8, tuple(seen), history=record)
    return find_adoptions("a", [TurnCode(0, SEED, 0.5), made])


def verdict(
    replies: Sequence[TraceLine], accesses: Sequence[Access] | None, text: str = PEER
) -> str:
    (event,) = judge(replies, accesses, text)
    return event.verdict


def written(step: int, text: str = PEER, path: str = "task_agent.py") -> Access:
    return step, "written", path, text


def read(step: int, path: str = B) -> Access:
    return step, "read", path, ""


def numbered(text: str) -> str:
    return "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), start=1))


@pytest.mark.parametrize(
    "shown",
    [
        PEER,
        numbered(PEER),
        "".join(f"+{line}\n" for line in PEER.splitlines()),
        "".join(f"strategies/b_gen2/task_agent.py:{line}\n" for line in PEER.splitlines()),
        json.dumps({"code": PEER}),
        repr(PEER),
        base64.encodebytes(PEER.encode()).decode(),
        PEER.encode().hex(),
        "".join(f"{line[::-1]}\n" for line in PEER.splitlines()),
    ],
)
def test_what_was_displayed_before_it_was_typed_is_adopted(shown: str) -> None:
    replies = [reply(CAT), reply(TYPE, shown=shown), reply(says="Done.")]
    (event,) = judge(replies, [read(1), written(2)])
    assert event.verdict == "adopted"
    assert [step.kind for step in event.path] == [
        *("in_sight", "opened", "displayed", "typed", "came_in")
    ]
    assert (event.path[0].file, event.path[0].line) == (B, 4)
    assert (event.ratio, event.d_peer) == (0.0, 0.0)
    assert (event.score_before, event.score_after) == (0.5, 0.8)
    assert (event.peer, event.generation, event.strategy) == ("b", 1, "strategies/b_gen2")


def test_what_was_typed_before_it_was_displayed_is_not_from_there() -> None:
    replies = [reply(TYPE), reply(CAT), reply(shown=PEER, says="Done.")]
    assert verdict(replies, [written(1), read(2)]) == "coincident"


def test_what_the_own_program_displayed_is_not_from_the_peer() -> None:
    replies = [reply("python3 search.py"), reply(TYPE, shown=PEER)]
    assert verdict(replies, [written(2)]) == "coincident"
    after_a_look = [
        reply(CAT),
        reply("python3 search.py", shown=PEER),
        reply(TYPE, shown=f"{PEER} "),
    ]
    assert verdict(after_a_look, [read(1), written(3)]) == "unproven"


def test_a_copy_by_a_program_in_one_step_is_adopted() -> None:
    (event,) = judge([reply(f"dd if={B} of=task_agent.py")], [read(1), written(1)])
    assert event.verdict == "adopted"
    assert [step.kind for step in event.path] == ["in_sight", "opened", "came_in"]
    assert event.path[1].file == "a/gen_1/accesses.jsonl"


def test_reading_after_the_lines_came_in_is_no_path() -> None:
    replies = [reply("python3 search.py; wc -l strategies/*/task_agent.py")]
    assert verdict(replies, [written(1), read(1)]) == "coincident"


def test_counting_and_then_typing_own_code_in_one_command_is_no_path() -> None:
    assert verdict([reply(f"wc -l {B}; {TYPE}")], [read(1), written(1)]) == "coincident"


def test_a_shell_variable_keeps_what_was_read_and_an_own_program_does_not() -> None:
    accesses = [read(1), written(2)]
    kept = [reply(f"X=$(cat {B})"), reply('printf %s "$X" > task_agent.py')]
    assert verdict(kept, accesses) == "adopted"
    searched = [reply(f"wc -l {B}"), reply("python3 search.py")]
    assert verdict(searched, accesses) == "unproven"


def test_a_scratch_file_that_nobody_watches_carries_if_both_commands_name_it() -> None:
    replies = [reply(f"cp {B} /tmp/x.py"), reply("cp /tmp/x.py task_agent.py")]
    assert verdict(replies, [read(1), written(2)]) == "adopted"


@pytest.mark.parametrize("lines", [PEER, ""])
def test_a_scratch_file_carries_even_if_nobody_can_read_it(lines: str) -> None:
    replies = [reply(f"tar cf /tmp/x {B}"), reply("tar xf /tmp/x -O > task_agent.py")]
    accesses = [read(1), written(1, lines, "/tmp/x"), read(2, "/tmp/x"), written(2)]
    (event,) = judge(replies, accesses)
    assert event.verdict == "adopted"
    assert [(step.kind, step.quote) for step in event.path if step.kind == "carried"] == [
        ("carried", "/tmp/x")
    ]


def test_a_file_that_was_moved_carries_too() -> None:
    replies = [reply(f"cp {B} new.py"), reply("mv new.py task_agent.py")]
    assert verdict(replies, [read(1), written(1, path="new.py"), written(2)]) == "adopted"


def test_own_code_in_a_scratch_file_is_own_whatever_was_read_beside_it() -> None:
    replies = [reply(f"cat > /tmp/x <<'E'\n{PEER}E"), reply(f"wc {B}; cp /tmp/x task_agent.py")]
    accesses = [written(1, path="/tmp/x"), read(2), read(2, "/tmp/x"), written(2)]
    assert verdict(replies, accesses) == "coincident"


def test_an_edit_of_parts_is_typed() -> None:
    text = SEED.replace("limit = 1", "limit = 3.75")
    seen = (strategy(text),)
    edit = reply("sed -i 's/limit = 1/limit = 3.75/' task_agent.py", shown=text)
    looked = [read(1), written(2, "limit = 3.75")]
    assert judge([reply(CAT), edit], looked, text, seen)[0].verdict == "adopted"
    (event,) = judge([edit], [read(1), written(1, "limit = 3.75")], text, seen)
    assert event.verdict == "coincident"


def test_what_a_program_with_the_peers_file_displays_in_parts_is_displayed() -> None:
    text = SEED.replace("limit = 1", "limit = 3.75")
    edit = reply("sed -i 's/limit = 1/limit = 3.75/' task_agent.py", shown='{"limit": 3.75}')
    accesses = [read(1), written(2, "limit = 3.75")]
    (event,) = judge([reply("python3 cross.py"), edit], accesses, text, (strategy(text),))
    assert event.verdict == "adopted"
    (event,) = judge([reply("python3 search.py"), edit], accesses[1:], text, (strategy(text),))
    assert event.verdict == "coincident"


def test_the_agents_own_program_copies_what_it_read_at_its_start() -> None:
    assert verdict([reply(says="Done.")], [read(0), written(1)]) == "adopted"


def test_code_of_peers_in_the_instruction_is_displayed() -> None:
    replies = [reply(TYPE, shown=f"Improve on this:\n{PEER}", by_tool=False)]
    assert verdict(replies, [read(0), written(1)]) == "adopted"


def test_of_two_peers_with_one_code_it_is_from_the_one_that_was_read() -> None:
    both = (strategy(PEER), strategy(PEER, "c", 1))
    replies = [reply(f"cat {C}"), reply(TYPE, shown=PEER)]
    (event,) = judge(replies, [read(1, C), written(2)], seen=both)
    assert (event.verdict, event.peer) == ("adopted", "c")
    (event,) = judge([reply("x")], [read(1, C), read(1, B), written(1)], seen=both)
    assert (event.verdict, event.peer) == ("adopted", "b")


def test_one_line_of_a_peer_is_inspired() -> None:
    line = "total = math.fsum(x) + 0.25"
    replies = [reply(CAT), reply(f"echo '{line}' >> task_agent.py", shown=PEER)]
    (event,) = judge(replies, [read(1), written(2, line)], SEED + line + "\n")
    assert (event.verdict, event.peer_lines) == ("inspired", 1)


def test_a_whole_copy_under_other_names_is_adopted_and_without_reading_coincident() -> None:
    renamed = (
        "import math\n\n\ndef decide(values):\n    s = 0.25 + math.fsum(values)\n"
        "    return 'yes' if 3.5 < s else 'no'\n"
    )
    typed = f"cat > task_agent.py <<'E'\n{renamed}E"
    displayed = [reply(CAT), reply(typed, shown=PEER)]
    (event,) = judge(displayed, [read(1), written(2, renamed)], renamed)
    assert event.verdict == "adopted"
    assert event.path[-1].kind == "typed"
    (event,) = judge([reply(typed)], [written(1, renamed)], renamed)
    assert event.verdict == "coincident"


def test_a_table_of_numbers_laid_out_anew_is_inspired() -> None:
    peer = "W = {\n" + "".join(f'    "k{n}": {n}.75,\n' for n in range(3, 9)) + "}\n"
    mine = SEED + "V = [3.75, 4.75, 5.75, 6.75, 7.75, 8.75]\n"
    typed = "cat >> task_agent.py <<'E'\nV = [3.75, 4.75, 5.75, 6.75, 7.75, 8.75]\nE"
    replies = [reply(CAT), reply(typed, shown=peer)]
    new = mine.splitlines()[-1]
    (event,) = judge(replies, [read(1), written(2, new)], mine, (strategy(peer),))
    assert event.verdict == "inspired"
    assert (
        judge([reply(typed)], [written(1, new)], mine, (strategy(peer),))[0].verdict != "inspired"
    )


def test_without_accesses_what_was_displayed_decides_and_a_name_proves_nothing() -> None:
    assert verdict([reply(CAT), reply(TYPE, shown=PEER)], None) == "adopted"
    assert verdict([reply(f"cp {B} task_agent.py")], None) == "unproven"
    assert verdict([reply("python3 search.py")], None) == "coincident"
    gone = TurnCode(1, PEER, 0.8, (strategy(PEER),), history=history([], None, problem="is gone"))
    (event,) = find_adoptions("a", [TurnCode(0, SEED, 0.5), gone])
    assert event.verdict == "unproven"


def test_where_accesses_may_be_missing_nothing_is_called_coincident() -> None:
    (event,) = judge([reply("x")], [written(1)], unobserved="too many")
    assert event.verdict == "unproven"


def test_the_own_past_shown_as_a_strategy_cannot_be_adopted() -> None:
    assert judge([reply("x")], [read(1), written(1)], seen=(strategy(PEER, "a"),)) == []


def test_own_work_and_unchanged_code_are_no_events() -> None:
    own = SEED.replace("limit", "border")
    replies = [reply(CAT), reply("edit", shown=PEER)]
    assert judge(replies, [read(1), written(2, own)], own) == []
    assert judge(replies, [read(1)], SEED) == []


def test_going_back_to_own_earlier_code_is_not_taken_from_the_peer() -> None:
    seen = strategy(SEED, "b", 0)
    back = history(
        [reply(f"cp {B} task_agent.py")],
        [read(1, "strategies/b_gen0/task_agent.py"), written(1, SEED)],
    )
    steps = [
        TurnCode(0, SEED, 0.5),
        TurnCode(1, PEER, 0.2),
        TurnCode(2, SEED, 0.5, (seen,), history=back),
    ]
    (event,) = find_adoptions("a", steps)
    assert event.verdict == "coincident"


def carried(meta: str, shown: str = "", accesses: Sequence[Access] = ()) -> list[Adoption]:
    """Generation 1 displays a strategy and puts it into the improver, which writes it in 2."""
    typed = f"cat > meta_agent.py <<'E'\n{meta}E"
    first = history(
        [reply(CAT), reply(typed, shown=PEER)], [read(1), written(2, meta, "meta_agent.py")]
    )
    second = history([reply(shown and TYPE, shown=shown, by_tool=False)], accesses)
    newer = strategy("def other(y):\n    return y[0] - 2\n", "b", 3)
    steps = [
        TurnCode(0, SEED, 0.5, meta="pass"),
        TurnCode(1, SEED, 0.5, (strategy(PEER),), meta, history=first),
        TurnCode(2, PEER, 0.8, (newer,), meta, history=second),
    ]
    return find_adoptions("a", steps)


@pytest.mark.parametrize("meta", [PEER, f"CODE = {PEER!r}\n", json.dumps(PEER) + "\n"])
def test_an_own_file_carries_lines_into_a_later_generation(meta: str) -> None:
    (event,) = carried(meta, accesses=[read(0, "meta_agent.py"), written(1)])
    assert (event.verdict, event.generation, event.strategy) == ("adopted", 2, "strategies/b_gen2")
    step = next(step for step in event.path if step.kind == "carried")
    assert step.quote == "meta_agent.py since generation 1"


def test_what_an_own_file_carries_may_be_displayed_and_typed() -> None:
    (event,) = carried(PEER, PEER, [read(0, "meta_agent.py"), written(1)])
    assert event.verdict == "adopted"
    assert [step.kind for step in event.path][-2:] == ["typed", "came_in"]
