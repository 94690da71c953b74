"""The archive as a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.records import Generation, RunAgent
from replication.report.tree import branches, layout, lineage, origins, shape_of


def archive(parents: list[int | None]) -> RunAgent:
    return RunAgent(
        "",
        tuple(
            Generation(generation=at, parent=parent, valid=True, val=at / 10)
            for at, parent in enumerate(parents)
        ),
    )


TREE = archive([None, 0, 0, 1, 3, 2])


def test_the_shape_tells_parents_and_the_deepest_line() -> None:
    assert shape_of(TREE) == (6, 4, 3)


def test_descent_goes_from_the_seed_to_the_generation() -> None:
    assert [row.generation for row in lineage(TREE, 4)] == [0, 1, 3, 4]
    assert "descent of the best: 0 0.000 > 2 0.200 > 5 0.500" in list(branches(TREE))


def test_one_step_is_no_steps() -> None:
    assert next(branches(archive([None, 0]))) == (
        "2 generations, 1 of them was built upon, deepest line 1 step"
    )


def test_a_source_without_parents_says_so() -> None:
    assert list(branches(archive([None, None]))) == [
        "which generation came from which is not in the source"
    ]


@pytest.mark.long
@given(st.lists(st.none() | st.integers(0, 40), min_size=1, max_size=40))
def test_every_generation_has_its_own_place_and_stands_right_of_its_parent(
    parents: list[int | None],
) -> None:
    agent = archive(parents)
    nodes = layout(agent)
    assert len({(node.x, node.y) for node in nodes}) == len(parents)
    for node in nodes:
        assert node.parent is None or nodes[node.parent].x < node.x
    assert all(parent is None or parent < at for at, parent in origins(agent.generations).items())


def test_ten_thousand_generations_in_one_line_are_laid_out() -> None:
    agent = archive([None, *range(9_999)])
    assert {node.y for node in layout(agent)} == {0}
    assert shape_of(agent).deepest == 9_999
