"""Records are resolved before threads decode them."""

import subprocess
import sys

from tests.support.paths import ROOT

AT_ONCE = """
import threading
import msgspec
from hyperspace.resolving import resolve_records
from hyperspace.kernel.state.steering.records import PrincipalMark

resolve_records()
together = threading.Barrier(16)

def convert():
    together.wait()
    for _ in range(50):
        try:
            msgspec.convert({}, PrincipalMark)
        except msgspec.ValidationError:
            pass

threads = [threading.Thread(target=convert) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_many_threads_decode_a_record_for_the_first_time() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
