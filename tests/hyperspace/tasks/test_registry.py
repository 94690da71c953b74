from pathlib import Path

import pytest

from hyperspace.tasks.base import DomainDataError, UnknownDomain
from hyperspace.tasks.registry import files_sha256, load, names

PLUG_IN = """
from hyperspace.tasks.repo_quality.domain import repo_quality

ready = repo_quality(3)
number = 7

def factory(data, options):
    return repo_quality(int(options["rows"]))

def broken(data, options):
    raise ValueError("no luck")

def leaving(data, options):
    raise SystemExit(0)

class Other(BaseException):
    pass

def other(data, options):
    raise Other("of its own")
"""


EXITS = """
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.table import Row, TableDomain

class Exits(TableDomain):
    def seed_files(self):
        raise SystemExit(0)

def make(data, options):
    rows = {s: [Row(s, {}, "yes")] for s in SPLITS}
    return Exits("exits", rows, smoke_inputs={}, staged_items=1)
"""


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(PLUG_IN)
    return path


def test_an_option_of_a_built_in_reaches_it() -> None:
    assert load("repo_quality?rows_seed=7").data_sha256 != load("repo_quality").data_sha256


@pytest.mark.parametrize("spec", ["repo_quality", "repo_quality+repo_quality"])
def test_the_seed_of_a_run_can_be_the_seed_of_the_rows(spec: str) -> None:
    parts = [f"{part}?rows_seed=run" for part in spec.split("+")]
    of_run = load("+".join(parts), run_seed=7)
    assert of_run.data_sha256 == load("+".join(parts).replace("run", "7")).data_sha256


def test_a_ready_domain_comes_from_a_file(plug_in: Path) -> None:
    assert load(f"{plug_in}:ready").data_sha256 == load("repo_quality?rows_seed=3").data_sha256


def test_a_factory_in_a_file_gets_the_options(plug_in: Path) -> None:
    loaded = load(f"{plug_in}:factory?rows=5")
    assert loaded.data_sha256 == load("repo_quality?rows_seed=5").data_sha256


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("chess", r"no domain is called 'chess'; there are .*imo_grading, .*panel, .*repo_quality"),
        ("missing.py:ready", r"no file missing\.py"),
    ],
)
def test_an_unknown_name_is_told_what_exists(spec: str, says: str) -> None:
    with pytest.raises(UnknownDomain, match=says):
        load(spec)


@pytest.mark.parametrize(
    ("attribute", "says"),
    [
        ("absent", "defines no 'absent'; it defines repo_quality, ready, number"),
        ("number", "is not a domain: it lacks name"),
        ("broken", r"failed when called with \(data, options\): ValueError: no luck"),
        ("leaving", r"failed when called with \(data, options\): SystemExit: 0"),
        ("other", r"failed when called with \(data, options\): Other: of its own"),
    ],
)
def test_a_file_without_a_domain_is_told_why(plug_in: Path, attribute: str, says: str) -> None:
    with pytest.raises(UnknownDomain, match=says):
        load(f"{plug_in}:{attribute}")


def test_a_file_that_cannot_be_imported_is_told_why(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("import no_such_module_at_all")
    with pytest.raises(UnknownDomain, match="cannot be imported: ModuleNotFoundError"):
        load(f"{path}:anything")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("repo_quality?rows=1", "unknown field `rows`; options: rows_seed"),
        ("repo_quality?rows_seed=x", "at `.\\.rows_seed`; options: rows_seed"),
        ("repo_quality?rows_seed=-1", ">= 0 - at `.\\.rows_seed`"),
        ("repo_quality?rows_seed=run", "is the seed of a run, and this is none"),
        ("imo_grading", "name their folder with --data"),
        ("imo_grading?a=b", "unknown field `a`; options: none"),
    ],
)
def test_a_bad_option_or_missing_data_is_one_sentence(spec: str, says: str) -> None:
    with pytest.raises(DomainDataError, match=says) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


def test_data_for_a_domain_that_reads_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match="reads no folder"):
        load("repo_quality", data=tmp_path)


def test_built_ins_are_listed_with_a_line_each() -> None:
    assert {"repo_quality", "imo_grading"} <= names().keys()
    assert all(about and "\n" not in about for about in names().values())


@pytest.mark.parametrize(
    "text", ["raise SystemExit(0)\n", "def mine(data, options):\n    exit()\n"]
)
def test_a_file_that_ends_the_program_is_a_file_that_fails(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(UnknownDomain, match="SystemExit"):
        load(f"{path}:mine")


def test_a_domain_of_a_file_can_be_joined_first_or_last(plug_in: Path) -> None:
    first, last = load(f"{plug_in}:ready+panel"), load(f"panel+{plug_in}:ready")
    assert (first.name, last.name) == ("repo_quality+panel", "panel+repo_quality")


def test_the_files_of_a_domain_have_a_hash_and_what_is_built_in_has_none(plug_in: Path) -> None:
    before = files_sha256(f"{plug_in}:ready")
    assert before is not None
    assert before == files_sha256(f"{plug_in}:factory?rows=5")
    plug_in.write_text(f"{PLUG_IN}\nfurther = 1\n")
    assert files_sha256(f"{plug_in}:ready") != before
    assert files_sha256(f"panel+{plug_in}:ready") is not None
    assert files_sha256("repo_quality+panel") is None


def test_a_file_that_exits_when_it_is_looked_at_is_told(tmp_path: Path) -> None:
    path = tmp_path / "exits.py"
    path.write_text(EXITS)
    with pytest.raises(DomainDataError, match="failed when it was looked at: SystemExit: 0"):
        load(f"{path}:make")
