"""Attacks on the evaluation: an answer counts once, under an id that the host issued, as text.

Code that shares a process with the program that answers can say what it likes, but only as its own
prediction for the item that it was asked.
"""

from typing import NamedTuple

import pytest

from guards.gates import run_gates
from guards.sandbox import Sandbox, SandboxEnded
from tests.support.sandboxes import BOUNDARIES, META, TASK, job, task_agent

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


class Attack(NamedTuple):
    code: str
    first: str  # what comes of item "one": its prediction, its error, or how it ended
    second: str = "fine"  # and of item "two", where the code answers honestly


ATTACKS = {
    "printed result line": Attack(
        'print(\'{"id": "two", "prediction": "x"}\')\nreturn \'a\', []', "a"
    ),
    "written predictions": Attack(
        "open('predictions.csv', 'w').write('one,x')\nreturn 'a', []", "a"
    ),
    "frame on standard output": Attack(
        "os.write(1, b'\\0\\0\\0\\2{}')\nos.write(2, b'\\0\\0\\0\\2{}')\nreturn 'a', []", "a"
    ),
    "frame on standard input": Attack(
        "try: os.write(0, b'\\0\\0\\0\\2{}')\nexcept OSError: pass\nreturn 'a', []", "a"
    ),
    "answer twice": Attack("forge(id='one', prediction='x')\nreturn 'a', []", "x", "protocol"),
    "answer to the next item": Attack(
        "forge(id='two', prediction='x')\nreturn 'a', []",
        "protocol: an answer to 'two'",
        "protocol",
    ),
    "answer to an id that does not exist": Attack(
        "forge(id='zzz', prediction='x')\nreturn 'a', []",
        "protocol: an answer to 'zzz'",
        "protocol",
    ),
    "answer without an id": Attack("forge(prediction='x')", "protocol: an answer to", "protocol"),
    "answer by a child that stays": Attack(
        "if os.fork() == 0:\n    forge(id='one', prediction='x')\n    os._exit(0)\n"
        "os.wait()\nreturn 'a', []",
        "x",
        "protocol",
    ),
    "giant frame": Attack("raw(b'\\xff' * 4)\nreturn 'a', []", "protocol: a frame of", "protocol"),
    "frame that is no JSON": Attack(
        "raw(b'\\0\\0\\0\\3abc')\nreturn 'a', []", "protocol: a frame that is no JSON", "protocol"
    ),
    "frame that is a list": Attack(
        "raw(b'\\0\\0\\0\\2[]')", "protocol: a frame that is", "protocol"
    ),
    "deeply nested frame": Attack(
        "raw((40000).to_bytes(4, 'big') + b'[' * 40000)", "protocol: a frame that is", "protocol"
    ),
    "half a frame, then the end": Attack(
        "raw(b'\\0\\0\\1\\0{')\nos._exit(0)", "exited: it exited with status 0", "exited"
    ),
    "clean exit": Attack("os._exit(0)", "exited: it exited with status 0", "exited"),
    "SystemExit": Attack("raise SystemExit('passed')", "SystemExit: passed"),
    "KeyboardInterrupt": Attack("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "GeneratorExit": Attack("raise GeneratorExit", "GeneratorExit"),
    "exception without words": Attack("raise Hidden", "Hidden: (its message cannot be shown)"),
    "huge text": Attack("return 'x' * 100_000_000, []", "ValueError: a prediction has at most"),
    "not a number": Attack(
        "return float('nan'), []", "TypeError: a prediction is a str, not float"
    ),
    "none": Attack("return None, []", "TypeError: a prediction is a str, not NoneType"),
    "bytes": Attack("return b'a', []", "TypeError: a prediction is a str, not bytes"),
    "text with its own __str__": Attack("return Text('truth'), []", "truth"),
    "object that cannot be shown": Attack("return Loud(), []", "TypeError: a prediction is a str"),
    "object that pretends to be text": Attack("return Pretender(), []", "TypeError"),
    "no pair": Attack("return 'a'", "TypeError: forward must return (prediction, history)"),
    "endless pair": Attack(
        "import itertools\nreturn itertools.repeat('a')", "TypeError: forward must return"
    ),
    "lone surrogate": Attack("return 'a\\ud800', []", "a?"),
    "control characters": Attack("return 'a\\x00\\x1b[2J\\n', []", "a\x00\x1b[2J\n"),
    "patched program": Attack(
        "import __main__ as m\nold = m.json.dumps\n"
        "m.json.dumps = lambda f, **k: old({**f, 'id': 'two'}, **k)\nreturn 'a', []",
        "protocol: an answer to 'two'",
        "protocol",
    ),
    "patched json": Attack(
        "json.dumps = lambda *a, **k: '{}'\nreturn 'a', []", "protocol", "protocol"
    ),
    "changed inputs": Attack("inputs['id'] = 'two'\nreturn 'a', []", "a"),
    "exit hooks": Attack(
        "import atexit\natexit.register(forge, id='two', prediction='x')\nreturn 'a', []", "a"
    ),
    "looking for labels": Attack(
        "import gc\nseen = [o for o in gc.get_objects() if isinstance(o, dict) and 'label' in o]\n"
        "return f'{len(seen)} labels', []",
        "0 labels",
    ),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_answer_counts_only_as_asked(sandbox: Sandbox, name: str) -> None:
    code, first, second = ATTACKS[name]
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


FORGED = FORGE + "\nforge(ok=True, gate='passed', error='')\n"
GATES = {
    "forged pass, then nothing": (FORGED + "os._exit(0)", "smoke"),
    "forged pass of broken code": (FORGED + "raise ValueError", "smoke"),
    "forged pass without an agent": (FORGED, "smoke"),
    "malformed pass": (FORGE + "\nforge(ok='yes')\n", "import"),
    "forged pass before the question": (FORGED + TASK, "smoke"),
}


@pytest.mark.parametrize("name", GATES)
async def test_a_forged_pass_does_not_open_the_gates(sandbox: Sandbox, name: str) -> None:
    task, gate = GATES[name]
    async with sandbox.start(job(task=task, meta=META)) as running:
        result = await run_gates(running, {"q": 1}, "m", 10.0)
    assert (result.passed, result.gate) == (False, gate), result
