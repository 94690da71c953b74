"""What holds for the splits of every domain."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from hyperspace.tasks.base import SPLITS, DomainDataError, Split


def check_splits(name: str, ids: Mapping[Split, Sequence[str]]) -> None:
    """Check that no split is empty and that ids are unique over all splits.

    Args:
        name: The domain's.
        ids: Those of the items of each split.

    Raises:
        DomainDataError: A split is empty, or an id names two items or is no text.
    """
    empty = [split for split in SPLITS if not ids.get(split)]
    if empty:
        raise DomainDataError(f"{name}: no items in {', '.join(empty)}; each split needs some")
    for split in SPLITS:
        for id_ in ids[split]:
            if not isinstance(cast("object", id_), str):
                what = f"{id_!r}, {type(id_).__name__}"
                raise DomainDataError(f"{name}: an id of {split} is {what}; ids are texts")
    counts = Counter(id_ for split in SPLITS for id_ in ids[split])
    if twice := [id_ for id_, count in counts.items() if count > 1]:
        raise DomainDataError(f"{name}: the id {twice[0]!r} names two items; ids must be unique")
