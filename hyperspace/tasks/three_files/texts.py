"""Texts for agents about a task in three files: README.md, score.py and the seed."""

from collections.abc import Mapping
from importlib import resources
from string import Template

from hyperspace.tasks.three_files.folder import BENCHMARK, SOLUTION, TaskConfig, TaskFolder

LARGEST_SCORER = 500_000  # characters; beyond it agents have no score.py
LONGEST_ANSWER = 100_000  # characters of a solution

_AGENT = '''

# What follows hands the code above to the benchmark: the whole of this file is the solution.
class TaskAgent:
    """Answers with the text of the code that it belongs to, from wherever that was loaded."""

    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        """Return the solution and the (empty) conversation."""
        import linecache

        lines = linecache.getlines(TaskAgent.forward.__code__.co_filename)
        return "".join(lines), []
'''
_README = Template("""# $name

$prompt

## What is asked
`TaskAgent.forward` returns the text of a Python file, the solution. The seed returns its own file:
the functions in `task_agent.py` are the solution, and the class at its end hands them over. At most
$longest characters.

## How it is scored
The host runs `python $benchmark $solution` in a sandbox, without network, within $timeout CPU
seconds, and takes the last line `$metric:VALUE` of what is printed. $direction
Nothing printed, an error, or no finite figure scores 0.

The item is the same in train, val and test: there is no sealed split, and the solution runs beside
its benchmark. So scores of this task are marked unsealed.
""")
_SCORE = Template('''

METRIC = $metric
PERFECT = $perfect
HIGHER_IS_BETTER = $higher
TIMEOUT_S = $timeout
FILES = $files


def score(inputs, prediction):
    """Run the benchmark on a solution, as the host does, and return the score."""
    import pathlib
    import subprocess
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, data in {**FILES, $solution: prediction.encode("utf-8", "replace")}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        command = [sys.executable, $benchmark, $solution]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return 0.0
    value = None if done.returncode else read_value(done.stdout.decode("utf-8", "replace"), METRIC)
    return 0.0 if value is None else worth(value, PERFECT, HIGHER_IS_BETTER)
''')


def seed_agent(solution: str) -> str:
    """Return the task agent that is the first solution and answers with itself."""
    return solution.rstrip() + "\n" + _AGENT


def task_files(task: TaskFolder) -> dict[str, bytes]:
    """Return README.md, the benchmark, and a scorer that runs it where that is not too long."""
    files = {"README.md": readme(task.config).encode(), BENCHMARK: task.beside[BENCHMARK]}
    scorer = _scorer(task.config, task.beside)
    return files | ({"score.py": scorer.encode()} if len(scorer) <= LARGEST_SCORER else {})


def readme(config: TaskConfig) -> str:
    """Return what agents read of a task."""
    return _README.substitute(
        name=config.name,
        prompt=config.prompt.strip(),
        longest=f"{LONGEST_ANSWER:,}",
        benchmark=BENCHMARK,
        solution=SOLUTION,
        timeout=f"{config.timeout:g}",
        metric=config.metric,
        direction=_direction(config),
    )


def _direction(config: TaskConfig) -> str:
    word = "Higher" if config.higher_is_better else "Lower"
    if config.perfect_score is None:
        return f"{word} is better; a score between 0 and 1 follows from it."
    return f"{word} is better, {config.perfect_score:g} is perfect and has the score 1."


def _scorer(config: TaskConfig, beside: Mapping[str, bytes]) -> str:
    head = (resources.files("hyperspace.tasks") / "three_files" / "scoring.py").read_text("utf-8")
    return head + _SCORE.substitute(
        metric=repr(config.metric),
        perfect=repr(config.perfect_score),
        higher=repr(config.higher_is_better),
        timeout=repr(config.timeout),
        files=repr(dict(beside)),
        solution=repr(SOLUTION),
        benchmark=repr(BENCHMARK),
    )
