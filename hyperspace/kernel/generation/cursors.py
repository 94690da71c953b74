"""What could be seen at the moment an agent looked, where timing decides it.

Timing decides it for agents at their own pace (schedule `concurrent`), and for children of one
archive that are made side by side (`--lanes`).

A cursor is on disk before the first call is made, so that the next attempt at the generation,
whose calls are served from this one's trace, sees the same; and it is in the closing mark, so that
a replay does.
"""

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import canonical_json, write_atomically
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.state.manifest import Cursor

CURSOR = "cursor.json"


def take_cursor(attempt: Attempt) -> Cursor:
    """Return how many generations an attempt may see; `{}` where rounds decide it.

    Raises:
        RunDamaged: An earlier attempt's cursor cannot be read.
    """
    context = attempt.context
    if not context.config.side_by_side:
        return {}
    if attempt.record is not None:
        return attempt.record.cursor
    cursor = _earlier(attempt)
    if cursor is None:
        cursor = context.order.count
    write_atomically(attempt.folder / CURSOR, canonical_json(cursor))
    return cursor


def _earlier(attempt: Attempt) -> Cursor | None:
    """The cursor of an abandoned attempt at the same generation; None if none got so far."""
    folders = attempt.context.folder.abandoned_attempts(attempt.who.name, attempt.name)
    paths = [path for folder in folders if (path := folder / CURSOR).is_file()]
    if not paths:
        return None
    try:
        kept = read_whole(paths[-1])
        return int(kept) if kept.isdigit() else decode_json(kept, dict[str, int])
    except (Unreadable, ValueError, msgspec.MsgspecError) as error:
        raise RunDamaged(
            f"{paths[-1]} does not say what that attempt saw ({error}); put the original back, "
            "or use another --results folder"
        ) from error
