"""Make the texts of nano_gpt: stories of a small language that is drawn first, of one seed.

It was run once, and what it left is in the repository; no job sees it.
"""

import random
import sys
from itertools import accumulate
from pathlib import Path

TRAINING = 400_000  # bytes
SEALED = 66_048
NAMES, NOUNS, VERBS, QUALITIES = 8, 18, 12, 10
OWN = 3  # verbs, qualities and other nouns that go with a noun


class SmallLanguage:
    """Words, and which go with which.

    Args:
        draw: Decides them.
    """

    def __init__(self, draw: random.Random) -> None:
        starts = ["b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v"]
        vowels, ends = ["a", "e", "i", "o", "u", "ai", "ou"], ["", "", "n", "r", "l", "s", "th"]

        def word(least: int) -> str:
            count = least + (draw.random() < 0.5)
            return "".join(
                draw.choice(starts) + draw.choice(vowels) + draw.choice(ends) for _ in range(count)
            )

        self.names = sorted({word(1).capitalize() for _ in range(NAMES)})
        self.nouns = sorted({word(1) for _ in range(NOUNS)})
        self.verbs = sorted({word(1) + "ed" for _ in range(VERBS)})
        self.qualities = sorted({word(1) + "y" for _ in range(QUALITIES)})
        self.with_noun = {
            noun: [draw.sample(each, OWN) for each in (self.verbs, self.qualities, self.nouns)]
            for noun in self.nouns
        }


def frequent(draw: random.Random, words: list[str]) -> str:
    """Return a word; the earlier ones are drawn more often, as one to their places."""
    weights = list(accumulate(1 / (place + 1) for place in range(len(words))))
    return draw.choices(words, cum_weights=weights)[0]


def story(language: SmallLanguage, draw: random.Random) -> str:
    """Return a few sentences about somebody, whose later ones tell of what the first named."""
    name, noun = draw.choice(language.names), frequent(draw, language.nouns)
    sentences: list[str] = []
    for _ in range(draw.randint(3, 6)):
        verbs, qualities, others = language.with_noun[noun]
        other = frequent(draw, others)
        sentences.append(
            draw.choice(
                [
                    f"{name} {frequent(draw, verbs)} the {frequent(draw, qualities)} {noun}.",
                    f"The {noun} {frequent(draw, verbs)} the {other}.",
                    f"Then {name} {frequent(draw, verbs)} the {noun} and the {other}.",
                    f'"Is the {noun} {frequent(draw, qualities)}?" asked {name}.',
                ]
            )
        )
        if draw.random() < 0.4:
            noun = other
    return " ".join(sentences) + "\n"


def text(language: SmallLanguage, draw: random.Random, size: int) -> str:
    """Return stories of so many bytes."""
    told = ""
    while len(told) < size:
        told += story(language, draw)
    return told[:size]


def main(seed: str) -> None:
    """Write repo/corpus.txt, sealed/text.txt and held_out/text.txt."""
    language = SmallLanguage(random.Random(f"{seed} language"))
    here = Path(__file__).parent
    sealed = ("sealed/text.txt", "held_out/text.txt")
    for path, size in (("repo/corpus.txt", TRAINING), *((path, SEALED) for path in sealed)):
        (here / path).write_text(text(language, random.Random(f"{seed} {path}"), size))


if __name__ == "__main__":
    main(sys.argv[1])
