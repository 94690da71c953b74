"""What is executed of a stranger's run, where, and with which keys: nothing without --trust."""

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.hyperspace.attacks.strangers.crafting import Craft, Outside, snapshot
from tests.support.command import PAIR, failed, hyperspace, pair
from tests.support.runs.copied import strangers
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.faulty_server import FaultyServer, faulty_server
from tests.support.servers.wires import completion, json_answer

pytestmark = [pytest.mark.long, needs_bubblewrap]
KEY = "key-of-the-person"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--sandbox", "bubblewrap", "--max-tokens", "777000")
    return Path(pair(tmp_path_factory.mktemp("theirs"), *options, generations=1)["run"])


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that its limit has stopped before generation 1."""
    results = tmp_path_factory.mktemp("paused")
    limits = ("--sandbox", "bubblewrap", "--max-tokens", "777")
    numbers = ("--generations", "1", "--seed", "3", "--results", results)
    assert hyperspace("pair", *PAIR, *limits, *numbers).returncode == 1
    return results / "repo_quality" / "tinker_vs_magpie" / "seed3"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Generator[FaultyServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with faulty_server(json_answer(completion("no"))) as running:
        yield running


@pytest.fixture
def craft(run: Path, tmp_path: Path) -> Craft:
    return sent(run, tmp_path)


@pytest.fixture
def begun(paused: Path, tmp_path: Path) -> Craft:
    return sent(paused, tmp_path)


def sent(run: Path, folder: Path) -> Craft:
    target = folder / "results" / "repo_quality" / "tinker_vs_magpie" / "seed3"
    strangers(run, target)
    return Craft(target, Outside(folder, ""))


def keys(server: FaultyServer) -> set[str]:
    return {headers.get("authorization", "") for _, headers in server.asked}


def test_the_refusal_says_what_would_run_where_with_whom_and_within_what(craft: Craft) -> None:
    craft.record(models=["m@http://10.0.0.9/v1", "offline/magpie"], domain="x.py:domain")
    before = snapshot(craft.run)
    said = failed(hyperspace("resume", craft.run), 2)
    for word in ("x.py:domain", "http://10.0.0.9/v1", "bubblewrap", "777000 tokens", "--trust"):
        assert word in said
    assert snapshot(craft.run) == before


def test_a_trusted_run_goes_on_and_stays_somebody_elses(craft: Craft) -> None:
    for option in ("--trust",) * 2:
        done = hyperspace("resume", craft.run, option)
        assert done.returncode == 0, done.stderr
    assert "--trust" in failed(hyperspace("resume", craft.run), 2)


def test_the_command_that_made_it_needs_trust_too(craft: Craft) -> None:
    numbers = ("--generations", "1", "--seed", "3", "--sandbox", "bubblewrap")
    command = ("pair", *PAIR, *numbers, "--results", craft.run.parents[2])
    assert "--trust" in failed(hyperspace(*command), 2)
    assert hyperspace(*command, "--trust").returncode == 0


def test_nothing_of_it_runs_unconfined(begun: Craft) -> None:
    begun.record(sandbox="process")
    for command in (("resume",), ("replay", "--sandbox", "process")):
        said = failed(hyperspace(command[0], begun.run, *command[1:], "--trust"), 2)
        assert "'process' confines nothing" in said


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("eval_workers", 1_000_000, "eval_workers: 1000000 is more than 64"),
        ("eval_repeats", 999_999_999, "eval_repeats: 999999999 is more than 1,000"),
        ("generations", 10**12, "generations: 1000000000000 is more than 999,999,999"),
    ],
)
def test_its_record_may_not_ask_for_what_no_command_line_can(
    field: str, value: int, why: str, begun: Craft
) -> None:
    path = begun.run / "run_config.json"
    record = json.loads(path.read_text())
    (record if field == "eval_workers" else record["configuration"])[field] = value
    path.write_text(json.dumps(record))
    assert why in failed(hyperspace("resume", begun.run, "--trust"), 2)


@pytest.mark.parametrize(
    "terms", [{"migrate_every": 0}, {"members": [{"generations": 10**12}] * 2}]
)
def test_the_terms_of_its_agents_are_bounded_too(terms: dict[str, Any], begun: Craft) -> None:
    members = [{"generations": 1, "island": name} for name in "ab"]
    begun.record(fleet={"members": members, "schedule": "islands", **terms})
    assert "no run record that this version can read" in failed(
        hyperspace("resume", begun.run, "--trust"), 2
    )


@pytest.mark.parametrize("content", [b"x = 1\n", b"\xff\n"])
def test_a_file_that_was_added_to_its_first_code_is_named_as_that(
    content: bytes, begun: Craft
) -> None:
    (begun.run / "start").mkdir()
    begun.write("start/task_agent.py", content)
    said = failed(hyperspace("resume", begun.run, "--trust"), 2)
    assert f"{begun.run / 'start'} is not the code that the run was started with" in said
    assert "you ask for" not in said


def test_code_of_it_is_taken_with_trust_alone(craft: Craft, tmp_path: Path) -> None:
    start = ("pair", *PAIR, "--from-run", f"{craft.run}#magpie", "--results", tmp_path / "new")
    assert "--trust" in failed(hyperspace(*start, "--dry-run"), 2)
    assert hyperspace(*start, "--dry-run", "--trust").returncode == 0


def test_live_tools_need_trust_and_recorded_ones_do_not(craft: Craft) -> None:
    assert hyperspace("replay", craft.run).returncode == 0
    assert "--trust" in failed(hyperspace("replay", craft.run, "--tools", "live"), 2)
    assert hyperspace("replay", craft.run, "--tools", "live", "--trust").returncode == 0


def test_its_address_gets_no_key_unless_the_command_names_it(
    begun: Craft, server: FaultyServer
) -> None:
    begun.record(models=[f"gpt-4@{server.url}", "offline/magpie"])
    limits = ("--max-tokens", "20000", "--outage-minutes", "0")
    done = hyperspace("resume", begun.run, "--trust", *limits)
    assert "Traceback" not in done.stderr
    assert f"no key is sent to {server.url}" in done.stderr
    assert server.asked and not any(KEY in key for key in keys(server))
    elsewhere = ("--trust", "--key-to", "http://elsewhere/v1")
    said = failed(hyperspace("resume", begun.run, *elsewhere, *limits), 2)
    assert f"is no address of this run's models; there is {server.url}" in said
    hyperspace("resume", begun.run, "--trust", "--key-to", server.url, *limits)
    assert f"Bearer {KEY}" in keys(server)


def test_a_fleets_file_gets_no_key_for_its_address_unless_the_command_names_it(
    server: FaultyServer, tmp_path: Path
) -> None:
    agents = "\n".join(
        f'[[agents]]\nmodel = "{name}"' for name in (f"m@{server.url}", "offline/tinker")
    )
    file = tmp_path / "fleet.toml"
    file.write_text(f'name = "sent"\ndomain = "repo_quality"\ngenerations = 1\n{agents}\n')
    command = ("fleet", "--config", file, "--seed", "1", "--outage-minutes", "0")
    hyperspace(*command, "--results", tmp_path / "a")
    assert server.asked and not any(KEY in key for key in keys(server))
    hyperspace(*command, "--results", tmp_path / "b", "--key-to", server.url)
    assert f"Bearer {KEY}" in keys(server)


def test_a_fleets_file_imports_no_python_unless_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
    )
    file = tmp_path / "fleet.toml"
    agents = '[[agents]]\nmodel = "offline/tinker"\n' * 2
    domain = f"{tmp_path / 'task.py'}:Task"
    file.write_text(f'name = "own"\ndomain = "{domain}"\ngenerations = 1\n{agents}')
    command = ("fleet", "--config", file, "--results", tmp_path / "r")
    for more in ((), ("--dry-run",), ("--detach",), ("--seeds", "1..2")):
        assert f"{domain}, which runs unconfined" in failed(hyperspace(*command, *more), 2)
    assert not (tmp_path / "ran").exists()
    failed(hyperspace(*command, "--dry-run", "--trust"), 2)  # it has no Task
    assert (tmp_path / "ran").exists()


def test_code_in_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x = 1\n")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "task_agent.py").symlink_to(tmp_path / "secret")
    start = ("pair", *PAIR, "--results", tmp_path / "r", "--dry-run")
    assert "task_agent.py" in failed(hyperspace(*start, "--initial", tmp_path / "code"), 2)
    os.mkfifo(tmp_path / "code" / "1.diff")
    said = failed(hyperspace(*start, "--start-from", tmp_path / "code"), 2)
    assert "1.diff" in said


def test_what_somebody_has_played_is_not_taken_for_a_new_run(craft: Craft) -> None:
    (craft.run / "run_config.json").unlink()
    (craft.run / "summary.json").unlink()
    numbers = ("--generations", "1", "--seed", "3", "--sandbox", "bubblewrap")
    done = hyperspace("pair", *PAIR, *numbers, "--results", craft.run.parents[2])
    assert "has lost its run_config.json" in failed(done, 1)


def test_its_limits_hold_and_nothing_else_of_its_terms(craft: Craft) -> None:
    terms = {"limits": {"tokens": 777_000}, "prices": "/dev/zero", "allow_unknown_price": True}
    craft.write("limits.json", json.dumps(terms))
    craft.unfinished()
    done = hyperspace("resume", craft.run, "--trust")
    assert done.returncode == 0, done.stderr
    kept = json.loads((craft.run / "limits.json").read_text())
    assert kept["limits"]["tokens"] == 777_000
    assert kept["prices"] is None


def test_the_task_that_a_strangers_run_has_kept_is_imported_on_nobodys_word_but_the_persons(
    begun: Craft,
) -> None:
    mark = begun.run.parent / "imported"
    begun.record(domain="gone/evil.py:evil")
    (begun.run / "task" / "code").mkdir(parents=True)
    begun.write("task/code/evil.py", f"open({str(mark)!r}, 'w')\n".encode())
    for words in (
        ("resume", begun.run),
        ("resume", begun.run, "--trust"),
        ("replay", begun.run),
        ("replay", begun.run, "--trust"),
        ("replay", begun.run, "--domain", "gone/evil.py:evil"),
        ("replay", begun.run, "--domain", "gone/evil.py:evil", "--trust"),
    ):
        failed(hyperspace(*words), 2)
        assert not mark.exists()
