"""What a person needs to cite a run and can only be known at its end: which models answered."""

from collections.abc import Iterable

import msgspec

from hyperspace.kernel.state.config import read_record, write_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing


def returned_models(closings: Iterable[Closing]) -> dict[str, tuple[str, ...]]:
    """Model names as asked, and every id that a provider returned for them, sorted."""
    returned: dict[str, set[str]] = {}
    for closing in closings:
        for model, ids in closing.answered_by.items():
            returned.setdefault(model, set()).update(ids)
    return {model: tuple(sorted(ids)) for model, ids in sorted(returned.items())}


def complete_record(folder: RunFolder, returned: dict[str, tuple[str, ...]]) -> None:
    """Write into run_config.json which models answered; writes nothing if it stands there."""
    record = read_record(folder.record)
    if record.returned_models != returned:
        write_record(folder.record, msgspec.structs.replace(record, returned_models=returned))
