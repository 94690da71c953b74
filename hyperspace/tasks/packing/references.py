"""Best sums of radii that we know, by number of circles and width of the rectangle.

Those of 26 and 32 circles in the square are published records (shared/facts/domains.md, E1, E2).
The others were measured with

    nice python -m benchmarks.packing_references --seconds SECONDS --cases ...

and are floors: a better packing may exist, and its ratio is above 1. SECONDS was 50 for 10, 13, 17,
21, 24, 28 and 11 circles in the square, and 20 for all others.
"""

from hyperspace.tasks.packing.score import TRAIN_REFERENCES

PUBLIC_RECORDS = frozenset({26, 32})
"""Numbers of circles whose best packings in the square are published; models may recall them."""

_SQUARES = TRAIN_REFERENCES | {
    26: 2.6359830853,
    32: 2.937,
    5: 1.103553390593,
    11: 1.680058380779,
    12: 1.765978318169,
    15: 1.980266508444,
    18: 2.178530295968,
    19: 2.236704571294,
    22: 2.420202649748,
    23: 2.478013611963,
    27: 2.685350025228,
    29: 2.790344154625,
    30: 2.842668747464,
}
_RECTANGLES = {
    (14, 1.25): 1.910417069542,
    (16, 1.28): 2.044681951137,
    (20, 1.5625): 2.304168886388,
    (25, 1.6): 2.566093828572,
}
REFERENCES = {(n, 1.0): total for n, total in _SQUARES.items()} | _RECTANGLES
