"""The attacks, by family."""

from collections.abc import Sequence

from hyperspace.attacks.attack import Attack


def corpus() -> Sequence[Attack]:
    """Every attack, in the order of families."""
    from hyperspace.attacks.corpus import (
        answers,
        broker,
        channels,
        evaluation,
        files,
        kernel,
        narrative,
        network,
        processes,
        resources,
        shapes,
        told,
        words,
        workspace,
    )

    on_walls = (files, workspace, processes, resources, network, kernel, channels)
    on_host = (broker, answers, evaluation, shapes, told, narrative, words)
    return [attack for module in (*on_walls, *on_host) for attack in module.FAMILY.attacks]
