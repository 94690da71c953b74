"""What a command costs before it does anything: a bare interpreter, imports, and help."""

import subprocess
import sys
from functools import partial

from benchmarks.measure import compare, show

REPEATS = 20
HELP = "from hyperspace.cli.main import main; main([{!r}, '--help'])"
PROGRAMS = {
    "python -c pass": "pass",
    "import markspace": "import markspace",
    "import transfer_experiment.pair": "import transfer_experiment.pair",
    **{f"hyperspace {name} --help": HELP.format(name) for name in ("pair", "solo", "fleet")},
}


def main() -> None:
    """Compare fresh interpreters; the goal is 150 ms of CPU for help, 100 ms for markspace."""
    operations = {name: partial(_run, program) for name, program in PROGRAMS.items()}
    show(f"Start ({REPEATS} repetitions)", compare(operations, REPEATS))


def _run(program: str) -> None:
    command = [sys.executable, "-c", program]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
