"""Exercise sparsepoly: polynomials with few terms, modulo a prime."""

from random import Random
from typing import Any

STATEMENT = """\
A polynomial modulo the prime p is given as a list of [exponent, coefficient], in any order;
exponents are integers of at least 0 and may stand there several times, in which case their
coefficients are added; coefficients are any integers and count modulo p.

The input is an object with the keys "p" (a prime below 32768), "op" and "f", and
- "g" for the op "multiply": the answer is the product of f and g;
- "g" for the op "compose": the answer is f(g(x)), f with g put in place of x;
- "x", an integer, for the op "evaluate": the answer is f(x) modulo p, an integer from 0 to p - 1.

A polynomial in an answer is the list of its [exponent, coefficient] with the greatest exponent
first, each exponent once, each coefficient from 1 to p - 1; the zero polynomial is []. The power 0
of anything is 1, also of 0 and of the zero polynomial. Exponents are at most 10^9 for "evaluate",
200 for "multiply" and 8 for "compose".
"""
PRIMES = (2, 3, 5, 7, 101, 32749)
HIGHEST = {"multiply": 200, "compose": 8, "evaluate": 10**9}
Polynomial = dict[int, int]


def draw_case(rng: Random) -> dict[str, Any]:
    """Few terms; small primes make coefficients vanish."""
    op = rng.choice(list(HIGHEST))
    case: dict[str, Any] = {"p": rng.choice(PRIMES), "op": op, "f": draw_terms(rng, HIGHEST[op])}
    if op == "evaluate":
        return {**case, "x": rng.choice([0, rng.randint(-9, 9), rng.randint(0, 10**6)])}
    return {**case, "g": draw_terms(rng, min(HIGHEST[op], 200))}


def draw_terms(rng: Random, highest: int) -> list[list[int]]:
    """Terms of which some have the same exponent."""
    terms: list[list[int]] = []
    for _ in range(rng.randint(0, 5)):
        exponent = rng.choice([rng.randint(0, highest), rng.randint(0, 4)])
        terms.append([exponent, rng.choice([rng.randint(-9, 9), rng.randint(0, 40_000)])])
    return terms


def solve(case: dict[str, Any]) -> Any:
    """Do what is asked, term by term."""
    p: int = case["p"]
    f = reduced(case["f"], p)
    if case["op"] == "evaluate":
        x: int = case["x"]
        return sum(coefficient * pow(x, e, p) for e, coefficient in f.items()) % p
    g = reduced(case["g"], p)
    if case["op"] == "multiply":
        return listed(product(f, g, p))
    total: Polynomial = {}
    for exponent, coefficient in f.items():
        power: Polynomial = {0: 1}
        for _ in range(exponent):
            power = product(power, g, p)
        for e, c in power.items():
            total[e] = (total.get(e, 0) + coefficient * c) % p
    return listed(total)


def reduced(terms: list[list[int]], p: int) -> Polynomial:
    """Terms with equal exponents added up."""
    total: Polynomial = {}
    for exponent, coefficient in terms:
        total[exponent] = (total.get(exponent, 0) + coefficient) % p
    return total


def product(f: Polynomial, g: Polynomial, p: int) -> Polynomial:
    """Product of two polynomials."""
    total: Polynomial = {}
    for e, c in f.items():
        for exponent, coefficient in g.items():
            total[e + exponent] = (total.get(e + exponent, 0) + c * coefficient) % p
    return total


def listed(f: Polynomial) -> list[list[int]]:
    """The form of answers."""
    return [[e, f[e]] for e in sorted(f, reverse=True) if f[e]]
