"""A corpus of a few short runs, in which each measure has something to find: for quick checks."""

from transfer_experiment.corpus.plan import Pairing, PlannedRun, number

_FIRST_SEED = 9000


def mini() -> tuple[PlannedRun, ...]:
    """The runs, in the order of their seeds."""
    pairings = (
        Pairing(2, "author", "borrower"),
        Pairing(2, "author?blocks=12", "borrower?share=0.3&takes=retype"),
        Pairing(2, "coincident?trials=60", "coincident?trials=60&delay=1&peek=names"),
        Pairing(4, "looker?gap=3", "grower?rate=0.75"),
        Pairing(1, "looper?repeats=3", "looper?repeats=2&form=command"),
        Pairing(1, "idler?how=same", "stuck?views=3"),
        Pairing(1, "prober?what=paths", "decoy?what=texts"),
        Pairing(2, "closer?after=1&words=nothing", "idler?how=comment"),
    )
    return number("mini", "repo_quality", _FIRST_SEED, pairings)
