"""Code as part of any page, each line in the colour of the peer that it first came from."""

from collections.abc import Mapping, Sequence
from itertools import islice

from hyperspace.reporting import page
from transfer_experiment.adoption.lineage import LabelledLine


def peer_colours(labelled: Sequence[LabelledLine]) -> dict[str, str]:
    """Map the folder of each strategy that lines came from to a colour's class, by name."""
    origins = (line.origin for line in labelled if line.origin)
    peers = sorted({origin.strategy for origin in origins} - {""})
    return {folder: f"series-{at % 8}" for at, folder in enumerate(peers)}


def provenance_legend(colours: Mapping[str, str]) -> page.Markup:
    """Name each strategy in its colour."""
    return page.bullets(page.marked(folder, colour) for folder, colour in colours.items())


def coloured_source(
    labelled: Sequence[LabelledLine], colours: Mapping[str, str], most_lines: int
) -> page.Markup:
    """Return code with the generation in which each line came in; those of peers in colour.

    Args:
        labelled: From `lineage.labelled_source`.
        colours: From `peer_colours`.
        most_lines: Lines beyond so many are left out.
    """
    return page.joined(_line(line, colours) for line in islice(labelled, most_lines))


def told_share(labelled: Sequence[LabelledLine]) -> str:
    """Tell how many of the lines first came from peers."""
    origins = [line.origin for line in labelled if line.origin]
    from_peers = sum(bool(origin.strategy) for origin in origins)
    return f"{from_peers} of {len(origins)} lines first came from peers"


def _line(line: LabelledLine, colours: Mapping[str, str]) -> page.Markup:
    text, since = page.escaped(line.text), ""
    if line.origin is not None:
        since = f"{line.origin.generation:>4} "
        if line.origin.strategy:
            text = page.marked(line.text, colours[line.origin.strategy])
    return page.joined((since, text, "\n"))
