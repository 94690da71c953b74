"""Draws the rows: half derived and valid, half broken, no address twice over all splits.

Derivation and specification are written apart. A derived address that the oracle refuses is a
mistake of one of them and stops the generator; a broken one that is still valid is drawn again.
"""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import count

from hyperspace.tasks.base import DomainError, Split
from hyperspace.tasks.email_validation.grammar import derive
from hyperspace.tasks.email_validation.mistakes import mistakes
from hyperspace.tasks.email_validation.oracle import Profile, broken_rule
from hyperspace.tasks.streams import stream
from hyperspace.tasks.table import Row

ROWS = 120  # of a split
MOST_OF_A_RULE = 8  # of a split
VALID, INVALID = "valid", "invalid"


class Cases:
    """Rows of one generator seed, in an order that makes all of them distinct."""

    def __init__(self, rows_seed: int, profile: Profile) -> None:
        self._rows_seed = rows_seed
        self._profile = profile
        self._seen: set[str] = set()
        self.splits: dict[Split, tuple[Row, ...]] = {
            "train": self._draw("train", "train"),
            "val": self._draw("val", "val"),
            "test": self._draw("test", "test"),
        }

    def epochs(self) -> Iterator[tuple[Row, ...]]:
        """Draw the validation rows of one epoch after the other; 0 has those of the split."""
        fresh = Cases(self._rows_seed, self._profile)
        yield fresh.splits["val"]
        for number in count(1):
            yield fresh._draw(f"val/{number}", f"val-{number}")

    def _draw(self, part: str, prefix: str) -> tuple[Row, ...]:
        rng = stream("email_validation", self._rows_seed, part)
        labelled = [(self._fresh_valid(rng), VALID) for _ in range(ROWS // 2)]
        labelled += [(text, INVALID) for text in self._broken(rng, part == "test")]
        rng.shuffle(labelled)
        return tuple(
            Row(f"{prefix}-{number:04d}", {"address": text}, label)
            for number, (text, label) in enumerate(labelled)
        )

    def _fresh_valid(self, rng: random.Random) -> str:
        while (text := derive(rng).text()) in self._seen:
            pass
        if rule := broken_rule(text, self._profile):
            raise DomainError(f"email_validation: {text!r} is derived and breaks {rule}")
        self._seen.add(text)
        return text

    def _broken(self, rng: random.Random, is_test: bool) -> list[str]:
        """Go through the operators in turn, at most so many cases of each rule."""
        operators = mistakes(is_test)
        counts: Counter[str] = Counter()
        texts: list[str] = []
        turn = 0
        while len(texts) < ROWS // 2:
            text = operators[turn % len(operators)](derive(rng), rng)
            turn += 1
            rule = broken_rule(text, self._profile)
            if rule and text not in self._seen and counts[rule] < MOST_OF_A_RULE:
                counts[rule] += 1
                self._seen.add(text)
                texts.append(text)
        return texts
