"""`hyperspace analyze` on folders as they were published; on a run of ours see test_main_job.py."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT
from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run

pytestmark = pytest.mark.long

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two published runs: in one a adopts b's code; the other has lost its traces."""
    base = tmp_path_factory.mktemp("published")
    idle = conversation(("ls", "task_agent.py"), "\x1b[31mDone.")
    read = conversation(("cat strategies/b_gen1/task_agent.py", PEER), "I adopted b_gen1.")
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, idle), Generation(PEER, 0.7, idle)]
    a = [Generation(SEED), Generation(SEED, 0.4, idle), Generation(PEER, 0.8, read)]
    write_run(base / "a_vs_b" / "seed1", {"a": a, "b": b})
    lost = [Generation(SEED), Generation(None, None, POINTER, error="it crashed")]
    write_run(base / "c_vs_c_b" / "seed2", {"c": lost, "c_b": lost})
    return base


@pytest.fixture(scope="module")
def told(base: Path) -> Any:
    done = hyperspace("analyze", base, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_json_object_has_the_promised_fields(told: Any) -> None:
    assert set(told) == {"runs", "totals"}
    run = told["runs"][0]
    assert {"pairing", "seed", "agents", "adoptions", "crashes", "neglects"} <= set(run)
    fields = {"agent", "peer", "generation", "strategy", "ratio", "d_own", "d_peer"}
    fields |= {"score_before", "score_after", "rule", "verdict", "evidence"}
    for event in run["adoptions"]:
        assert fields <= set(event)
        assert event["evidence"]
        for evidence in event["evidence"]:
            assert set(evidence) == {"file", "line", "quote", "rank"}


def test_every_run_below_a_folder_is_analysed(told: Any) -> None:
    assert [(run["pairing"], run["seed"]) for run in told["runs"]] == [
        ("a_vs_b", 1),
        ("c_vs_c_b", 2),
    ]
    totals = told["totals"]
    assert (totals["runs"], totals["agents"], totals["generations"]) == (2, 4, 10)
    assert totals["adoptions"] == {"causal adopted": 1, "published adopted": 1}


def test_evidence_stands_in_the_trace_where_it_says(told: Any, base: Path) -> None:
    event = told["runs"][0]["adoptions"][0]
    for evidence in event["evidence"]:
        trace = (base / "a_vs_b" / "seed1" / evidence["file"]).read_text()
        call = json.loads(trace.splitlines()[evidence["line"] - 1])
        asked = [tool["function"]["arguments"] for tool in call["tool_calls"] or ()]
        displayed = [str(message.get("content")) for message in call["messages"]]
        assert any(evidence["quote"] in text for text in [*asked, *displayed, call["response"]])


def test_what_was_lost_is_said(told: Any) -> None:
    notes = told["runs"][1]["notes"]
    assert [note for note in notes if "git-lfs pointer" in note] == [
        f"{agent}, trace of generation 1 is a git-lfs pointer; `git lfs pull` gets the content: "
        "judged by the code alone"
        for agent in ("c", "c_b")
    ]


def test_lines_for_people_hold_nothing_that_steers_a_terminal(base: Path) -> None:
    done = hyperspace("analyze", base)
    assert done.returncode == 0
    assert "gen 2: a <- b_gen1, causal rule: adopted; ratio 0.000" in done.stdout
    assert "\x1b" not in done.stdout


def test_one_rule_alone(base: Path) -> None:
    told = json.loads(hyperspace("analyze", base, "--rule", "causal", "--json").stdout)
    assert {e["rule"] for run in told["runs"] for e in run["adoptions"]} == {"causal"}


def test_tables_have_a_heading_even_without_a_row(base: Path, tmp_path: Path) -> None:
    done = hyperspace("analyze", base, "--csv", tmp_path)
    assert (done.returncode, done.stderr) == (0, f"written: {tmp_path}\n")
    texts = {path.stem: path.read_text() for path in tmp_path.glob("*.csv")}
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in texts.items()}
    assert [row["evidence"] for row in tables["adoptions"]] == ["a/gen_2/llm_calls.jsonl:2"] * 2
    assert {row["agent"] for row in tables["agents"]} == {"a", "b", "c", "c_b"}
    assert texts["crashes"].startswith("pairing,seed,agent,generation,length,recovered")


def test_the_page_stands_alone_and_colours_the_peers_lines(base: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = hyperspace("analyze", base, "--html", page)
    assert (done.returncode, done.stderr) == (0, f"written: {page}\n")
    text = page.read_text()
    assert text.count("<svg ") == 4  # scores and similarity of two runs
    assert "<script" not in text and 'src="http' not in text
    assert '<span class="series-0">import math</span>' in text


@pytest.mark.parametrize("module", ["analyze_runs", "analyze_patterns", "analyze_efficiency"])
def test_the_modules_say_their_part(base: Path, module: str) -> None:
    words = {
        "analyze_runs": "causal rule: adopted",
        "analyze_patterns": "a: looked into strategies/ in generation 2",
        "analyze_efficiency": "a: best val 0.800 at generation 2 of 2",
    }
    done = subprocess.run(
        [sys.executable, "-m", f"transfer_experiment.{module}", str(base)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert words[module] in done.stdout


def test_where_nothing_can_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    below = str(tmp_path / "file" / "x.html")
    message = failed(hyperspace("analyze", tmp_path / "no run", "--html", below), 2)
    assert "is no folder" in message


def test_where_no_run_is_there_is_a_usage_error(tmp_path: Path) -> None:
    assert "holds no run" in failed(hyperspace("analyze", tmp_path), 2)
    message = failed(hyperspace("analyze", tmp_path / "nope", "--json"), 2)
    assert "nope does not exist; name a results folder, a run, or a table of scores" in message
