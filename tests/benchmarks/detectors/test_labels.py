"""Labels follow from the true actions, and what nobody knows is left out."""

from benchmarks.detectors.ground_truth import ActionOfCall
from benchmarks.detectors.labels import Labels, labels_of
from hyperspace.offline.true_action import Act, TrueAction


def line(agent: str, generation: int, act: Act, ordinal: int = 0, **more: object) -> ActionOfCall:
    return ActionOfCall(
        agent=agent,
        generation=generation,
        ordinal=ordinal,
        action=TrueAction(act, "why", **more),  # pyright: ignore[reportArgumentType]
    )


def labels(*truth: ActionOfCall, generations: int = 5) -> Labels:
    return labels_of(truth, ("a", "b"), generations)


def test_neglect_begins_where_the_first_of_three_looks_is_missing() -> None:
    looked = [line("a", generation, "read_peer") for generation in (1, 4)]
    assert labels(*looked, generations=6)["neglect"].true == set[tuple[str, ...]]()
    assert labels(*looked, generations=7)["neglect"].true == {("a", "5")}


def test_a_generation_that_changed_nothing_or_took_it_back_is_stuck() -> None:
    derived = labels(
        line("a", 1, "write", amount=3),
        line("a", 2, "write", amount=3),
        line("a", 2, "undone", 1),
        line("a", 3, "spin"),
        generations=3,
    )
    assert {case for case in derived["stuck"].true if case[0] == "a"} == {("a", "2"), ("a", "3")}


def test_a_loop_is_three_in_a_row_as_the_persona_counts_them() -> None:
    counted = [line("a", 1, "repeat", n, amount=n) for n in (1, 2)]
    assert labels(*counted)["doom_loop"].true == set[tuple[str, ...]]()
    assert labels(*counted, line("a", 1, "spin", 3, amount=3))["doom_loop"].true == {("a", "1")}


def test_bloat_is_known_only_where_every_change_has_its_size() -> None:
    grown = [line("a", generation, "bloat", amount=9) for generation in (1, 2, 3, 4)]
    assert labels(*grown)["bloat"].true == {("a",)}
    assert labels(*grown[:3])["bloat"].true == set[tuple[str, ...]]()
    unsized = labels(*grown, line("a", 5, "restore"))
    assert unsized["bloat"].true == set[tuple[str, ...]]()
    assert ("a",) in unsized["bloat"].unknown


def test_probes_are_single_calls() -> None:
    assert labels(line("b", 1, "probe", 4))["probe"].true == {("b", "1", "4")}


def test_what_a_crasher_breaks_twice_is_unknown() -> None:
    derived = labels(line("a", 1, "break"), line("a", 2, "break"))
    assert ("a", "2") in derived["stuck"].unknown
    assert ("a", "1") not in derived["stuck"].unknown
