"""The file that describes a fleet: what it says, and what it may not say."""

import textwrap
from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.options.fleet import EDITABLE, Sharing, TeamMeasure
from tests.support.runs.played import ROOT
from transfer_experiment.fleet_file import read_fleet

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
    assert terms.measure == TeamMeasure("team_test")


def test_a_count_makes_agents_of_their_own(tmp_path: Path) -> None:
    text = HEAD + '[[agents]]\nmodel = "offline/tinker"\ncount = 28\nbudget = 3\n'
    fleet = read_fleet(file(tmp_path, text))
    assert fleet.names[:3] == ("tinker", "tinker_b", "tinker_c")
    assert fleet.names[-3:] == ("tinker_z", "tinker_aa", "tinker_ab")
    assert fleet.longest == 3
    assert len(set(fleet.models)) == 1


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
        (HEAD + TWO + 'scope = ["*.py", "/etc/*"]\n', r"agents\[1\]\.scope has '/etc/\*', which"),
        (HEAD + TWO + 'scope = ["../x"]\n', r"'tools/\*\*'"),
        (HEAD + TWO + 'scope = [""]\n', "matches no path of a workspace"),
        (HEAD + TWO + 'island = "x"\n', "do nothing with schedule = 'alternating'"),
        (HEAD + 'schedule = "islands"\n' + TWO, "an island for each agent"),
        (HEAD + 'sharing = {arm = "shuffled", what = ["task"]}\n' + TWO, "shows none"),
        (HEAD + 'sharing = {arm = "placebo", show = "none"}\n' + TWO, "show is 'none'"),
        (HEAD + "sharing = {k = 0}\n" + TWO, "k"),
        (HEAD + 'measure = {name = "mean"}\n' + TWO, r"'mean' - at `\$\.measure\.name`"),
        (HEAD + 'measure = {name = "time_to"}\n' + TWO, "threshold"),
        (HEAD + "measure = {threshold = 0.8}\n" + TWO, "threshold"),
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


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunUsageError, match=r"none\.toml is missing"):
        read_fleet(tmp_path / "none.toml")


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "guide" / "fleets.md").read_text()
    _, _, example = (ROOT / "docs" / "examples" / "fleet.toml").read_text().partition("\n")
    assert textwrap.indent(example, "    ") in page
