"""Exercise shiftcheck: the first shift of a roster that breaks a rule."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "rest", "hours" (integers >= 0), "skills" (an object: name of a
worker to the list of the worker's skills) and "shifts", a list of [worker, start, end, skill] with
integers 0 <= start < end: hours since the beginning of week 0. Week w holds the hours from 168 * w
up to, but not including, 168 * (w + 1). A shift belongs, with all its hours, to the week that its
start lies in.

Shifts are looked at by their start, the smaller first; those with equal starts in the order of the
list. For each, four rules are checked in this order:

1. "worker": skills has the worker.
2. "skill": the worker has the skill of the shift.
3. "rest": no shift of this worker that was looked at before ends later than start - rest.
4. "hours": this shift and all shifts of this worker in this week that were looked at before have
   together at most "hours" hours.

The answer is [place, rule] of the first rule that is broken: the place of the shift in the list,
counted from 0, and the name of the rule; or null if none is.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Rosters that mostly keep the rules for a while."""
    skills = {
        name: rng.sample(["cook", "drive", "sell"], rng.randint(1, 3))
        for name in ("ann", "bo", "cy", "di")[: rng.randint(1, 4)]
    }
    rest, hours, clock = rng.randint(0, 12), rng.choice([10, 16, 40, 60]), rng.randint(0, 160)
    shifts: list[list[Any]] = []
    for _ in range(rng.randint(0, 10)):
        clock += rng.choice([0, 3, 8, 12, 24])
        worker = rng.choice(list(skills)) if rng.random() < 0.97 else "ed"
        skill = rng.choice(skills.get(worker, ["cook"])) if rng.random() < 0.95 else "drive"
        shifts.append([worker, clock, clock + rng.randint(1, 9), skill])
    if rng.random() < 0.5:
        rng.shuffle(shifts)
    return {"rest": rest, "hours": hours, "skills": skills, "shifts": shifts}


def solve(case: dict[str, Any]) -> list[Any] | None:
    """Look at shift after shift."""
    shifts = case["shifts"]
    last_end: dict[str, int] = {}
    worked: dict[tuple[str, int], int] = {}
    for place in sorted(range(len(shifts)), key=lambda place: (shifts[place][1], place)):
        worker, start, end, skill = shifts[place]
        if worker not in case["skills"]:
            return [place, "worker"]
        if skill not in case["skills"][worker]:
            return [place, "skill"]
        if worker in last_end and last_end[worker] > start - case["rest"]:
            return [place, "rest"]
        week = worker, start // 168
        worked[week] = worked.get(week, 0) + end - start
        if worked[week] > case["hours"]:
            return [place, "hours"]
        last_end[worker] = max(end, last_end.get(worker, end))
    return None
