"""The principal: the person who began a run, as one who writes into its space."""

from collections.abc import Mapping
from uuid import UUID, uuid4

import msgspec

from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.scopes import (
    NEEDS,
    PRINCIPAL,
    STEERING,
    principal_rights,
    steering_scope,
)
from hyperspace.kernel.state.steering.records import (
    AnswerNeed,
    Place,
    PrincipalMark,
    Steering,
    addressee,
)
from hyperspace.wall_clock import utc_now
from markspace import Action, Guard, MarkSpace


class Principal:
    """Writes what the principal asks of a run, beside whoever plays it; holds no lease."""

    def __init__(self, space: MarkSpace, ids: RunIds) -> None:
        """Enroll the principal.

        Args:
            space: The run's, open for writing.
            ids: Names the marks; the id factory of the space.
        """
        self._space = space
        self._ids = ids
        self._guard = Guard(space)
        self._handle = space.enroll(principal_rights(ids.author(PRINCIPAL)), system=True)

    def write(
        self,
        steering: Steering,
        request: str | None = None,
        during: Mapping[str, Place] | None = None,
    ) -> UUID:
        """Write one mark, in one commit; an answer resolves its need in the same one.

        Args:
            steering: What is asked.
            request: What the mark is named after; None for a name of its own.
            during: What agents have begun and not closed.

        Raises:
            ValidationError: The need was answered before, or there is none; or a mark was written
                for this request.
            StoreError: The store could not do its part; nothing was written.
        """
        self._space.register_scope(steering_scope())
        self._ids.begin(PRINCIPAL, request or uuid4().hex)
        is_answer = isinstance(steering, AnswerNeed)
        mark = Action(
            scope=NEEDS if is_answer else STEERING,
            resource=f"need/{steering.need}" if is_answer else f"steer/{addressee(steering)}",
            action=steering.verb,
            result=msgspec.to_builtins(PrincipalMark(steering, utc_now(), dict(during or {}))),
        )
        if is_answer:
            return self._guard.answer(self._handle, UUID(steering.need), mark)
        return self._guard.write_all([], infrastructure=[(self._handle, mark)])[0]


def mark_ids(ids: RunIds, request: str) -> tuple[UUID, ...]:
    """Return the ids that a mark for a request may have: a wish, or an answer."""
    ids.begin(PRINCIPAL, request)
    return tuple(ids(Action(scope=scope, resource="", action="")) for scope in (STEERING, NEEDS))
