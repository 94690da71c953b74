"""Exercise vowelshift: a cipher whose shift is the number of vowels so far."""

from random import Random
from string import ascii_letters

STATEMENT = """\
A cipher moves each letter forward in the alphabet, and from z on to a again. A letter is moved by
as many places as there are vowels (a, e, i, o, u, in either case) before it in the PLAIN text, not
counting itself. Letters keep their case; all other characters stay as they are. The letters are
the 26 of a to z and A to Z.

The input is an object with the keys "mode" and "text". If mode is "encode", text is plain and the
answer is the text in cipher; if it is "decode", text is in cipher and the answer is the plain text.
The answer is a string.
"""
VOWELS = "aeiouAEIOU"
CHARACTERS = ascii_letters + VOWELS * 3 + "  .,-0"


def draw_case(rng: Random) -> dict[str, str]:
    """A text in which vowels are frequent; now and then one with more than 26 of them."""
    length = rng.choice([0, 1, 5, 20, 40, 90])
    text = "".join(rng.choice(CHARACTERS) for _ in range(length))
    return {"mode": rng.choice(["encode", "decode"]), "text": text}


def solve(case: dict[str, str]) -> str:
    """Go through the text and count plain vowels."""
    direction = 1 if case["mode"] == "encode" else -1
    vowels, done = 0, ""
    for character in case["text"]:
        moved = shifted(character, direction * vowels)
        vowels += (character if direction == 1 else moved) in VOWELS
        done += moved
    return done


def shifted(character: str, places: int) -> str:
    """Move a letter; anything else stays."""
    if character not in ascii_letters:
        return character
    first = ord("a") if character.islower() else ord("A")
    return chr(first + (ord(character) - first + places) % 26)
