from hypothesis import given
from hypothesis import strategies as st

from transfer_experiment.adoption.lineage import Lineage, Origin
from transfer_experiment.turns.lines import is_telling, lines_of

TEXTS = st.lists(
    st.lists(st.sampled_from(("a = 1", "b = 2", "c = 3", "d = 4", "else:", "")), max_size=8).map(
        "\n".join
    ),
    min_size=1,
    max_size=5,
)


def test_a_line_keeps_the_origin_that_it_first_came_in_with() -> None:
    lineage = Lineage()
    lineage.take(0, "import os\n", {})
    lineage.take(3, "import os\nx = fsum(y)\nz = own(y)\n", {"b_gen2": lines_of("x = fsum(y)")})
    lineage.take(4, "z = own(y)\n", {})
    labelled = lineage.label("import os\n\nx = fsum(y)\nz = own(y)\n")
    assert [line.origin for line in labelled] == [
        Origin(0, ""),
        None,
        Origin(3, "b_gen2"),
        Origin(3, ""),
    ]


def test_brackets_and_lone_keywords_tell_nothing() -> None:
    assert [is_telling(line) for line in (")", "else:", "pass", "import os", "x += 1")] == [
        False,
        False,
        False,
        False,
        True,
    ]


@given(TEXTS, st.text(alphabet="ab =12\n", max_size=30))
def test_every_line_is_from_the_peer_or_own_or_new(texts: list[str], peer: str) -> None:
    lineage = Lineage()
    for generation, text in enumerate(texts):
        counts = lineage.count(text, lines_of(peer))
        there = [line for line in text.splitlines() if line.strip()]
        assert counts.peer + counts.own + counts.new == len(there)
        lineage.take(generation, text, {"b_gen0": lines_of(peer)})
        assert all(line.origin for line in lineage.label(text) if line.text.strip())


@given(TEXTS)
def test_what_was_taken_in_is_own_ever_after(texts: list[str]) -> None:
    lineage = Lineage()
    for generation, text in enumerate(texts):
        lineage.take(generation, text, {})
    for text in texts:
        counts = lineage.count(text, frozenset())
        assert (counts.peer, counts.new) == (0, 0)
        assert lineage.from_peer(text, lines_of(text)) == []
