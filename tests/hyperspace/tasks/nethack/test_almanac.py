"""No game depends on the day on which it is played."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from hyperspace.tasks.nethack.domain import NetHack, minihack, nle
from tests.support.extras import needs_extra

Make = Callable[[None, dict[str, str]], NetHack]

pytestmark = needs_extra("nethack", "nle", "gym", "minihack")

_LOCAL_TIMES = """
import ctypes, json, time
from hyperspace.tasks.nethack.almanac import stay_in_daytime

class Moment(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("sec", "min", "hour", "day", "month", "year")]

def hour_at(second):
    moment = local_time(ctypes.byref(ctypes.c_long(second))).contents
    return moment.year, moment.month, moment.day, moment.hour

stay_in_daytime()
local_time = ctypes.CDLL(None).localtime
local_time.restype = ctypes.POINTER(Moment)
now = int(time.time())
print(json.dumps(sorted({hour_at(second) for second in range(now, now + 100 * 86_400, 3_599)})))
"""
_START = """
import ctypes, json
from hyperspace.tasks.nethack.domain import nle
from hyperspace.tasks.nethack.game import make

game = make(nle(None, {}).items("train")[0].inputs)
library = ctypes.CDLL(game._env.unwrapped.nethack.dlpath)
print(json.dumps(ctypes.c_long.in_dll(library, "ubirthday").value))
"""


def told_by(script: str) -> object:
    """What a script prints in a process of its own, of which it changes the local time."""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    return json.loads(done.stdout)


def test_the_local_time_stays_within_the_day_for_a_hundred_days() -> None:
    assert told_by(_LOCAL_TIMES) == [[126, 0, 7, hour] for hour in range(6, 18)]


def test_the_second_in_which_a_game_began_is_forgotten() -> None:
    assert told_by(_START) == 0


@pytest.mark.parametrize(
    ("make", "greeted"),
    [(minihack, "a neutral human Caveman."), (nle, "a neutral male gnomish Wizard.")],
)
def test_a_game_greets_alike_on_every_day(make: Make, greeted: str) -> None:
    domain = make(None, {})
    episode = domain.open(domain.items("train")[0])
    observation = episode.observe()
    episode.close()
    assert observation is not None
    assert observation["message"] == f"Hello Agent, welcome to NetHack!  You are {greeted}"
