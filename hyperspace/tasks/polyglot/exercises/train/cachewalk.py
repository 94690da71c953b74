"""Exercise cachewalk: hits and evictions of caches whose entries grow too old."""

from random import Random
from typing import Any

STATEMENT = """\
The input is an object with the keys "policy" ("lru" or "lfu"), "capacity" (>= 1), "ttl" (>= 1) and
"requests", a list of [time, key] whose times never fall. A cache that is empty at first handles
the requests in this order:

1. Every entry that was stored at a time t with t + ttl <= time is removed; it has expired. A hit
   does not make an entry younger.
2. If the key is in the cache, this is a hit.
3. Else the key is stored at this time. If the cache holds "capacity" entries before that, one of
   them is evicted first: for "lru" the one whose last request (the one that stored it, or a later
   hit) is the earliest of the list; for "lfu" the one with the fewest requests since it was stored
   (the one that stored it counts), and of several such the one that "lru" would take.

The answer is [hits, expired, evicted]: the number of hits, the number of entries that expired at
step 1, and the list of the evicted keys in the order in which they were evicted. Keys are strings.
"""


def draw_case(rng: Random) -> dict[str, Any]:
    """Requests for few keys, often at the same time."""
    time, requests = 0, list[list[Any]]()
    for _ in range(rng.randint(0, 30)):
        time += rng.choice([0, 0, 1, 1, 2, 5])
        requests.append([time, rng.choice("abcdefg"[: rng.randint(2, 7)])])
    return {
        "policy": rng.choice(["lru", "lfu"]),
        "capacity": rng.randint(1, 4),
        "ttl": rng.choice([1, 3, 6, 12, 99]),
        "requests": requests,
    }


def solve(case: dict[str, Any]) -> list[Any]:
    """Keep of each entry when it was stored, how often and when last it was asked for."""
    hits, expired, evicted = 0, 0, list[str]()
    stored: dict[str, int] = {}
    count: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, (time, key) in enumerate(case["requests"]):
        for old in [k for k, since in stored.items() if since + case["ttl"] <= time]:
            del stored[old]
            expired += 1
        if key in stored:
            hits += 1
            count[key] += 1
        else:
            if len(stored) == case["capacity"]:
                is_lru = case["policy"] == "lru"
                victim = min(stored, key=lambda k: (0 if is_lru else count[k], last[k]))
                del stored[victim]
                evicted.append(victim)
            stored[key], count[key] = time, 1
        last[key] = number
    return [hits, expired, evicted]
