"""Code of a peer in other words: which verdict it has, and what says too little for one."""

from tests.support.runs.judging import Access, find_adoptions, history, reply, strategy
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.turns.code import SeenStrategy, TurnCode

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = '''def weighted_average_of_everything(measurements):
    """A small average, rounded up."""
    accumulated_total_so_far = 0.0
    for individual_measurement in measurements:
        accumulated_total_so_far += individual_measurement * 0.375
    return accumulated_total_so_far / max(1, len(measurements))
'''
RENAMED = '''def f(q):
    """A small average, rounded up."""
    z = 0.0
    for k in q:
        z += k * 0.375
    return z / max(1, len(q))
'''
B = "strategies/b_gen2/task_agent.py"


def judged(text: str, *seen: SeenStrategy, own: str = SEED) -> list[Adoption]:
    """Displays b's code, which is the first of those in sight, and types a text."""
    accesses: list[Access] = [(1, "read", B, ""), (2, "written", "task_agent.py", text)]
    replies = [reply(f"cat {B}"), reply(f"cat > x <<'E'\n{text}E", shown=seen[0].text)]
    made = TurnCode(1, text, 0.8, seen, history=history(replies, accesses))
    return find_adoptions("a", [TurnCode(0, own, 0.5), made])


def test_a_whole_copy_under_other_names_is_adopted_though_little_of_its_text_is_alike() -> None:
    shared = "RATES = (0.125, 0.625, 0.875)\n"
    own = (
        shared.replace("RATES", "rates") + "def f(q):\n    z = 0.5\n    return z / max(2, len(q))\n"
    )
    (event,) = judged(shared + RENAMED, strategy(shared + PEER), own=own)
    assert event.verdict == "adopted"
    assert event.ratio >= 0.4
    assert event.peer_lines > 0


def test_one_function_of_several_is_inspired() -> None:
    more = "".join(f"def own{n}(y):\n    return y * {n}.5 + {n}\n" for n in range(20))
    (event,) = judged(SEED + more + RENAMED, strategy(PEER), own=SEED + more)
    assert event.verdict == "inspired"


def test_a_docstring_alone_is_no_event() -> None:
    noted = SEED.replace(":\n", ':\n    """A small average, rounded up."""\n', 1)
    assert judged(noted + "def g(y):\n    return y * y - 3\n", strategy(PEER)) == []


def test_a_comment_alone_is_no_event() -> None:
    peer = f"# sums what is heavy first\n{PEER}"
    assert judged(f"# sums what is heavy first\n{SEED}", strategy(peer)) == []


def test_code_that_another_peer_has_as_it_is_was_not_renamed() -> None:
    events = judged(RENAMED, strategy(PEER), strategy(RENAMED, "c", 1))
    assert [event.peer for event in events if event.verdict in ("adopted", "inspired")] == []
    assert [event.peer for event in events if event.ratio == 0] == ["c"]
