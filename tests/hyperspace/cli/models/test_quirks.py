"""Runs behind servers with other servers' quirks: real SDKs, real HTTP, one process a quirk.

Each ends with the digest of the undisturbed run, or pauses with the sentence that names the cause;
no generation is invalid for what a server does.
"""

import json
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.quirk_proxy import Quirk, QuirkProxy, quirk_proxy, read_quirks
from tests.support.servers.server import serving

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # what language models write never runs without a boundary
]
QUIRKS = read_quirks()


class World(NamedTuple):
    """Servers, and what was played behind them."""

    proxy: QuirkProxy
    folder: Path
    digests: dict[tuple[str, str], str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    with serving("a=tinker") as server, quirk_proxy(server.url.removesuffix("/v1")) as proxy:
        yield World(proxy, tmp_path_factory.mktemp("quirks"), {})


def play(world: World, quirk: Quirk, *options: str) -> subprocess.CompletedProcess[str]:
    """Play one generation of one agent behind a quirk."""
    protocol = "" if quirk.wire == "openai" else f"{quirk.wire}:"
    asked = f"?{quirk.options}" if quirk.options else ""
    model = f"{protocol}a@{world.proxy.url(quirk)}{asked}"
    return hyperspace(
        *("solo", "--model", model, "--domain", "repo_quality", "--iterations", "1"),
        *("--seed", "1", "--no-controls", "--outage-minutes", "0.05", "--json"),
        *("--results", world.folder / quirk.name, *options),
    )


def undisturbed(world: World, quirk: Quirk) -> str:
    """The digest of the run that nothing disturbs, with the same options of the model's name."""
    key = quirk.wire, quirk.options
    if key not in world.digests:
        plain = Quirk(f"plain{len(world.digests)}", "", wire=quirk.wire, options=quirk.options)
        world.proxy.quirks = {**world.proxy.quirks, plain.name: plain}
        done = play(world, plain)
        assert done.returncode == 0, done.stderr
        world.digests[key] = json.loads(done.stdout)["digest"]
    return world.digests[key]


def invalid(folder: Path) -> list[Any]:
    """Generations that are not valid."""
    records = [json.loads(path.read_text()) for path in folder.glob("**/gen_*/metadata.json")]
    return [record for record in records if not record["valid"]]


def test_there_are_enough_of_them() -> None:
    assert len({quirk.name for quirk in QUIRKS}) == len(QUIRKS) >= 60


@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.name)
def test_a_quirk_changes_no_result(quirk: Quirk, world: World) -> None:
    done = play(world, quirk)
    assert not invalid(world.folder / quirk.name), done.stderr
    if quirk.expect == "same_digest":
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["digest"] == undisturbed(world, quirk)
    elif quirk.expect == "same_code":
        assert done.returncode == 0, done.stderr
        undisturbed(world, quirk)
        first, second = (
            sorted(
                path.read_bytes() for path in (world.folder / name).glob("**/gen_1/repo/**/*.py")
            )
            for name in (quirk.name, "plain0")
        )
        assert first == second
    elif quirk.expect.startswith("notice: "):
        assert quirk.expect.removeprefix("notice: ") in done.stderr
    else:
        assert done.returncode in (1, 2), (done.returncode, done.stdout[-500:], done.stderr)
        assert quirk.expect in done.stderr
        assert len(done.stderr.splitlines()) < 12, done.stderr
    assert world.proxy.requests[quirk.name] < 40
