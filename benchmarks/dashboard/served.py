"""A dashboard in a process of its own, asked over HTTP, and what it used up meanwhile."""

import http.client
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_ADDRESS = re.compile(r"http://\S+token=\S+")


class Served(NamedTuple):
    """A dashboard that runs.

    Attributes:
        pid: Its process.
        host: Where it listens, with its port.
        cookie: Lets a client in.
    """

    pid: int
    host: str
    cookie: str

    def get(self, path: str) -> str:
        """Return a page.

        Raises:
            RuntimeError: It was not answered with 200.
        """
        with closing(self.connection()) as connection:
            connection.request("GET", path, headers={"Cookie": self.cookie})
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise RuntimeError(f"{path} was answered with {answer.status}: {text[-500:]}")
            return text

    def connection(self) -> http.client.HTTPConnection:
        """Return a connection to it."""
        return http.client.HTTPConnection(self.host, timeout=600)

    def cpu_s(self) -> float:
        """Return the CPU time that it used so far, in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND

    def rss_mb(self) -> float:
        """Return its resident memory in millions of bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def served(results: Path) -> Generator[Served]:
    """Run `hyperspace dashboard` on a folder while the context lasts."""
    command = [sys.executable, "-m", "hyperspace", "dashboard", str(results), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_unbuffered()) as process:
        try:
            address = urlsplit(_printed_address(process))
            connection = http.client.HTTPConnection(address.netloc, timeout=60)
            with closing(connection):
                connection.request("GET", f"/?{address.query}")
                cookie = connection.getresponse().getheader("Set-Cookie", "").partition(";")[0]
            yield Served(process.pid, address.netloc, cookie)
        finally:
            process.terminate()


def _printed_address(process: subprocess.Popen[str]) -> str:
    for line in process.stdout or ():
        if match := _ADDRESS.search(line):
            return match[0]
    raise RuntimeError("the dashboard ended before it listened")


def _unbuffered() -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1"}
