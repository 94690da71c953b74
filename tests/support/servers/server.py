"""A local model server, started as a person starts it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support.paths import ROOT


class Server:
    """A running server.

    Attributes:
        url: Base URL for model names (`name@<url>`).
        port: Its port.
    """

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.port = int(url.rpartition(":")[2].partition("/")[0])

    def requests(self) -> int:
        """How many completions it was asked for so far."""
        return int(self.stats()["requests"])

    def stats(self) -> Any:
        """What it says about itself."""
        address = self.url.removesuffix("/v1") + "/stats"
        with urllib.request.urlopen(address) as answer:  # noqa: S310  our own server
            return json.load(answer)


@contextmanager
def serving(*brains: str, port: int = 0, options: Sequence[str] = ()) -> Generator[Server]:
    """Serve offline policies (`name=policy`) while the context lasts."""
    options = [*options, *(part for brain in brains for part in ("--brain", brain))]
    command = [sys.executable, "-m", "hyperspace", "serve", "--port", str(port), *options]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield Server(process, line.partition(" at ")[2].split()[0])
        finally:
            process.kill()
