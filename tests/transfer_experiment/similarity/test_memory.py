from functools import lru_cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.folders import read_run
from tests.support.runs.published_runs import Generation, conversation, write_run
from transfer_experiment.analysis import analyse
from transfer_experiment.findings.telling import spans
from transfer_experiment.similarity.moves import LeastRecentlyUsed, Moves, move, move_below

CODE = "def rule(x):\n    return x > 1\n"
KEYS = st.lists(st.integers(0, 9))


def itself(key: int) -> int:
    return key


@given(KEYS, st.integers(1, 5))
def test_what_was_not_used_for_longest_goes_and_is_made_again(keys: list[int], most: int) -> None:
    kept: LeastRecentlyUsed[int] = LeastRecentlyUsed(most)
    made: list[int] = []
    expected = lru_cache(maxsize=most)(itself)
    for key in keys:
        expected(key)
        assert kept.get(key, lambda key=key: made.append(key) or key) == key
    assert len(made) == expected.cache_info().misses


def test_a_move_from_memory_is_the_move() -> None:
    moves = Moves()
    texts = (CODE + "y = 2\n", CODE, CODE + "y = 2\nz = 3\n")
    for _ in range(2):
        assert moves.whole(*texts) == move(*texts)
        assert moves.below(*texts) == move_below(*texts)


def test_a_run_is_found_the_same_again_and_a_changed_trace_is_read_again(tmp_path: Path) -> None:
    read = conversation(("cat strategies/b_gen0/task_agent.py", CODE), "Done.")
    agents = {
        "a": [Generation("x = 1 + 1\n"), Generation(CODE, calls=conversation("Done."))],
        "b": [Generation(CODE), Generation(CODE)],
    }
    run = write_run(tmp_path / "a_vs_b" / "seed1", agents)
    moves = Moves()
    first = analyse(read_run(run), moves=moves)
    assert analyse(read_run(run), moves=moves) == first
    assert {e.verdict for e in first.adoptions} == {"coincident"}
    changed = {**agents, "a": [agents["a"][0], Generation(CODE, calls=read)]}
    other = write_run(tmp_path / "again" / "seed1", changed)
    (other / "a" / "gen_1" / "llm_calls.jsonl").replace(run / "a" / "gen_1" / "llm_calls.jsonl")
    again = analyse(read_run(run), moves=moves)
    assert "adopted" in {e.verdict for e in again.adoptions}


@given(st.sets(st.integers(0, 50)))
def test_spans_name_each_number_once(numbers: set[int]) -> None:
    named: list[int] = []
    for part in filter(None, spans(sorted(numbers)).split(", ")):
        first, _, last = part.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == sorted(numbers)
