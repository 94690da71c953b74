"""Runs unit tests beside an answer and prints how many ran and how many went wrong.

It is laid out with an answer in a scoring sandbox, on the standard library alone: its arguments are
the modules of the tests.
"""

import io
import json
import sys
import unittest


def main(modules: list[str]) -> None:
    """Run all tests; the line that counts is the last one, whatever the answer prints."""
    tests = unittest.defaultTestLoader.loadTestsFromNames(modules)
    result = unittest.TextTestRunner(io.StringIO()).run(tests)
    wrong = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    sys.stdout.write(f"\n{json.dumps({'run': result.testsRun, 'wrong': wrong})}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
