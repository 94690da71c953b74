"""The file that describes a fleet: what it says, and what it may not say."""

import textwrap
from pathlib import Path

import pytest

from evolution.errors import RunUsageError
from evolution.state.config import config_of
from evolution.state.options.fleet import EDITABLE, Sharing
from tests.support.runs.played import ROOT
from transfer_experiment.fleet_file import fleet_options, read_fleet

HEAD = 'name = "f"\ndomain = "repo_quality"\n'
TWO = '[[agents]]\nmodel = "offline/tinker"\n[[agents]]\nmodel = "offline/magpie"\n'


def file(folder: Path, text: str) -> Path:
    path = folder / "fleet.toml"
    path.write_text(text)
    return path


def test_a_short_file_is_a_pair_with_the_defaults(tmp_path: Path) -> None:
    fleet = read_fleet(file(tmp_path, HEAD + TWO))
    terms = fleet.terms("sharing")
    assert fleet.names == ("tinker", "magpie")
    assert terms.schedule == "alternating"
    assert terms.sharing == Sharing()
    assert [member.generations for member in terms.members] == [10, 10]
    assert terms.members[0].scope == EDITABLE


def test_a_count_makes_agents_of_their_own(tmp_path: Path) -> None:
    text = HEAD + '[[agents]]\nmodel = "offline/tinker"\ncount = 28\nbudget = 3\n'
    fleet = read_fleet(file(tmp_path, text))
    assert fleet.names[:3] == ("tinker", "tinker_b", "tinker_c")
    assert fleet.names[-3:] == ("tinker_z", "tinker_aa", "tinker_ab")
    assert fleet.longest == 3
    assert len(set(fleet.models)) == 1


def test_arms_and_seeds_are_runs_with_names_of_their_own(tmp_path: Path) -> None:
    fleet = read_fleet(file(tmp_path, HEAD + TWO))
    runs = fleet_options(fleet, ("sharing", "placebo"), (1, 2))
    assert [(run.name(), run.seed) for run in runs] == [
        ("f", 1),
        ("f_placebo", 1),
        ("f", 2),
        ("f_placebo", 2),
    ]
    configs = [config_of(run, "") for run in runs]
    assert [config.together.sharing.arm for config in configs] == ["sharing", "placebo"] * 2
    assert {config.kind for config in configs} == {"fleet"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + TWO + "buget = 3\n", r"unknown field `buget` - at `\$\.agents\[1\]`"),
        (HEAD + "sharing = {whom = 1}\n" + TWO, r"`whom` - at `\$\.sharing`"),
        (HEAD + TWO + "budget = -1\n", r">= 0 - at `\$\.agents\[1\]\.budget`"),
        (HEAD + 'schedule = "random"\n' + TWO, r"'random' - at `\$\.schedule`"),
        (HEAD, "missing required field `agents`"),
        (HEAD + "agents = []\n", "no agents"),
        ("name = 1 2", "no TOML"),
        (TWO + 'name = "x"\n', "missing|unknown"),
        ('name = "../x"\ndomain = "d"\n' + TWO, "no folder name"),
        (HEAD + TWO + 'name = "a_b"\n', r"agents\[1\]\.name"),
        (HEAD + TWO + 'name = "space.db"\n', r"agents\[1\]\.name"),
        (HEAD + TWO + 'scope = ["agent/**"]\n', "the host's"),
        (HEAD + TWO + "scope = []\n", "could change nothing"),
        (HEAD + TWO + 'island = "x"\n', "do nothing with schedule = 'alternating'"),
        (HEAD + 'schedule = "islands"\n' + TWO, "an island for each agent"),
        (HEAD + 'sharing = {arm = "shuffled", what = ["task"]}\n' + TWO, "shows none"),
        (HEAD + 'sharing = {arm = "placebo", show = "none"}\n' + TWO, "show is 'none'"),
        (HEAD + "sharing = {k = 0}\n" + TWO, "k"),
        (
            HEAD + TWO.replace("\n[[", "\nbudget = 0\n[[") + "budget = 0\n",
            "budget is 0",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(RunUsageError, match=message):
        read_fleet(file(tmp_path, text))


def test_an_arm_that_the_file_leaves_nothing_to_do_is_refused(tmp_path: Path) -> None:
    fleet = read_fleet(file(tmp_path, HEAD + 'sharing = {what = ["task"]}\n' + TWO))
    with pytest.raises(RunUsageError, match="shuffles scores"):
        fleet_options(fleet, ("shuffled",), (1,))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunUsageError, match=r"none\.toml cannot be read"):
        read_fleet(tmp_path / "none.toml")


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "guide" / "fleets.md").read_text()
    _, _, example = (ROOT / "docs" / "examples" / "fleet.toml").read_text().partition("\n")
    assert textwrap.indent(example, "    ") in page
