"""Feeds every registered parser for some minutes: `make fuzz MINUTES=10`.

Where atheris can be imported it chooses inputs by the branches that they reach; else chance does.
Each new fault is told once, with the input that shows it, and the others are looked for.
"""

import argparse
import base64
import contextlib
import importlib
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.parsers.mutations import mutated, nasty, refused_or_read
from tests.support.parsers.parser import Parser

LONGEST = 20_000  # bytes of an input that is chosen by branches
PACKAGES = "guards hyperspace markspace"


class Fuzzing:
    """What was fed, and which faults there were."""

    def __init__(self, parsers: Sequence[Parser], minutes: float) -> None:
        self.parsers = parsers
        self.until = time.monotonic() + 60 * minutes
        self.fed = 0
        self.faults: Counter[str] = Counter()

    def feed(self, number: int, data: bytes) -> None:
        """Feed one parser."""
        parser = self.parsers[number % len(self.parsers)]
        self.fed += 1
        try:
            refused_or_read(parser, data[: parser.most_bytes])
        except Exception as error:  # each is a finding
            last = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{parser.module}: {type(error).__name__} at {last.filename}:{last.lineno}"
            self.faults[fault] += 1
            if self.faults[fault] == 1:
                shown = base64.b64encode(data[:300]).decode()
                print(f"{fault}: {str(error)[:200]}\n    {len(data):,} bytes, {shown}", flush=True)

    def is_over(self) -> bool:
        return time.monotonic() > self.until

    def told(self) -> int:
        """Tell what came of it; returns the exit code."""
        print(f"{self.fed:,} inputs for {len(self.parsers)} parsers, {len(self.faults)} faults")
        return 1 if self.faults else 0


def by_chance(fuzzing: Fuzzing, seed: int) -> int:
    """Feed what nobody would write, then mutated samples."""
    for number in range(len(fuzzing.parsers)):
        for data in nasty():
            fuzzing.feed(number, data)
            if fuzzing.is_over():
                return fuzzing.told()
    source = random.Random(seed)
    while not fuzzing.is_over():
        number = source.randrange(len(fuzzing.parsers))
        samples = fuzzing.parsers[number].samples or (b"{}", b"a = 1\n")
        fuzzing.feed(number, mutated(source.choice(samples), source))
    return fuzzing.told()


def by_branches(atheris: Any, fuzzing: Fuzzing) -> None:
    """Let atheris choose inputs, whose first byte names the parser; it ends the process itself."""

    def feed(data: bytes) -> None:
        if data:
            fuzzing.feed(data[0], data[1:])
        if fuzzing.is_over():
            code = fuzzing.told()
            sys.stdout.flush()
            os._exit(code)

    with tempfile.TemporaryDirectory() as corpus:
        for number, parser in enumerate(fuzzing.parsers):
            for each, sample in enumerate(parser.samples):
                Path(corpus, f"{number}-{each}").write_bytes(bytes([number]) + sample)
        words = [sys.argv[0], f"-max_len={LONGEST}", "-rss_limit_mb=6000", "-verbosity=0", corpus]
        atheris.Setup(words, feed)
        atheris.Fuzz()


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--minutes", type=float, default=10.0)
    reader.add_argument("--seed", type=int, default=0)
    args = reader.parse_args()
    atheris: Any = None
    instrumented: Callable[[], Any] = contextlib.nullcontext
    with contextlib.suppress(ImportError):
        atheris = importlib.import_module("atheris")
        instrumented = lambda: atheris.instrument_imports(include=PACKAGES.split())  # noqa: E731
    with instrumented():
        from tests.support.parsers.registry import PARSERS
    fuzzing = Fuzzing(PARSERS, args.minutes)
    if atheris is not None:
        by_branches(atheris, fuzzing)
    return by_chance(fuzzing, args.seed)


if __name__ == "__main__":
    sys.exit(main())
