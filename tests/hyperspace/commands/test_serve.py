import json
import signal
import subprocess
import sys
from http.client import HTTPConnection

import pytest

COMMAND = (
    "import argparse, sys; from hyperspace.commands import serve;"
    "parser = argparse.ArgumentParser(); serve.add_arguments(parser);"
    "sys.exit(serve.run(parser.parse_args()))"
)


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_says_where_it_serves_and_stops_on_interrupt() -> None:
    with start("--port", "0", "--brain", "a=tinker") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("serving a, tinker") and line.endswith("(Ctrl-C stops)\n")
        connection = HTTPConnection(line.split("//")[1].split("/")[0])
        connection.request("GET", "/v1/models")
        assert json.load(connection.getresponse())["data"][0]["id"] == "a"
        connection.close()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=10)
    assert (rest, errors, process.returncode) == ("stopped after 0 requests\n", "", 0)


def test_a_taken_port_is_one_clear_sentence() -> None:
    with start("--port", "0") as first:
        assert first.stdout is not None
        port = first.stdout.readline().split(":")[2].split("/")[0]
        with start("--port", port) as second:
            _, errors = second.communicate(timeout=10)
        first.kill()
        first.communicate()
    assert second.returncode == 2
    assert errors == (
        f"hyperspace: cannot listen on 127.0.0.1:{port}: Address already in use; "
        "choose another --port, or 0 for any free one\n"
    )


@pytest.mark.parametrize("port", ["x", "-1", "65536"])
def test_what_is_no_port_is_told(port: str) -> None:
    with start(f"--port={port}") as process:
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 2
    assert "is no port; a port is a number from 0 to 65535" in errors
