"""Whole answers in sandboxes: right, slow, wrong on one case, crashing, hostile."""

import inspect
import resource
import sys
import time

import pytest

from guards.sandboxes.choose import choose
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.tools import missing_tool
from hyperspace.kernel.evaluation.scoring_sandbox import runner
from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.polyglot.cases import draw_cases
from hyperspace.tasks.polyglot.catalogue import EXERCISES, exercise
from hyperspace.tasks.polyglot.domain import PolyglotDomain
from hyperspace.tasks.polyglot.languages import missing_tools
from hyperspace.tasks.shapes.outcome import Outcome
from tests.hyperspace.tasks.polyglot.javascript import JAVASCRIPT

pytestmark = pytest.mark.anyio
SANDBOX = choose("auto", needs_boundary=False).sandbox
DRIVER = """
import json, sys
for line in sys.stdin:
    print(json.dumps(solve(json.loads(line))))
"""
JAVASCRIPT_DRIVER = """
const lines = require('fs').readFileSync(0, 'utf8').trim().split('\\n');
for (const line of lines) console.log(JSON.stringify(solve(JSON.parse(line))));
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def reference(name: str) -> str:
    """A right answer in Python: the reference, and what reads and prints."""
    return inspect.getsource(sys.modules[exercise(name).solve.__module__]) + DRIVER


def find(domain: PolyglotDomain, name: str) -> Item:
    """The item of an exercise, in the first language."""
    for split in SPLITS:
        if name in EXERCISES[split]:
            languages = len(domain.items(split)) // len(EXERCISES[split])
            return domain.items(split)[languages * EXERCISES[split].index(name)]
    raise KeyError(name)


async def verify(name: str, code: str, language: str = "python") -> Outcome:
    domain = PolyglotDomain((language,), 1)
    return await domain.verify_in_sandbox(find(domain, name), code, runner(SANDBOX, "polyglot"))


@pytest.mark.parametrize("name", ["tidemerge", "loom8"])
async def test_a_right_answer_has_all_cases(name: str) -> None:
    outcome = await verify(name, reference(name))
    assert outcome == Outcome(1.0, details={"passed": 40, "cases": 40})


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for split in SPLITS for name in EXERCISES[split]])
async def test_every_reference_is_a_right_answer(name: str) -> None:
    assert (await verify(name, reference(name))).score == 1.0


@pytest.mark.slow
async def test_train_and_validation_cost_little_beside_a_model() -> None:
    domain = PolyglotDomain(("python",), 1)
    before, own = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    for split in SPLITS[:2]:
        for item, name in zip(domain.items(split), EXERCISES[split], strict=True):
            run = runner(ProcessSandbox(), "cost")
            assert (await domain.verify_in_sandbox(item, reference(name), run)).score == 1.0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    used_s = children + time.process_time() - own
    print(f"14 items: {used_s:.2f} CPU s")
    assert used_s < 5.0


async def test_one_wrong_case_is_enough() -> None:
    line = draw_cases(exercise("seats"), 1).inputs[6]
    code = (
        reference("seats").partition("\nimport json, sys\n")[0]
        + "\nimport json, sys\nfor line in sys.stdin:\n    case = json.loads(line)\n"
        + f"    print([] if case == json.loads({line!r}) else solve(case))\n"
    )
    outcome = await verify("seats", code)
    assert outcome.details == {"passed": 39, "cases": 40}
    assert (outcome.score, outcome.reason) == (0.0, "case 7 of 40 is wrong")


async def test_public_cases_by_heart_are_worth_nothing() -> None:
    public = dict(draw_cases(exercise("seats"), 1).public)
    code = f"import sys\nknown = {public!r}\nfor line in sys.stdin: print(known.get(line.strip()))"
    assert (await verify("seats", code)).details["passed"] == 0


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "the answer is empty"),
        ("for line in open(0): print(line)\nraise ValueError('secret')", "ended with status 1"),
        ("def solve(", "ended with status 1"),
        ("print('x' * 300_000)", "printed more than 200000 characters"),
        ("import os\nprint('[]')\nos.kill(os.getppid(), 9)", "the program ended its sandbox"),
    ],
)
async def test_what_fails_says_how_and_not_in_its_own_words(code: str, reason: str) -> None:
    outcome = await verify("seats", code)
    assert outcome.score == 0.0
    assert outcome.reason.endswith(reason)
    assert "secret" not in outcome.reason


@pytest.mark.slow
async def test_a_slow_answer_is_ended_by_its_cpu_seconds() -> None:
    outcome = await verify("seats", "while True: pass")
    assert outcome.reason == "command 1 of 1 used more than 5 CPU seconds"


async def test_nothing_of_the_answers_is_in_reach() -> None:
    answer = draw_cases(exercise("tidemerge"), 1).answers[0]
    code = (
        "import glob, json, os, sys\nlines = sys.stdin.read().split('\\n')[:-1]\nhits = []\n"
        f"needle = {answer[:20]!r} + {answer[20:]!r}\n"
        "for path in [*glob.glob('/workspace/**', recursive=True), *glob.glob('/tmp/**'),\n"
        "             *glob.glob('/proc/[0-9]*/environ'), *glob.glob('/proc/[0-9]*/cmdline')]:\n"
        "    try: hits += [path] * (needle in open(path, errors='replace').read())\n"
        "    except OSError: pass\nprint(len(hits))\n"
    )
    if not SANDBOX.is_boundary:
        pytest.skip("this sandbox is no boundary")
    outcome = await verify("tidemerge", code)
    assert outcome.reason == "1 lines for 40 cases"


@pytest.mark.long
@pytest.mark.parametrize("name", JAVASCRIPT)
async def test_javascript_gives_what_the_references_give(name: str) -> None:
    if missing := missing_tools("javascript"):
        pytest.skip(missing_tool(missing[0]))
    code = JAVASCRIPT[name] + JAVASCRIPT_DRIVER
    assert (await verify(name, code, "javascript")).score == 1.0


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("console.log(1)", "1 lines for 40 cases"),
        ("throw new Error('secret')", "ended with status 1"),
        ("process.kill(process.ppid, 'SIGKILL'); setTimeout(() => 0, 9000)", "ended its sandbox"),
        pytest.param(
            "const a = []; for (;;) a.push(new Array(1e6).fill(1.5))",
            "was killed by signal 6",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_javascript_that_fails_says_how(code: str, reason: str) -> None:
    if missing := missing_tools("javascript"):
        pytest.skip(missing_tool(missing[0]))
    outcome = await verify("seats", code, "javascript")
    assert outcome.score == 0.0
    assert outcome.reason.endswith(reason)
    assert "secret" not in outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("c", "int main(void) { return 3; }"),
        ("cpp", "#include <iostream>\nint main() { std::cout << 1 << std::endl; return 3; }"),
        ("java", "public class Main { public static void main(String[] a) { System.exit(3); } }"),
    ],
)
async def test_compiled_languages_run_and_fail(language: str, code: str) -> None:
    if missing := missing_tools(language):
        pytest.skip(missing_tool(missing[0]))
    assert (await verify("seats", code, language)).reason == "command 2 of 2 ended with status 3"
    assert (await verify("seats", "x", language)).reason.startswith("command 1 of 2 ended with")
