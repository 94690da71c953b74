"""Random ids."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import RFC_4122

from markspace.core.ids import STOCK, new_id

FORKING = """
import os
from markspace.core.ids import new_id
new_id()
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, new_id().bytes)
    os._exit(0)
os.wait()
assert os.read(reader, 16) != new_id().bytes
"""


def test_ids_are_random_uuids_of_version_4_and_never_repeat() -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = [future.result() for future in [pool.submit(new_id) for _ in range(10 * STOCK)]]
    assert len(set(ids)) == len(ids)
    assert all(name.version == 4 and name.variant == RFC_4122 for name in ids)


def test_a_forked_process_shares_no_ids_with_its_parent() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], check=True, timeout=60)
