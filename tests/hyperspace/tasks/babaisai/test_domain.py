import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hyperspace.tasks.babaisai.domain import BabaDomain, make
from hyperspace.tasks.babaisai.pool import is_sealed
from hyperspace.tasks.babaisai.solver import shortest_plan
from hyperspace.tasks.base import SPLITS, DomainDataError, DomainError, Item
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tasks.shapes.renewable import Renewable
from tests.support.baba_maps import level
from tests.support.tasks.episodes import Scripted, load_source, play_out, predictions, seed_agent

SOLVABLE = level("KEY IS WIN . .", "baba . . . key", "BABA IS YOU . .")
OUTSIDE = SOLVABLE | {"objects": [["baba", 0, 1]]}
HOPELESS = level("KEY IS WIN", "baba . .", "BABA IS YOU")


@pytest.fixture(scope="module")
def domain() -> BabaDomain:
    return make(None, {})


def layout(item: Item) -> str:
    return str((sorted(item.inputs["blocks"]), sorted(item.inputs["objects"])))


def given(folder: Path, **splits: Any) -> Path:
    form = ("width", "height", "blocks", "objects")
    levels = {split: [SOLVABLE] for split in SPLITS} | splits
    plain = {
        split: [{name: part[name] for name in form} for part in parts]
        for split, parts in levels.items()
    }
    (folder / "levels.json").write_text(json.dumps(plain))
    return folder


def test_it_has_the_shapes_of_an_episode(domain: BabaDomain) -> None:
    for shape in (Interactive, Documented, Limited, Renewable):
        assert isinstance(domain, shape)


def test_train_and_validation_have_33_kinds_and_test_all_40(domain: BabaDomain) -> None:
    kinds = {s: Counter(item.inputs["kind"] for item in domain.items(s)) for s in SPLITS}
    assert {split: (len(kinds[split]), set(kinds[split].values())) for split in SPLITS} == {
        "train": (33, {1}),
        "val": (33, {2}),
        "test": (40, {3}),
    }
    sealed = {kind for kind in kinds["test"] if is_sealed(kind)}
    assert sealed == set(kinds["test"]) - set(kinds["train"])
    assert set(kinds["val"]) == set(kinds["train"])


@pytest.mark.long
@pytest.mark.parametrize("seed", ["1", "2", "17"])
def test_no_level_is_in_two_splits_or_epochs(seed: str) -> None:
    domain = make(None, {"rows_seed": seed})
    items = [item for split in SPLITS for item in domain.items(split)]
    for epoch in range(1, 18):
        items += domain.renewed(epoch).items("val")
    layouts = [layout(item) for item in items]
    assert len(set(layouts)) == len(layouts) == 33 + 18 * 66 + 120


def test_epochs_end_where_the_levels_do(domain: BabaDomain) -> None:
    with pytest.raises(DomainError, match="epochs of validation up to 17, no further"):
        domain.renewed(18)


def test_another_epoch_changes_validation_alone(domain: BabaDomain) -> None:
    other = domain.renewed(3)
    assert domain.renewed(0).items("val") == domain.items("val") != other.items("val")
    assert (other.data_sha256, other.name) == (domain.data_sha256, domain.name)
    assert [other.items(s) for s in ("train", "test")] == [
        domain.items(s) for s in ("train", "test")
    ]


def test_equal_options_give_equal_levels_and_another_seed_other_ones() -> None:
    hashes = [make(None, {"rows_seed": seed}).data_sha256 for seed in ("1", "1", "2")]
    assert hashes[0] == hashes[1] != hashes[2]


def test_what_an_agent_is_told_has_no_plan(domain: BabaDomain) -> None:
    observation = domain.open(domain.items("val")[0]).observe()
    assert observation is not None
    assert observation.keys() == domain.smoke_item().inputs.keys()


def test_short_plans_win_their_items_on_the_host(domain: BabaDomain) -> None:
    items = [item for item in domain.items("train") if item.inputs["plan"] <= 12]
    assert len(items) > 10
    for item in items:
        plan = shortest_plan(item.inputs)
        assert plan is not None
        episode = domain.open(item)
        play_out(episode, Scripted(*plan))
        outcome = episode.outcome()
        assert outcome.score == outcome.details["efficiency"] == 1.0
        assert outcome.details["steps"] == item.inputs["plan"] == len(plan)


@pytest.mark.long
def test_the_seed_agent_has_room_to_get_better(domain: BabaDomain) -> None:
    for split in SPLITS:
        texts = predictions(domain, split, lambda: seed_agent(domain))
        assert 0.25 < domain.score(split, texts) < 0.45


def test_the_seed_agent_answers_the_smoke_item(domain: BabaDomain) -> None:
    assert seed_agent(domain).forward(domain.smoke_item().inputs) == ("right", [])


def test_an_episode_depends_on_its_item_and_actions_alone(domain: BabaDomain) -> None:
    item, actions = domain.items("val")[0], ("up", "oops", "left", "down", "right", "idle")
    first, again = domain.open(item), domain.open(item)
    told = play_out(first, Scripted(*actions))
    assert play_out(again, Scripted(*actions)) == told
    assert (again.outcome(), again.draw()) == (first.outcome(), first.draw())


def test_an_outcome_has_its_figures_at_any_time(domain: BabaDomain) -> None:
    episode = domain.open(domain.items("train")[0])
    plan = domain.items("train")[0].inputs["plan"]
    assert episode.outcome().reason == f"stopped early, 0 steps, shortest plan {plan}"
    play_out(episode, Scripted("oops"))
    outcome = episode.outcome()
    assert outcome.reason == f"ran out of steps, 100 steps, shortest plan {plan}"
    assert (outcome.score, outcome.details["malformed"]) == (0.0, 100)


@pytest.mark.long
def test_the_published_rules_score_as_the_host_does(domain: BabaDomain) -> None:
    published = load_source(domain.task_files()["score.py"])
    texts = predictions(domain, "train", lambda: seed_agent(domain))
    for item in domain.items("train"):
        score = published["play"](item.inputs, seed_agent(domain))
        assert score == decode_outcome(texts[item.id]).score


def test_the_published_rules_need_the_standard_library_alone(domain: BabaDomain) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", domain.task_files()["score.py"].decode()],
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rows_seed": "x"}, "Expected `int`, got `str` - at `\\$.rows_seed`"),
        ({"levels": "6"}, "unknown field `levels`; options: rows_seed"),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)


def test_given_levels_are_played_and_their_plans_measured(tmp_path: Path) -> None:
    domain = make(given(tmp_path), {})
    assert [item.inputs["plan"] for item in domain.items("test")] == [4]
    texts = predictions(domain, "test", lambda: Scripted("right"))
    assert domain.score("test", texts) == 1.0
    with pytest.raises(DomainError, match="where levels are given"):
        domain.renewed(1)


@pytest.mark.parametrize(
    ("val", "says"),
    [
        ([HOPELESS], "level 0 of val has no solution of at most 100 steps"),
        (
            [SOLVABLE, SOLVABLE | {"objects": [["baba", 0, 1]]}],
            "level 1 of val: .* the ring of wall",
        ),
        ([SOLVABLE | {"objects": [["baba", 1, 1]]}], "a block shares its cell with something"),
        ([SOLVABLE | {"objects": [["frog", 1, 2]]}], "Invalid enum value 'frog'"),
        ([SOLVABLE | {"width": 10**9}], "Expected `int` <= 20"),
        ([], "no items in val"),
        ([SOLVABLE] * 501, "length <= 500"),
    ],
)
def test_a_given_level_that_is_no_good_is_refused(tmp_path: Path, val: Any, says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(given(tmp_path, val=val), {})


def test_a_folder_without_levels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match=r"levels\.json is missing"):
        make(tmp_path, {})
    (tmp_path / "levels.json").write_bytes(b"\xff{")
    with pytest.raises(DomainDataError, match=r"levels\.json: "):
        make(tmp_path, {})
    (tmp_path / "levels.json").unlink()
    (tmp_path / "levels.json").symlink_to("/dev/zero")
    with pytest.raises(DomainDataError, match="at most 4194304 bytes"):
        make(tmp_path, {})


def test_it_is_loaded_by_its_name(domain: BabaDomain) -> None:
    assert load("babaisai").data_sha256 == domain.data_sha256
