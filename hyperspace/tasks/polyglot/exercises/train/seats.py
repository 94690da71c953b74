"""Exercise seats: seats of parties by two methods, with stated ties."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "votes" (a list of at least one integer >= 0, one for each
party, not all 0), "seats" (an integer >= 0) and "method". The answer is the list of the seats of
each party, in the order of the votes.

"remainder": with V for the sum of all votes, a party with v votes first gets the whole part of
seats * v / V. The seats that are left go one each to the parties with the greatest remainders
(what is left of seats * v when V is taken away as often as possible). Of parties with equal
remainders the one with more votes comes first, then the one that stands first in the list.

"average": the seats are given one after the other, each to the party with the greatest
v / (s + 1), where s is the number of seats that it has so far. Of parties with equal quotients the
one with fewer seats so far comes first, then the one that stands first in the list.

Compare fractions exactly; rounding would give wrong answers. V times the number of seats is below
2^53.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Few votes give many ties; some cases have large numbers that are nearly equal."""
    parties = rng.randint(1, 7)
    if rng.random() < 0.7:
        votes = [rng.randint(0, 12) for _ in range(parties)]
    else:
        base = rng.randint(10**6, 10**12)
        votes = [base * rng.randint(1, 3) + rng.randint(-1, 1) for _ in range(parties)]
    votes[rng.randrange(parties)] += 1
    method = rng.choice(["remainder", "average"])
    return {"votes": votes, "seats": rng.choice([0, 1, 2, 5, 11, 30]), "method": method}


def solve(case: dict[str, Any]) -> list[int]:
    """Compare integers only."""
    votes, seats = case["votes"], case["seats"]
    if case["method"] == "average":
        return by_average(votes, seats)
    total = sum(votes)
    shares = [seats * v // total for v in votes]
    order = sorted(range(len(votes)), key=lambda i: (-(seats * votes[i] % total), -votes[i], i))
    for party in order[: seats - sum(shares)]:
        shares[party] += 1
    return shares


def by_average(votes: list[int], seats: int) -> list[int]:
    """Give seat after seat to the greatest quotient."""
    shares = [0] * len(votes)
    for _ in range(seats):
        best = 0
        for i in range(1, len(votes)):
            ours, theirs = votes[i] * (shares[best] + 1), votes[best] * (shares[i] + 1)
            if ours > theirs or (ours == theirs and shares[i] < shares[best]):
                best = i
        shares[best] += 1
    return shares
