"""`hyperspace dashboard`, run as a person runs it."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hyperspace.cli.printing.dashboard_link import page_address
from hyperspace.dashboard.pidfile import live_dashboards, pidfile_folder, present
from hyperspace.dashboard.settings import Settings
from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace, without
from tests.support.dashboards import dashboard
from tests.support.paths import ROOT


@contextmanager
def started(
    *arguments: str | Path, cwd: Path = ROOT
) -> Generator[tuple["subprocess.Popen[str]", str]]:
    """Start a dashboard on any free port; yields the process, and the address that it printed."""
    command = [*HYPERSPACE, "dashboard", *map(str, arguments), "--port", "0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, text=True, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped_and_ends_well(tmp_path: Path, number: int) -> None:
    with started(tmp_path) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address) as page:
            assert page.status == 200 and "token" not in page.url
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.long
def test_it_says_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = failed(hyperspace("dashboard", tmp_path / "nothing", "--port", "0"), 2)
    assert f"{tmp_path}/nothing does not exist; name the folder that runs were put into" in message
    message = failed(hyperspace("dashboard", tmp_path / "file", "--port", "0"), 2)
    assert "is not a directory" in message
    assert "results does not exist" in failed(hyperspace("dashboard", cwd=tmp_path), 2)


@pytest.mark.long
def test_it_says_that_a_port_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = failed(hyperspace("dashboard", tmp_path, "--port", port), 2)
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in message
    assert "choose another --port, or 0 for any free one" in message


@pytest.mark.long
@pytest.mark.parametrize("host", ["8.8.8.8", "no-such-host.invalid", "::f"])
def test_it_says_that_an_address_is_not_ours(tmp_path: Path, host: str) -> None:
    message = failed(hyperspace("dashboard", tmp_path, "--port", "0", "--host", host), 2)
    assert f"cannot listen on {host}:0" in message and "--host" in message


@pytest.mark.long
@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_it_says_what_to_install(tmp_path: Path, module: str) -> None:
    message = failed(without(module, "dashboard", tmp_path), 1)
    assert "the dashboard needs starlette and uvicorn" in message
    assert "pip install" in message and "hyperspace watch RUN" in message


def test_an_empty_folder_is_served(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        assert client.get("/").status == 200


@pytest.mark.long
def test_on_other_addresses_it_warns(tmp_path: Path) -> None:
    with started(tmp_path, "--host", "0.0.0.0") as (process, address):  # noqa: S104
        assert socket.gethostname() in address
        process.terminate()
        assert "other machines may reach this" in process.communicate(timeout=60)[1]


@pytest.mark.long
def test_open_starts_the_browser_with_a_ticket_that_is_good_once(tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.new && mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    os.environ["BROWSER"] = str(browser)
    try:
        with started(tmp_path, "--open") as (process, address):
            while not seen.exists():
                assert process.poll() is None
            ticket = seen.read_text().strip()
            assert ticket.partition("?")[0] == address.partition("?")[0] and ticket != address
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            assert opener.open(ticket).status == 200
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.build_opener().open(ticket)
    finally:
        del os.environ["BROWSER"]


# -- presence ----------------------------------------------------------------------------------


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runtime folder of the test's own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    return pidfile_folder()


@pytest.mark.long
def test_a_live_dashboard_is_known_by_a_private_file_without_its_token(
    tmp_path: Path, runtime: Path
) -> None:
    (tmp_path / "results").mkdir()
    with started(tmp_path / "results") as (process, address):
        (live,) = live_dashboards()
        assert live.url == address.partition("?")[0]
        assert (live.pid, live.results) == (process.pid, str(tmp_path / "results"))
        (file,) = runtime.iterdir()
        assert address.partition("=")[2] not in file.read_text()
        assert runtime.stat().st_mode & 0o777 == 0o700
        process.terminate()
        process.wait(60)
    assert not [*runtime.iterdir()]


@pytest.mark.long
def test_a_killed_dashboard_leaves_a_file_that_is_ignored_and_removed(
    tmp_path: Path, runtime: Path
) -> None:
    with started(tmp_path) as (process, _):
        process.kill()
        process.wait(60)
        assert len([*runtime.iterdir()]) == 1
        assert not [*live_dashboards()]
        assert not [*runtime.iterdir()]


def test_a_process_that_answers_on_no_port_is_no_dashboard(tmp_path: Path, runtime: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with present(Settings(tmp_path, "token", tmp_path, port=port)):
        assert not [*live_dashboards()]


def test_a_folder_that_others_may_write_to_is_not_believed(tmp_path: Path, runtime: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client, present(client.settings):
        assert len([*live_dashboards()]) == 1
        runtime.chmod(0o777)
        assert not [*live_dashboards()]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"url": 1}', '{"url": "http://evil/"}'])
def test_a_file_of_another_form_is_removed(runtime: Path, content: str) -> None:
    runtime.mkdir(parents=True, mode=0o700)
    (runtime / "1_a.json").write_text(content)
    assert not [*live_dashboards()]
    assert not [*runtime.iterdir()]


def test_a_page_is_that_of_a_run_below_the_folder(tmp_path: Path, runtime: Path) -> None:
    with dashboard(tmp_path / "results", tmp_path / "cache") as client, present(client.settings):
        inside, outside = tmp_path / "results" / "a" / "seed1", tmp_path / "results2" / "seed1"
        address = page_address([inside])
        assert address is not None
        assert re.fullmatch(re.escape(client.settings.url) + "runs/[0-9a-f]{12}", address)
        assert page_address([inside, inside.with_name("seed2")]) == client.settings.url
        assert page_address([outside]) is None and page_address([inside, outside]) is None
        assert page_address([]) is None


def test_nothing_is_written_where_nothing_can_be(tmp_path: Path, runtime: Path) -> None:
    runtime.parent.parent.mkdir(exist_ok=True)
    runtime.parent.touch()  # a file where a folder is needed
    with present(Settings(tmp_path, "token", tmp_path)):
        assert not [*live_dashboards()]


@pytest.mark.long
def test_a_run_ends_with_a_link_to_its_page(tmp_path: Path, runtime: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    options = ("--generations", "1", "--results", results)
    with started(results) as (_, address):
        done = hyperspace("pair", *PAIR, *options)
        url = address.partition("?")[0]
        link = done.stderr.strip().splitlines()[-1]
        assert link.startswith(f"in the dashboard: {url}runs/")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address).close()
        with opener.open(link.rpartition(" ")[2]) as page:
            assert b"tinker" in page.read()
    assert "in the dashboard" not in hyperspace("pair", *PAIR, *options).stderr


@pytest.mark.long
def test_runs_need_no_dashboard(tmp_path: Path, runtime: Path) -> None:
    options = ("--generations", "1", "--results", tmp_path, "--json")
    done = without("starlette", "pair", *PAIR, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"]
