"""Exercise dozenal: numerals in base 12 whose digits are letters."""

from random import Random

STATEMENT = """\
Numerals in base 12 have the digits a to l, which stand for 0 to 11. From the right, each group of
three digits is separated by a dot from the digits to its left: 12 is "ba", 1728 is "b.aaa". A
numeral is in its proper form if it has no needless "a" at its left (zero is "a"), all its dots
and no others, and, for numbers below zero alone, one "-" in front ("-a" is not proper).

The input is an object with the key "op". If it is "write", the key "value" holds an integer and the
answer is its proper numeral, a string. If it is "read", the key "text" holds a string and the
answer is the integer that it stands for, or null if the string is not a proper numeral (it may be
empty, and hold any ASCII characters). All numbers are between -10^12 and 10^12.
"""
DIGITS = "abcdefghijkl"


def draw_case(rng: Random) -> dict[str, object]:
    """A number to write, a numeral to read, or a numeral that is nearly proper."""
    bound = 12 ** rng.randint(0, 10)
    value = rng.randint(-bound, bound)
    sort = rng.randrange(5)
    if sort < 2:
        return {"op": "write", "value": value}
    text = written(value)
    if sort < 4:
        at = rng.randint(0, len(text))
        text = (
            text[:at] + rng.choice(["a", ".", "-", "m", "A", ""]) + text[at + rng.randint(0, 1) :]
        )
    return {"op": "read", "text": text}


def solve(case: dict[str, object]) -> str | int | None:
    """What is proper is what writing gives."""
    if case["op"] == "write":
        return written(int(str(case["value"])))
    text = str(case["text"])
    digits = text.removeprefix("-").replace(".", "")
    if not digits or any(digit not in DIGITS for digit in digits):
        return None
    value = 0
    for digit in digits:
        value = 12 * value + DIGITS.index(digit)
    value = -value if text.startswith("-") else value
    return value if written(value) == text else None


def written(value: int) -> str:
    """The proper numeral of a number."""
    rest, digits = abs(value), ""
    while rest or not digits:
        rest, digit = divmod(rest, 12)
        digits = DIGITS[digit] + digits
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    groups += [digits[at : at + 3] for at in range(head, len(digits), 3)]
    return ("-" if value < 0 else "") + ".".join(groups)
