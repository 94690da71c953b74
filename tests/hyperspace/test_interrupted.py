"""Ctrl-C before a command has begun ends it in a sentence."""

import subprocess
import sys

from tests.support.paths import ROOT

PROGRAM = """
import os, signal, sys
from hyperspace.start import entry

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "hyperspace.commands.pair":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["hyperspace", "pair", "--help"]
entry()
"""


def test_an_interrupt_while_a_command_is_loaded_is_no_traceback() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (1, "\nhyperspace: stopped\n")
