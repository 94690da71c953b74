"""One commit: marks are checked, named, numbered, stored and entered in the log together."""

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from markspace.core.enums import MarkType
from markspace.core.ids import id_bytes, new_id
from markspace.core.marks import Action, AnyMark, Intent
from markspace.errors import ClaimError, QuotaExceededError, ScopeError, ValidationError
from markspace.keeping.audit import Decision, add_entry
from markspace.keeping.claim_rows import RUNNING, claim_row, is_marked
from markspace.keeping.codec import Blobs, Decoder, encode
from markspace.keeping.drafts import Draft
from markspace.stores.base import LIVE, NewMark, StoredMark, StoreHead, Transaction

WARNING = MarkType.WARNING
IdFactory = Callable[[AnyMark], UUID]


class Commit(msgspec.Struct):
    """Marks on their way into one transaction.

    Attributes:
        tx: The transaction.
        head: Where the store stood when it began.
        clock: Time of the commit; no mark is older than the newest in the space.
        sequence: Of the last mark that was stored.
        decoder: Reads marks that others refer to.
        quota: Live marks that an agent may have; None is unlimited.
        id_factory: Names marks; None gives random ids.
        stored: The marks that were stored.
        bodies: The same, encoded.
        decisions: What was decided about them.
        archived: Sequences of the marks that were taken out of reads.
        is_plain: Whether the payloads of all are inline.
    """

    tx: Transaction
    head: StoreHead
    clock: float
    sequence: int
    decoder: Decoder
    quota: int | None = None
    id_factory: IdFactory | None = None
    stored: list[AnyMark] = msgspec.field(default_factory=list)
    bodies: list[bytes] = msgspec.field(default_factory=list)
    decisions: list[Decision] = msgspec.field(default_factory=list)
    archived: list[int] = msgspec.field(default_factory=list)
    is_plain: bool = True

    def add(self, item: Draft) -> UUID:
        """Name and store one mark, and return its id.

        Raises:
            ClaimError: It would take away a running claim, or what another agent claimed or did.
            ScopeError, ValidationError, QuotaExceededError: It may not be written.
        """
        name = new_id() if self.id_factory is None else self._chosen_id(item, self.id_factory)
        author, time = item.author.agent.id, self.clock
        mark = replace(item.mark, id=name, agent_id=author, created_at=time, **item.changes)
        replaced, target = None, 0
        if mark.supersedes is not None:
            replaced, old = self._target("supersedes", mark.supersedes)
            if isinstance(old, Intent | Action):
                self._check_claim(item, old)
            self._check_reach(item, old, old.mark_type, "supersede")
        if self.quota is not None:
            self._check_quota(item, replaced, self.quota)
        if mark.mark_type is WARNING and mark.invalidates is not None:
            target = self._weakened(item, mark.invalidates)
        self.put(mark, item.where, item.blobs, replaced, target, is_plain=not item.changes)
        return name

    def written(self) -> list[AnyMark]:
        """Return the stored marks as readers see them."""
        if self.is_plain:
            return self.stored
        return [self.decoder.decode(body) for body in self.bodies]

    def put(
        self,
        mark: AnyMark,
        where: tuple[str, str, str, bytes],
        blobs: Blobs,
        replaced: StoredMark | None = None,
        target: int = 0,
        *,
        is_plain: bool,
    ) -> None:
        """Store a finished mark in place of another; it is plain if its payload is inline."""
        if not is_plain:
            self.is_plain = False
            for digest, data in blobs.items():
                self.tx.put_blob(digest, data)
        self.sequence += 1
        body = encode(mark)
        self.tx.append(NewMark(self.sequence, mark.id, where, target, body))
        if replaced is not None:
            self.tx.supersede(replaced.sequence, self.sequence)
        self.bodies.append(body)
        self.stored.append(mark)

    def withdraw(self, sequence: int) -> None:
        """Take a mark out of reads for good."""
        self.tx.archive([sequence])
        self.archived.append(sequence)

    def finish(self, decisions: Sequence[Decision] = ()) -> None:
        """Enter what happened in the log; nothing if nothing did."""
        noted = [*self.decisions, *decisions]
        if not (self.stored or self.archived or noted):
            return
        add_entry(
            self.tx,
            self.head,
            "commit" if self.stored else "decision",
            marks=self.bodies,
            decisions=noted,
            archived=sorted(self.archived) if self.archived else (),
            clock=self.clock,
        )

    def _chosen_id(self, item: Draft, id_factory: IdFactory) -> UUID:
        author = item.author.agent.id
        name = id_factory(replace(item.mark, id=new_id(), agent_id=author, created_at=self.clock))
        if self.tx.get(name.bytes) is not None:
            raise ValidationError(f"id_factory returned {name}, the id of a mark that exists")
        return name

    def _weakened(self, item: Draft, mark_id: UUID) -> int:
        """Return the sequence of the mark that a warning weakens."""
        stored, target = self._target("invalidates", mark_id)
        if isinstance(target, Action):
            raise ValidationError(f"invalidates={target.id} is an action; nothing undoes a fact")
        self._check_reach(item, target, MarkType.WARNING, "invalidate")
        return stored.sequence

    def _target(self, field: str, mark_id: UUID) -> tuple[StoredMark, AnyMark]:
        stored = self.tx.get(id_bytes(mark_id, field))
        if stored is None:
            raise ValidationError(f"{field}={mark_id} names no mark of this space")
        return stored, self.decoder.decode(stored.body)

    def _check_reach(self, item: Draft, target: AnyMark, right: MarkType, verb: str) -> None:
        agent = item.author.agent
        if target.agent_id == agent.id or item.author.system:
            return
        if not agent.can_write(target.scope, right):
            raise ScopeError(
                f"agent {agent.name!r} may not {verb} a mark of another agent in "
                f"{target.scope!r}: it has no {right} right there"
            )

    def _check_claim(self, item: Draft, target: Intent | Action) -> None:
        """Keep claims and facts: whoever could take them away would let two agents act.

        It stands inside the transaction, so that no tool starts between the check and the write.
        """
        agent, kind = item.author.agent, target.mark_type
        attempt = f"agent {agent.name!r} may not supersede {kind} {target.id}"
        if is_marked(claim_row(self.tx, target.id), RUNNING):
            raise ClaimError(
                f"{attempt}: a tool runs under it on {target.resource!r}; wait until it ends, or "
                "claim the resource to take over from a holder that died"
            )
        if target.agent_id != agent.id and not item.author.system:
            raise ClaimError(
                f"{attempt} of agent {target.agent_id} on {target.resource!r}: only that agent or "
                "the guard may; claim the resource with pre_action or execute, or ask by a need"
            )

    def _check_quota(self, item: Draft, replaced: StoredMark | None, quota: int) -> None:
        if item.author.system:
            return
        agent = item.author.agent
        live = self.tx.live_count(agent.id.bytes)
        if live < quota:
            return
        is_own = False
        if replaced is not None and replaced.state == LIVE:
            is_own = self.decoder.decode(replaced.body).agent_id == agent.id
        if not is_own:
            raise QuotaExceededError(
                f"agent {agent.name!r} has {live} live marks, the most allowed here; "
                "supersede one of its own"
            )
