"""Looking changes nothing: no file of a run, no lease; and it tells no key."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.dashboard.api.registry import ENDPOINTS
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.kernel.files import tree_hashes
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.opening import reading
from tests.support.dashboards import Client, dashboard

pytestmark = pytest.mark.long  # plays a run

KEY = "sk-" + "k" * 40


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "results"))


def addresses(client: Client) -> Iterator[str]:
    """Every view and every endpoint, of the run that is there."""
    run = client.get("/api/runs").json()["runs"][0]["id"]
    values = {"run": run, "agent": "magpie", "generation": "1", "peer": "tinker", "call": "0"}
    for path in (*(view.path for view in VIEWS), *(each.path for each in ENDPOINTS)):
        yield path.format_map(_Values(values))


class _Values(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "1"


def state(folder: Path) -> tuple[dict[str, str], dict[str, int]]:
    """Content of every file, and when each file and folder was changed."""
    paths = [folder, *folder.rglob("*")]
    return tree_hashes(folder), {str(path): path.lstat().st_mtime_ns for path in paths}


def test_opening_everything_leaves_a_run_as_it_was(results: Path, tmp_path: Path) -> None:
    before = state(results)
    with dashboard(results, tmp_path / "cache") as client:
        statuses = {path: client.get(path).status for path in addresses(client)}
    assert statuses["/"] == 200
    assert state(results) == before


def test_opening_everything_in_a_folder_that_cannot_be_written(
    results: Path, tmp_path: Path
) -> None:
    for folder in (results, *(path for path in results.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    with dashboard(results, tmp_path / "cache") as client:
        assert client.get("/").status == 200
        statuses = [client.get(path).status for path in addresses(client)]
    assert 500 not in statuses
    for folder in (results, *(path for path in results.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def test_a_dashboard_holds_no_lease(results: Path, tmp_path: Path) -> None:
    run = next(results.glob("*/*/seed*"))
    with dashboard(results, tmp_path / "cache") as client:
        for path in addresses(client):
            client.get(path)
        with reading(RunFolder(run), read_record_of(run).configuration) as marks:
            assert holder_of(marks.space) is None


def test_no_answer_has_a_key_or_what_is_in_a_file_of_keys(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    dotenv = KEY.replace("k", "d")
    for folder in (tmp_path, results):
        (folder / ".env").write_text(f"ANTHROPIC_API_KEY={dotenv}\n")
        os.utime(folder / ".env", (0, 0))
    with dashboard(results, tmp_path / "cache") as client:
        texts = [client.get(path).text for path in addresses(client)]
        texts += [client.get("/static/.env").text, client.get("/.env").text]
    assert not [text for text in texts if KEY in text or dotenv in text]
    # It was not even opened: reading sets the time of access where that is older than the change.
    assert (results / ".env").stat().st_atime == 0


def test_the_token_is_in_no_page(results: Path, tmp_path: Path) -> None:
    with dashboard(results, tmp_path / "cache", steer=True) as client:
        for path in addresses(client):
            answer = client.get(path)
            cookie = client.session.cookie().partition("=")[2]
            told = answer.text + str(answer.headers)
            assert client.settings.token not in told and cookie not in told
