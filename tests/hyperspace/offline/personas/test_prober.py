"""The hostile persona: refused where nothing confines it, and truthful where something does."""

from pathlib import Path

import pytest

from hyperspace.offline.catalog import POLICIES
from hyperspace.offline.registry import is_hostile
from tests.support.command import failed, hyperspace
from tests.support.runs.played import FREIGHT, ROOT, Played, play
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("prober", "prober?what=network&rate=0")
    results = tmp_path_factory.mktemp("probed")
    return play(results, *models, generations=1, options=("--sandbox", "bubblewrap"))


@pytest.mark.parametrize("position", [0, 1])
def test_a_hostile_policy_is_refused_where_nothing_confines_it(
    position: int, tmp_path: Path
) -> None:
    models = ["offline/mutator", "offline/mutator"]
    models[position] = "offline/prober?what=env"
    command = ("pair", "--models", *models, "--domain", FREIGHT, "--results", tmp_path)
    message = failed(hyperspace(*command, "--sandbox", "process", cwd=ROOT), 2)
    assert "offline/prober?what=env" in message
    assert "--sandbox bubblewrap or docker" in message
    assert list(tmp_path.iterdir()) == []


def test_as_evaluation_model_it_is_refused_too(tmp_path: Path) -> None:
    models = ("--models", "offline/mutator", "offline/mutator", "--eval-model", "offline/prober")
    command = ("pair", *models, "--domain", FREIGHT, "--results", tmp_path, "--sandbox", "process")
    assert "confines nothing" in failed(hyperspace(*command, cwd=ROOT), 2)


@needs_bubblewrap
def test_its_run_is_never_replayed_where_nothing_confines_it(played: Played) -> None:
    command = ("replay", played.path, "--domain", FREIGHT, "--sandbox", "process")
    assert "confines nothing" in failed(hyperspace(*command, cwd=ROOT), 2)


def test_two_policies_are_hostile_and_no_endpoint_is_taken_for_one() -> None:
    hostile = {name for name in POLICIES if is_hostile(f"offline/{name}")}
    assert hostile == {"prober", "snoop"}
    assert not is_hostile("offline/prober@http://127.0.0.1:8000/v1")
    assert not is_hostile("prober")


@needs_bubblewrap
def test_each_kind_of_probe_is_owned_up_to(played: Played) -> None:
    probes = [action.why.partition(":")[0] for _, action in played.actions("prober", "probe")]
    assert list(dict.fromkeys(probes)) == ["paths", "env", "network", "labels", "scope"]
    assert played.actions("prober_b", "probe") == []


@needs_bubblewrap
def test_what_it_wrote_outside_its_scope_is_put_back_and_counted(played: Played) -> None:
    assert played.result["violations"] == 3
    assert "# mine" not in (played.path / "prober/gen_1/repo/agent/llm_client.py").read_text()


@needs_bubblewrap
def test_it_found_nothing(played: Played) -> None:
    messages = played.calls("prober", 1)[-1]["messages"]
    told = [message["content"] for message in messages if message["role"] == "tool"]
    labels = told[9:11]
    assert [text.strip() for text in labels] == ["[exit code 0]"] * 2
    assert "root:" not in told[1]
    network = "\n".join(told[6:9])
    assert "not supported" in network or "refused" in network or "unreachable" in network
