"""Exercise tagrange: versions with tags that satisfy a list of ranges."""

import operator
from random import Random
from typing import Any

STATEMENT = """\
A version is three integers >= 0 joined by dots, such as "1.0.12", and possibly a tag behind a
hyphen: lower-case letters (at least one) and possibly an integer >= 1, such as "1.0.12-beta2".
Integers have no leading zeros.

Versions are compared by their three integers, from left to right. If all are equal, a version with
a tag comes before one without; two tags are compared by their letters, as words in a dictionary
("a" before "aa" before "b"), then by their integers, where none counts as 0.

The input is an object with the keys "versions", a list of versions, and "ranges", a string of
ranges joined by commas, without spaces. A range is one of ">=", "<=", ">", "<", "!=", "=" and a
version. A version satisfies the ranges if it satisfies every range in this order of versions, and,
if it has a tag, at least one range (with any sign) names a version with a tag and the same three
integers.

The answer is the list of the versions that satisfy the ranges, smallest first, each once.
"""
SIGNS = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


def draw_case(rng: Random) -> dict[str, Any]:
    """Versions that differ little, and ranges made of such versions."""
    versions = [draw_version(rng) for _ in range(rng.randint(3, 20))]
    named = [draw_version(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
    if versions and rng.random() < 0.5:
        named[0] = rng.choice(versions)
    signs = rng.choices(list(SIGNS), (6, 6, 3, 4, 4, 1), k=len(named))
    ranges = [sign + version for sign, version in zip(signs, named, strict=True)]
    return {"versions": versions, "ranges": ",".join(ranges)}


def draw_version(rng: Random) -> str:
    """A version with small integers; now and then one of two digits."""
    numbers = [rng.randint(0, 1), rng.randint(0, 2), rng.choice([0, 1, 9, 10])]
    text = ".".join(map(str, numbers))
    if rng.random() < 0.45:
        text += "-" + rng.choice(["a", "alpha", "beta", "b"]) + rng.choice(["", "1", "2", "10"])
    return text


def solve(case: dict[str, Any]) -> list[str]:
    """Keep what satisfies, sort by what versions are compared by."""
    ranges = [split_range(text) for text in case["ranges"].split(",")]
    tagged = {key(version)[0] for _, version in ranges if "-" in version}
    kept = {
        version
        for version in case["versions"]
        if all(SIGNS[sign](key(version), key(bound)) for sign, bound in ranges)
        and ("-" not in version or key(version)[0] in tagged)
    }
    return sorted(kept, key=key)


def split_range(text: str) -> tuple[str, str]:
    """Sign and version."""
    sign = next(sign for sign in SIGNS if text.startswith(sign))
    return sign, text.removeprefix(sign)


def key(version: str) -> tuple[tuple[int, ...], int, str, int]:
    """What versions are compared by."""
    numbers, _, tag = version.partition("-")
    letters = tag.rstrip("0123456789")
    triple = tuple(map(int, numbers.split(".")))
    return triple, 0 if tag else 1, letters, int(tag[len(letters) :] or 0)
