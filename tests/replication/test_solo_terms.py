"""Arms by name and by flag, their controls, and what they are called on disk."""

from math import isclose
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.extensions.tournament.tournament import decide, is_tournament, tournaments
from hyperspace.kernel.errors import ConfigMismatch, RunUsageError
from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.kernel.state.config import RunConfig, require_equal
from hyperspace.options.solo import Annealing, SoloTerms
from replication.arms import Changes, control_of, solo_terms

SHARES = st.floats(0.0, 1.0)


def test_flags_and_names_lead_to_the_same_arms() -> None:
    by_flag = {
        "a": Changes(),
        "b": Changes(frozen_meta=True),
        "c": Changes(selection="random"),
        "d": Changes(annealing=Annealing()),
    }
    for arm, changes in by_flag.items():
        assert solo_terms("e", arm) == solo_terms("e", "a", changes)
    folders = [solo_terms("e", arm).arm for arm in by_flag]
    assert folders == ["arm_a_full", "arm_b_freeze", "arm_c_random", "arm_d_annealing"]


def test_what_no_arm_does_has_a_name_of_its_own() -> None:
    changes = Changes(selection="score_child_prop:paper", frozen_meta=True)
    assert solo_terms("e", "a", changes).arm == "arm_freeze_score_child_prop-paper"
    assert solo_terms("e", "c", seed_agent="informed").arm == "arm_c_random_informed"


def test_aa_is_the_arm_on_other_numbers_and_nothing_else() -> None:
    arm = solo_terms("e", "d")
    control = control_of(arm, "aa")
    assert control == msgspec.structs.replace(arm, arm="arm_d_annealing_aa", stream="aa")
    assert config(control).root_seed != config(arm).root_seed == 7


def test_best_of_n_builds_on_nothing() -> None:
    terms = solo_terms("e", "b", control="best_of_n")
    assert (terms.selection, terms.history, terms.frozen_meta) == ("initial", "parent", False)
    assert terms == solo_terms("e", "best_of_n")


def test_best_of_n_starts_as_its_arm_does_and_one_of_tournaments_is_another() -> None:
    informed = solo_terms("e", "a", seed_agent="informed", control="best_of_n")
    assert (informed.arm, informed.seed_agent) == ("best_of_n_informed", "informed")
    annealed = solo_terms("e", "d", control="best_of_n")
    assert annealed.arm == "best_of_n_annealing"
    assert annealed == msgspec.structs.replace(solo_terms("e", "best_of_n"), arm=annealed.arm)


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b"])
def test_an_experiment_that_is_no_folder_name_is_refused(name: str) -> None:
    with pytest.raises(RunUsageError, match="results folder"):
        solo_terms(name)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"experiment": "e", "arm": name}, SoloTerms)


def test_an_unknown_arm_is_refused_with_those_that_exist() -> None:
    with pytest.raises(RunUsageError, match="arm_b_freeze"):
        solo_terms("e", "z")


def config(solo: SoloTerms, generations: int = 10) -> RunConfig:
    return RunConfig(
        kind="solo",
        domain="d",
        data_sha256="",
        models=("m",),
        agents=("m",),
        eval_model=None,
        generations=generations,
        seed=7,
        solo=solo,
    )


def test_a_mismatch_names_the_field_within_the_terms(tmp_path: Path) -> None:
    found = solo_terms("e", "d")
    asked = msgspec.structs.replace(found, annealing=Annealing(p0=0.4))
    with pytest.raises(ConfigMismatch) as raised:
        require_equal(tmp_path, config(found), config(asked))
    assert raised.value.field == "solo.annealing.p0"


def test_fewer_generations_are_a_mismatch_and_more_are_none(tmp_path: Path) -> None:
    terms = solo_terms("e")
    longer = msgspec.structs.replace(config(terms, 20), extended=(10,))
    require_equal(tmp_path, config(terms), longer)
    with pytest.raises(ConfigMismatch, match="generations=5"):
        require_equal(tmp_path, config(terms), config(terms, 5))


def test_an_extension_does_not_change_how_many_iterations_were_left() -> None:
    extended = msgspec.structs.replace(config(solo_terms("e"), 20), extended=(10,))
    assert [extended.iterations_left("m", number) for number in (1, 10, 11, 20)] == [9, 0, 9, 0]


@pytest.mark.parametrize(
    ("blind", "directed", "winner"),
    [
        (0.5, 0.5, "directed"),
        (0.6, 0.5, "blind"),
        (0.5, 0.6, "directed"),
        (None, None, "directed"),
        (None, 0.0, "directed"),
        (0.0, None, "blind"),
    ],
)
def test_the_better_candidate_is_kept(
    blind: float | None, directed: float | None, winner: str
) -> None:
    assert decide(blind, directed) == winner


@given(SHARES, SHARES, st.integers(0, 30))
def test_the_probability_decays_with_each_tournament(p0: float, decay: float, held: int) -> None:
    annealing = Annealing(p0=p0, decay=decay)
    assert annealing.probability(0) == p0
    after, before = annealing.probability(held + 1), annealing.probability(held)
    assert isclose(after, before * decay, abs_tol=1e-300)  # the smallest floats are rounded


@given(SHARES, st.integers(0, 30))
def test_the_expected_number_of_tournaments_has_closed_forms_at_both_ends(
    p0: float, generations: int
) -> None:
    lasting = Annealing(p0=p0, decay=1.0).expected(generations)
    assert isclose(lasting, p0 * generations, abs_tol=1e-9)
    once = Annealing(p0=p0, decay=0.0).expected(generations)
    assert isclose(once, 1 - (1 - p0) ** generations, abs_tol=1e-9)


def entry(generation: int, *, tournament: bool) -> ArchiveEntry:
    return ArchiveEntry(
        generation=generation,
        parent=None,
        valid=False,
        fitness=0.0,
        train_score=None,
        val_score=None,
        is_best=False,
        compiled=False,
        tournament=tournament,
    )


def annealed(p0: float, decay: float, generations: int = 30) -> RunConfig:
    annealing = Annealing(p0=p0, decay=decay)
    return config(solo_terms("e", "a", Changes(annealing=annealing)), generations)


def test_a_tournament_becomes_rarer_by_those_that_were_held_alone() -> None:
    never_again = annealed(1.0, 0.0)
    archive = Archive("m")
    for generation in range(6):
        archive.take(entry(generation, tournament=False))
    assert is_tournament(never_again, archive, 6)
    archive.take(entry(6, tournament=True))
    assert not is_tournament(never_again, archive, 7)


@given(SHARES, SHARES)
def test_the_number_of_tournaments_is_known_before_the_run(p0: float, decay: float) -> None:
    asked = annealed(p0, decay)
    archive = Archive("m")
    for generation in range(31):
        held = is_tournament(asked, archive, generation)
        archive.take(entry(generation, tournament=held))
    assert tournaments(asked, "m") == archive.tournaments


def test_a_probability_outside_of_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="p0"):
        Annealing(p0=1.5)
