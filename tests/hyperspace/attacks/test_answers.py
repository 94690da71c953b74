"""Strange answers: what comes of them is an error of that item, or its text, and nothing else."""

from typing import NamedTuple

import pytest

from guards.sandboxes.sandbox import Sandbox, SandboxEnded
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]

FORGE = """
import json, os
def forge(**frame):
    body = json.dumps(frame).encode()
    for fd in range(3, 64):
        try: os.write(fd, len(body).to_bytes(4, "big") + body)
        except OSError: pass
def raw(data):
    for fd in range(3, 64):
        try: os.write(fd, data)
        except OSError: pass
class Text(str):
    def __str__(self): return "lie"
    def __len__(self): return 1
    def __eq__(self, other): return True
    __hash__ = str.__hash__
class Loud:
    def __str__(self): raise SystemExit
    __repr__ = __str__
class Pretender:
    __class__ = str
    def __len__(self): return 1
class Hidden(Exception):
    def __str__(self): raise KeyboardInterrupt
"""


class Answer(NamedTuple):
    code: str
    first: str  # what comes of item "one": its prediction, its error, or how it ended
    second: str = "fine"  # and of item "two", where the code answers honestly


ANSWERS = {
    "frame on standard input": Answer(
        "try: os.write(0, b'\\0\\0\\0\\2{}')\nexcept OSError: pass\nreturn 'a', []", "a"
    ),
    "giant frame": Answer("raw(b'\\xff' * 4)\nreturn 'a', []", "protocol: a frame of", "protocol"),
    "half a frame, then the end": Answer(
        "raw(b'\\0\\0\\1\\0{')\nos._exit(0)", "exited: it exited with status 0", "exited"
    ),
    "clean exit": Answer("os._exit(0)", "exited: it exited with status 0", "exited"),
    "SystemExit": Answer("raise SystemExit('passed')", "SystemExit: passed"),
    "KeyboardInterrupt": Answer("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "GeneratorExit": Answer("raise GeneratorExit", "GeneratorExit"),
    "exception without words": Answer("raise Hidden", "Hidden: (its message cannot be shown)"),
    "huge text": Answer("return 'x' * 100_000_000, []", "ValueError: a prediction has at most"),
    "not a number": Answer(
        "return float('nan'), []", "TypeError: a prediction is a str, not float"
    ),
    "none": Answer("return None, []", "TypeError: a prediction is a str, not NoneType"),
    "bytes": Answer("return b'a', []", "TypeError: a prediction is a str, not bytes"),
    "text with its own __str__": Answer("return Text('truth'), []", "truth"),
    "object that cannot be shown": Answer("return Loud(), []", "TypeError: a prediction is a str"),
    "object that pretends to be text": Answer("return Pretender(), []", "TypeError"),
    "no pair": Answer("return 'a'", "TypeError: forward must return (prediction, history)"),
    "endless pair": Answer(
        "import itertools\nreturn itertools.repeat('a')", "TypeError: forward must return"
    ),
    "lone surrogate": Answer("return 'a\\ud800', []", "a?"),
    "control characters": Answer("return 'a\\x00\\x1b[2J\\n', []", "a\x00\x1b[2J\n"),
    "patched json": Answer(
        "json.dumps = lambda *a, **k: '{}'\nreturn 'a', []", "protocol", "protocol"
    ),
    "changed inputs": Answer("inputs['id'] = 'two'\nreturn 'a', []", "a"),
    "exit hooks": Answer(
        "import atexit\natexit.register(forge, id='two', prediction='x')\nreturn 'a', []", "a"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_counts_only_as_asked(sandbox: Sandbox, name: str) -> None:
    code, first, second = ANSWERS[name]
    honest = "if inputs['q'] == 'two': return 'fine', []\n"
    task = task_agent(honest + code, before=FORGE)
    outcomes: list[str] = []
    async with sandbox.start(job(task=task)) as running:
        for item in ("one", "two"):
            request = {"op": "predict", "id": item, "inputs": {"q": item}, "model": "m"}
            try:
                reply = await running.request(request, 20.0)
                outcomes.append(str(reply.get("prediction", reply.get("error"))))
            except SandboxEnded as ended:
                outcomes.append(str(ended))
    assert outcomes[0].startswith(first), outcomes
    assert outcomes[1].startswith(second), outcomes
