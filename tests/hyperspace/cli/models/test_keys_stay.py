"""Keys reach the provider, and nothing and nobody else: canaries are looked for everywhere."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from hyperspace.models.providers import PROVIDERS
from tests.support.command import HYPERSPACE
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.faulty_server import FaultyServer, faulty_server
from tests.support.servers.server import ROOT
from tests.support.servers.wires import anthropic_message, completion, json_answer

pytestmark = [pytest.mark.long, needs_bubblewrap]
MODELS = ("claude-sonnet-4-6", "accounts/fireworks/routers/kimi-k2p5-turbo?max_tokens=4000")
CANARY = f"canary-of-a-key-{os.getpid()}-0123456789"  # no other test of this machine has it
RUN = Path("repo_quality/claude-sonnet-4-6_vs_kimi-k2p5-turbo/seed3")


def environment(url: str) -> dict[str, str]:
    """The environment of a person with all keys but one, which is in `.env`."""
    names = {name for provider in PROVIDERS for name in provider.key_variables}
    keys = {name: f"{CANARY}-{name}" for name in names - {"FIREWORKS_API_KEY"}}
    addresses = {"ANTHROPIC_BASE_URL": url, "FIREWORKS_BASE_URL": url}
    return {**os.environ, **keys, **addresses, "PYTHONPATH": str(ROOT)}


class Watch:
    """Looks into the environment and the arguments of all processes while a command runs.

    Attributes:
        leaks: Processes with a canary, but for the coordinator.
        sandboxed: How many processes of sandboxes it has seen.
    """

    def __init__(self, coordinator: int) -> None:
        self.leaks: set[str] = set()
        self.sandboxed = 0
        self._coordinator = Path(f"/proc/{coordinator}/cmdline")
        # Python's own platform.platform() starts `uname -p`, a part of the system.
        ours = Path(f"/proc/{os.getpid()}/cmdline").read_bytes()
        self._expected = {b"", b"uname\0-p\0", ours}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.01):
            for process in Path("/proc").glob("[0-9]*"):
                self._look_into(process)

    def _look_into(self, process: Path) -> None:
        try:
            told = (process / "environ").read_bytes()
            program = (process / "cmdline").read_bytes()
            # Between fork and exec a child is still a copy of the coordinator.
            self._expected.add(self._coordinator.read_bytes())
        except OSError:
            return  # it has ended
        self.sandboxed += b"HYPERSPACE_SANDBOX" in told or b"HYPERSPACE_BROKER" in told
        if CANARY.encode() in told + program and program not in self._expected:
            self.leaks.add(repr(told[-200:] + program))


def play(server: FaultyServer, folder: Path, *options: str) -> tuple[int, str, Watch]:
    (folder / ".env").write_text(f"FIREWORKS_API_KEY={CANARY}-FIREWORKS_API_KEY\n")
    command = [*HYPERSPACE, "pair", "--models", *MODELS, "--domain", "repo_quality", *options]
    more = ["--generations", "1", "--seed", "3", "--results", "results"]
    with (
        subprocess.Popen(
            [*command, *more],
            cwd=folder,
            env=environment(server.root),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process,
        Watch(process.pid) as watch,
    ):
        output, _ = process.communicate(timeout=300)
    return process.returncode, output, watch


def files_with_canary(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".env"]
    assert files
    return [path for path in files if CANARY.encode() in path.read_bytes()]


def test_keys_are_sent_and_are_in_no_file_no_output_and_no_other_process(tmp_path: Path) -> None:
    echo = f"your keys are {CANARY}-ANTHROPIC_API_KEY and {CANARY}-FIREWORKS_API_KEY"
    content = {"type": "text", "text": echo.split(" and ")[0]}
    answer = {**completion(echo.split(" and ")[1]), **anthropic_message(content)}
    with faulty_server(json_answer(answer)) as server:
        code, output, watch = play(server, tmp_path)
        sent = {headers["authorization"] for _, headers in server.asked}
    assert code == 1, output
    assert " came to nothing: " in output
    assert sent == {f"Bearer {CANARY}-{name}_API_KEY" for name in ("ANTHROPIC", "FIREWORKS")}
    assert watch.sandboxed > 0
    assert watch.leaks == set()
    assert CANARY not in output
    assert files_with_canary(tmp_path) == []
    trace = tmp_path / "results" / RUN / "claude-sonnet-4-6" / "gen_1" / "llm_calls.jsonl"
    assert "your keys are [key]" in trace.read_text()


def test_keys_that_a_provider_repeats_in_an_error_are_cut_out(tmp_path: Path) -> None:
    listed = json_answer({"data": []})
    keys = f"{CANARY}-ANTHROPIC_API_KEY"
    refused = json_answer({"error": {"message": f"wrong key {keys}"}}, 500)
    # Each of the two models is asked for its list, and for what runs there.
    with faulty_server(listed, listed, refused) as server:
        code, output, _ = play(server, tmp_path, "--outage-minutes", "0.01")
    assert code == 1
    assert "wrong key [key]" in output
    assert "the same command again" in output
    assert "Traceback" not in output
    assert CANARY not in output
    assert files_with_canary(tmp_path) == []
