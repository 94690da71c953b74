"""Runs read back, whoever wrote them: ours, published folders, tables of scores.

`following` tells a run as it goes on; `spaces` opens mark spaces; `exports` packs runs.
`finding` says what a path holds; `records` says what comes back. Texts and traces are files that
are read when they are asked for, one at a time, so that a set of runs of any size fits in memory.
Nothing is written, no link is followed, and what is missing or damaged is named, not guessed.
"""
