"""A corpus of a few short runs, in which each measure has something to find: for quick checks."""

from transfer_experiment.corpus.plan import PlannedRun, number, pairing

_FIRST_SEED = 9000


def mini() -> tuple[PlannedRun, ...]:
    """The runs, in the order of their seeds."""
    pairings = (
        pairing(2, "author", "borrower"),
        pairing(2, "author?blocks=12", "borrower?share=0.3&takes=retype"),
        pairing(2, "coincident?trials=60", "coincident?trials=60&delay=1&peek=names"),
        pairing(4, "looker?gap=3", "grower?rate=0.75"),
        pairing(1, "looper?repeats=3", "looper?repeats=2&form=command"),
        pairing(1, "idler?how=same", "stuck?views=3"),
        pairing(1, "prober?what=paths", "decoy?what=texts"),
        pairing(2, "closer?after=1&words=nothing", "idler?how=comment"),
    )
    return number("mini", "repo_quality", _FIRST_SEED, pairings)
