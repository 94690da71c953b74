"""Exercise queuepark: a car park of lanes that are open at one end only."""

from random import Random
from typing import Any

STATEMENT = """\
A car park has "lanes" lanes (>= 1), numbered from 0, for "size" cars (>= 1) each. A lane is open at
one end: the car that drove in last stands at the exit. The input has these two keys, and "events",
a list of ["in", car] and ["out", car], where car is a string. The park is empty at first. The
answer is a list with one integer for each event, in their order.

["in", car]: the car drives into the lane with the most free places, of several such the one with
the smallest number. The integer is the number of the lane. If no lane has a free place, or the car
is in the park already, nothing happens and the integer is -1.

["out", car]: every car between it and the exit of its lane must move to another lane. They move one
after the other, the one at the exit first, each into the lane with the most free places at that
moment, of several such the one with the smallest number, never into the lane that they stand in;
they stay there. Then the car leaves. The integer is the number of cars that moved. If the other
lanes together have fewer free places than cars must move, or the car is not in the park, nothing
happens and the integer is -1.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """A small park that is often nearly full."""
    lanes, size = rng.randint(1, 4), rng.randint(1, 4)
    cars = [f"c{number}" for number in range(lanes * size + 1)]
    events = [
        [rng.choices(["in", "out"], (3, 2))[0], rng.choice(cars)] for _ in range(rng.randint(0, 24))
    ]
    return {"lanes": lanes, "size": size, "events": events}


def solve(case: dict[str, Any]) -> list[int]:
    """Play the events."""
    lanes: list[list[str]] = [[] for _ in range(case["lanes"])]
    size = case["size"]
    answers: list[int] = []
    for kind, car in case["events"]:
        home = next((number for number, lane in enumerate(lanes) if car in lane), None)
        if kind == "in":
            answers.append(-1 if home is not None else drive_in(lanes, size, car, None))
        elif home is None:
            answers.append(-1)
        else:
            moving = len(lanes[home]) - 1 - lanes[home].index(car)
            room = sum(size - len(lane) for number, lane in enumerate(lanes) if number != home)
            if moving > room:
                answers.append(-1)
                continue
            for _ in range(moving):
                drive_in(lanes, size, lanes[home].pop(), home)
            lanes[home].pop()
            answers.append(moving)
    return answers


def drive_in(lanes: list[list[str]], size: int, car: str, but: int | None) -> int:
    """Put a car into the lane with most room but one; the lane's number, -1 if all are full."""
    numbers = [n for n in range(len(lanes)) if n != but and len(lanes[n]) < size]
    if not numbers:
        return -1
    number = min(numbers, key=lambda n: len(lanes[n]))
    lanes[number].append(car)
    return number
