"""Ctrl-C before a command has begun ends it in a sentence."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

PROGRAM = """
import os, signal, sys
from hyperspace.cli.start import entry

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "hyperspace.cli.commands.pair":
            os.kill(os.getpid(), signal.NAME)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["hyperspace", "pair", "--help"]
entry()
"""


def ended_by(name: str, before: str) -> subprocess.CompletedProcess[str]:
    """A command line that gets a signal while its command is loaded; `before` runs first."""
    usual = f"import signal; signal.signal(signal.{name}, signal.SIG_DFL)"  # nohup ignores one
    if name == "SIGINT":
        usual = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{usual}; {before}\n{PROGRAM.replace('NAME', name)}"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=60
    )


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_while_a_command_is_loaded_is_no_traceback(name: str) -> None:
    done = ended_by(name, "")
    assert (done.returncode, done.stderr) == (130, "\nhyperspace: stopped\n")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_it_ends_so_where_ctrl_c_is_ignored_as_in_the_background_of_a_script(name: str) -> None:
    done = ended_by(name, "signal.signal(signal.SIGINT, signal.SIG_IGN)")
    assert (done.returncode, done.stderr) == (130, "\nhyperspace: stopped\n")


def test_a_hang_up_that_is_ignored_stays_ignored() -> None:
    done = ended_by("SIGHUP", "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    assert done.returncode == 0 and "usage: hyperspace pair" in done.stdout
