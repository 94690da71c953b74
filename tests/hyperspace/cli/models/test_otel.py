"""`--otel`: a collector hears of each call of a run."""

import http.server
import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, PAIR
from tests.support.servers.server import ROOT

pytestmark = pytest.mark.long


class Collector(http.server.BaseHTTPRequestHandler):
    bodies: list[bytes]

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


def test_each_call_of_a_run_reaches_the_collector(tmp_path: Path) -> None:
    Collector.bodies = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever).start()
        endpoint = f"http://127.0.0.1:{server.server_port}"
        environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        environment["OTEL_EXPORTER_OTLP_COMPRESSION"] = "none"
        command = [*HYPERSPACE, "pair", *PAIR, "--generations", "1", "--otel"]
        done = subprocess.run(
            [*command, "--results", str(tmp_path)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        server.shutdown()
    assert done.returncode == 0, done.stderr
    calls = sum(len(path.read_bytes().splitlines()) for path in tmp_path.rglob("llm_calls.jsonl"))
    heard = b"".join(Collector.bodies)
    assert heard.count(b"gen_ai.operation.name") == calls > 0
    assert b"Modify any part" not in heard
