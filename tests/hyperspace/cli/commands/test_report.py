"""`hyperspace report` and `hyperspace eval_progress`, as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from markspace.extras import how_to_install
from tests.replication.report.runs import PUBLISHED, paired, solo
from tests.support.command import failed, hyperspace, without


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three arms on two seeds, and a pairing, in the published form."""
    base = tmp_path / "runs"
    for seed in (42, 43):
        solo(base, "arm_a_full", seed, [0.0, 0.2, None, 0.5])
        solo(base, "arm_b_freeze", seed, [0.0, 0.3, 0.1, 0.4])
        solo(base, "aa", seed, [0.0, 0.2, None, 0.6])
    paired(base, {"claude": [0.1, 0.5], "kimi": [0.2, None]}, 44)
    return base


def test_a_report_says_its_verdict_first_and_explains_each_number(runs: Path) -> None:
    assert "What the numbers mean" not in hyperspace("report", runs / "imo").stdout
    done = hyperspace("report", runs / "imo", "--legend")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert text.index("Verdict") < text.index("Medians over seeds")
    assert "The one comparison cannot be separated with this many seeds" in text
    assert "aa is a control (A/A" in text
    assert "aa against arm_a_full (A/A)" in text
    explained = text[text.index("What the numbers mean") :]
    for term in ("best val:", "95% interval:", "adjusted:", "smallest p:", "Cliff's delta:"):
        assert term in explained


def test_the_json_form_is_one_object_and_nothing_else(runs: Path) -> None:
    told = json.loads(hyperspace("report", runs, "--json").stdout)
    names = {(found["experiment"], found["domain"]) for found in told["experiments"]}
    assert (told["version"], names) == (1, {("imo", ""), ("", "")})
    arms = [arm["arm"] for found in told["experiments"] for arm in found["arms"]]
    assert sorted(arms) == ["aa", "arm_a_full", "arm_b_freeze", "claude_vs_kimi"]


@pytest.mark.long
def test_a_page_and_images_are_written_and_said_apart_from_the_output(
    runs: Path, tmp_path: Path
) -> None:
    page, images = tmp_path / "report.html", tmp_path / "images"
    to = ("--json", "--html", page, "--png", images)
    done = hyperspace("report", runs / "claude_vs_kimi", *to)
    assert json.loads(done.stdout)["experiments"]
    assert done.stderr == f"written: {page}\nwritten: {images}\n"
    assert page.read_text().startswith("<!doctype html>")
    names = {path.name for path in images.iterdir()}
    assert names == {"medians-val.png", "best-so-far.png", "code-size.png"}


@pytest.mark.long
def test_progress_is_drawn_as_one_image_and_as_a_page(runs: Path, tmp_path: Path) -> None:
    image, page = tmp_path / "curves.png", tmp_path / "curves.html"
    to = ("--png", image, "--html", page)
    assert hyperspace("eval_progress", runs / "claude_vs_kimi", *to).returncode == 0
    assert image.read_bytes().startswith(b"\x89PNG")
    assert "claude_vs_kimi seed 44 kimi" in page.read_text()


@pytest.mark.long
def test_panels_of_equal_arms_and_seeds_are_named_apart(runs: Path, tmp_path: Path) -> None:
    (runs / "imo").rename(tmp_path / "runs" / "first")
    solo(runs, "arm_a_full", 42, [0.0, 0.1])
    page = tmp_path / "curves.html"
    assert hyperspace("eval_progress", runs, "--html", page).returncode == 0
    drawn = page.read_text().partition("<table>")[0]
    assert ">first/arm_a_full seed 42<" in drawn
    assert ">imo/arm_a_full seed 42<" in drawn


@pytest.mark.long
def test_progress_shows_every_agent_and_is_the_same_by_every_name(runs: Path) -> None:
    done = hyperspace("eval_progress", runs)
    assert "imo/arm_a_full seed 42: 4 generations, best 0.500 at generation 3" in done.stdout
    assert "claude_vs_kimi seed 44 kimi: 2 generations, best 0.200 at generation 0" in done.stdout
    for module in ("replication", "transfer_experiment"):
        command = [sys.executable, "-m", f"{module}.eval_progress", str(runs)]
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        assert again.stdout == done.stdout


def test_progress_as_json_has_the_curves(runs: Path) -> None:
    told = json.loads(hyperspace("eval_progress", runs, "--json").stdout)
    curve = next(one for one in told["curves"] if one["arm"] == "arm_a_full")
    assert curve["val"] == [0.0, 0.2, None, 0.5]
    assert curve["best"] == [0.0, 0.2, 0.2, 0.5]


@pytest.mark.long
def test_a_place_without_runs_is_a_usage_error(tmp_path: Path) -> None:
    assert "does not exist" in failed(hyperspace("report", tmp_path / "nothing"), 2)
    assert "holds no run" in failed(hyperspace("eval_progress", tmp_path), 2)


def test_a_place_that_is_no_file_and_no_folder_is_not_said_to_be_missing() -> None:
    message = failed(hyperspace("report", "/dev/null"), 2)
    assert "/dev/null is neither a file nor a folder" in message


@pytest.mark.long
def test_several_experiments_in_one_image_are_refused_before_anything_is_written(
    runs: Path, tmp_path: Path
) -> None:
    page, image = tmp_path / "x.html", tmp_path / "x.png"
    message = failed(hyperspace("report", runs, "--png", image, "--html", page), 2)
    assert "2 experiments do not go into one image; name a folder" in message
    assert not page.exists()
    assert not image.exists()


def test_an_arm_that_is_not_there_is_named_with_those_that_are(runs: Path) -> None:
    message = failed(hyperspace("report", runs, "--against", "arm_z"), 2)
    assert "'arm_z'" in message
    assert "aa, arm_a_full, arm_b_freeze, claude_vs_kimi" in message


def test_a_page_cannot_replace_a_folder(runs: Path, tmp_path: Path) -> None:
    assert "is a folder" in failed(hyperspace("report", runs, "--html", tmp_path), 2)


@pytest.mark.long
def test_without_matplotlib_figures_are_one_sentence_and_numbers_still_come(runs: Path) -> None:
    done = without("matplotlib", "report", runs, "--html", "x.html")
    assert how_to_install("report") in failed(done, 1)
    assert without("matplotlib", "report", runs).stdout


@pytest.mark.long
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published scores in {PUBLISHED}")
def test_the_published_runs_are_reported_from_their_table() -> None:
    done = hyperspace("report", PUBLISHED / "replication_scores.csv")
    rows = [line.split() for line in done.stdout.splitlines()]
    medians = {row[0]: row[2] for row in rows if len(row) == 10 and row[0].startswith("arm_")}
    assert list(medians.values()) == ["0.580", "0.580", "0.570", "0.615"]
