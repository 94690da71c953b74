"""Code that speaks in terminal codes wherever it can: none reaches a terminal or the audit."""

import json
from pathlib import Path

import pytest

from tests.support.command import PAIR, finished, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

STEERING = "\x1b[2J\x9b2J\x07\r\x7f\x85\u2028\u202e"
META = f"""
import json, os, pathlib, socket, sys

WORDS = {STEERING!r}

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        self.model = model

    def forward(self, repo_path, eval_path, iterations_left=None):
        for field in (WORDS, "model", "op"):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(os.environ["HYPERSPACE_BROKER"])
                message = {{"role": "user", "content": WORDS}}
                chat = {{"op": "chat", "model": "m", "messages": [message], field: WORDS}}
                body = json.dumps(chat).encode()
                s.sendall(len(body).to_bytes(4, "big") + body)
                s.recv(99)
        pathlib.Path(repo_path, "a" + WORDS).write_text(WORDS)
        pathlib.Path(repo_path, "notes.md").write_text(WORDS)
        print(WORDS, file=sys.stderr)
        raise ValueError(WORDS)
"""


@needs_bubblewrap
def test_no_terminal_code_reaches_a_terminal_or_the_audit(tmp_path: Path) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(META)
    done = hyperspace(
        *("pair", *PAIR, "--generations", "1", "--seed", "1"),
        *("--initial", initial, "--results", tmp_path / "results"),
    )
    finished(done)
    (audit_file,) = (tmp_path / "results").rglob("audit.jsonl")
    run = audit_file.parent
    audited = hyperspace("audit", run)
    assert audited.returncode == 0, audited.stderr
    assert "malformed request to the broker" in audited.stdout
    as_json = hyperspace("audit", run, "--json").stdout
    marks = hyperspace("space", "marks", run).stdout
    seen = (done.stdout, done.stderr, audited.stdout, audited.stderr, as_json, marks)
    for text in (*seen, audit_file.read_bytes().decode()):
        assert {c for c in text if not c.isprintable()} <= {"\n"}
    assert json.loads(as_json)["refused"]
