"""A PostgreSQL server of our own: a fresh cluster behind a Unix socket, never run as root."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from markspace.extras import how_to_install

USERS = ("postgres", "nobody")


def find(program: str) -> str | None:
    """Return the path of a PostgreSQL program, also where Debian hides it."""
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(hidden[-1]) if hidden else shutil.which(program)


def why_not() -> str | None:
    """Return why no server can be started here, or None."""
    if find("postgres") is None or find("initdb") is None:
        return "no PostgreSQL server here: apt-get install postgresql"
    if find_spec("psycopg") is None:
        return f"psycopg is missing: {how_to_install('postgres')}"
    return None


class PostgresServer:
    """A server that can be stopped, killed and started again."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        self.folder.chmod(0o755)
        self._user = unprivileged()
        self._data = self.folder / "data"
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(self.folder, self._user)
            shutil.chown(self._data, self._user)
        self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", "test", "--no-sync")
        self.start()

    @property
    def dsn(self) -> str:
        """Where it is."""
        return f"postgresql://test@/postgres?host={self.folder}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=60"
        self._ctl("start", "-o", options, "-l", str(self.folder / "log"))

    def listen(self, port: int, **settings: str) -> None:
        """Start it again, at a port of this machine.

        Args:
            port: Of 127.0.0.1.
            settings: As in postgresql.conf.
        """
        self.stop()
        given = "".join(f" -c {name}={value}" for name, value in settings.items())
        options = f"-k {self.folder} -c listen_addresses=127.0.0.1 -p {port}{given}"
        self._ctl("start", "-o", options, "-l", str(self.folder / "log"))

    def admit(self, *rules: str) -> None:
        """Let in who these lines of pg_hba.conf let in, and nobody else."""
        (self._data / "pg_hba.conf").write_text("".join(f"{rule}\n" for rule in rules))
        self._ctl("reload")

    def certify(self) -> dict[str, str]:
        """Make it a certificate that nobody signed; return the settings that name it."""
        key, certificate = self._data / "server.key", self._data / "server.crt"
        made = ("-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate))
        self._run("openssl", "req", "-new", "-x509", "-nodes", "-newkey", "rsa:2048", *made)
        return {"ssl": "on"}

    def shut_down(self) -> None:
        """Let nobody in any more, and stop when those who are in have left."""
        self._ctl("stop", "-m", "smart", "-W")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; "immediate" is like a crash."""
        self._ctl("stop", "-m", mode)

    def kill(self) -> None:
        """Kill its main process."""
        pid = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

    def remove(self) -> None:
        """Stop it and remove everything."""
        self.stop()
        shutil.rmtree(self.folder)

    def _ctl(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-w", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [find(program) or program, *arguments]
        subprocess.run(
            command,
            user=self._user,
            extra_groups=[] if self._user else None,
            cwd="/",
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def unprivileged() -> str | None:
    """Return a user to run the server as; None if we are not root ourselves."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(user for user in USERS if user in names)


@contextmanager
def server_or_skip() -> Generator[PostgresServer]:
    """Serve while the context lasts; skips, with the reason, where no server can be started."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    server = PostgresServer()
    try:
        yield server
    finally:
        server.remove()
