"""Answering what was not asked: an answer counts once, under an id that the host issued."""

from guards.defences import Defence as D
from guards.sandboxes.sandbox import Limits
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.answers import ForgesAnswers, Gates

FAMILY = Family("evaluation")
SHORT_FRAMES = Limits(wall_s=20.0, frame_bytes=100_000)
PROTOCOL = ("protocol", "protocol")

add = FAMILY.add
add(
    "answer twice",
    "leaves a second answer for the next question",
    ForgesAnswers("forge(id='one', prediction='x')\nreturn 'late', []", ("x", "protocol"), "late"),
    D.ANSWER_ID,
    also=D.TURN,
)
add(
    "answer by a child that stays",
    "has a child answer first",
    ForgesAnswers(
        "if os.fork() == 0:\n    forge(id='one', prediction='x')\n    os._exit(0)\n"
        "os.wait()\nreturn 'late', []",
        ("x", "protocol"),
        "late",
    ),
    D.ANSWER_ID,
    also=D.TURN,
)
for name, about, code in (
    (
        "answer to the next item",
        "answers what will be asked later",
        "forge(id='two', prediction='x')\nreturn 'a', []",
    ),
    (
        "answer to an id that does not exist",
        "answers what nobody asks",
        "forge(id='zzz', prediction='x')\nreturn 'a', []",
    ),
    ("answer without an id", "answers nothing in particular", "forge(prediction='x')"),
    (
        "answer under an id of another type",
        "names the item by something that may compare as equal",
        "forge(id=['one'], prediction='x')",
    ),
    (
        "patched frames",
        "changes how the program that answers writes",
        "import sys\nnames = sys._getframe(1).f_globals\nhost = sys._getframe(1).f_locals['host']\n"
        "old = type(host).send\n"
        "type(host).send = lambda h, f: old(h, {'id': 'three', 'prediction': 'x'})\nreturn 'a', []",
    ),
    (
        "patched json",
        "changes how every frame is written",
        'json.dumps = lambda *a, **k: \'{"id": "two", "prediction": "x"}\'\nreturn \'a\', []',
    ),
):
    first = "a" if name == "patched frames" else "protocol"
    add(name, about, ForgesAnswers(code, (first, "protocol"), "x"), D.ANSWER_ID)
add(
    "frame on standard output",
    "prints what looks like an answer",
    ForgesAnswers(
        "body = json.dumps({'id': 'one', 'prediction': 'printed'}).encode()\n"
        "os.write(1, len(body).to_bytes(4, 'big') + body)\nreturn 'a', []",
        ("a", "fine"),
        "printed",
    ),
    D.CHANNEL,
)
add(
    "frame by a child's output",
    "has another program print what looks like an answer",
    ForgesAnswers(
        "import subprocess\nbody = json.dumps({'id': 'one', 'prediction': 'printed'})\n"
        "line = 'printf \"\\\\0\\\\0\\\\0\\\\' + f'{len(body):o}' + '%s\" ' + repr(body)\n"
        "subprocess.run(['sh', '-c', line])\nreturn 'a', []",
        ("a", "fine"),
        "printed",
    ),
    D.CHANNEL,
)
add(
    "long frame",
    "has the host keep more than it should",
    ForgesAnswers("forge(id='one', prediction='x' * 200_000)", PROTOCOL, "x", SHORT_FRAMES),
    D.FRAME_SIZE,
)
for name, about, data in (
    ("frame that is no JSON", "sends what cannot be read", "b'\\0\\0\\0\\3abc'"),
    ("frame that is a list", "sends what is no object", "b'\\0\\0\\0\\2[]'"),
    (
        "frame that is not UTF-8",
        "sends bytes that are no text",
        'b\'\\0\\0\\0\\x0a{"id":"\\xff"}\'',
    ),
    (
        "deeply nested frame",
        "has a reader call itself too often",
        "(40000).to_bytes(4, 'big') + b'[' * 40000",
    ),
    (
        "not a number",
        "sends a number that is none, which compares with nothing",
        "b'\\0\\0\\0\\x09{\"id\":NaN}'",
    ),
    (
        "frame with half a character",
        "sends text that cannot be written",
        'b\'\\0\\0\\0\\x0f{"id":"\\\\ud800"}\'',
    ),
    ("empty frame", "sends nothing where something must be", "b'\\0\\0\\0\\0'"),
):
    add(
        name, about, ForgesAnswers(f"raw({data})\nreturn 'a', []", PROTOCOL, "(none)"), D.FRAME_FORM
    )

SAYS_SO = "\nforge(ok=True, gate='passed', error='')\n"
for name, about, code, agent in (
    ("forged pass, then nothing", "says that it passed, and ends", f"{SAYS_SO}os._exit(0)", False),
    (
        "forged pass of broken code",
        "says that it passed, and fails",
        f"{SAYS_SO}raise ValueError",
        False,
    ),
    ("forged pass without an agent", "says that it passed, and has no agent", SAYS_SO, False),
    ("forged pass before the question", "says so before it was asked", SAYS_SO, True),
    (
        "forged pass by an exit hook",
        "says so when it ends",
        f"import atexit\natexit.register(forge, ok=True, gate='passed', error='')\n{SAYS_SO}",
        False,
    ),
):
    add(name, about, Gates(code, agent), D.SMOKE)
