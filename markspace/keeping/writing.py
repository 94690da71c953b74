"""One commit: marks are checked, named, numbered, stored and entered in the log together."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from markspace.core.agents import Agent
from markspace.core.enums import MarkType
from markspace.core.ids import id_bytes, new_id
from markspace.core.marks import Action, AnyMark, Intent, Mark, Observation, Warning
from markspace.core.scopes import Scope, check_scope_name
from markspace.core.strength import trust_weight
from markspace.errors import ClaimError, QuotaExceededError, ScopeError, ValidationError
from markspace.keeping.audit import Decision, add_entry
from markspace.keeping.claim_rows import RUNNING, claim_row, is_marked
from markspace.keeping.codec import FORMS, Blobs, Decoder, encode, key_of, storable
from markspace.keeping.identity import Identity
from markspace.stores.base import LIVE, NewMark, StoredMark, StoreHead, Transaction

IdFactory = Callable[[AnyMark], UUID]
MAX_STRENGTH = 1.0


class Draft(msgspec.Struct, frozen=True):
    """A mark that passed the rules of its scope, ready for a commit.

    Attributes:
        author: Who writes it.
        mark: The mark as it was given.
        changes: Fields to replace so that it encodes.
        blobs: Large values that these refer to.
    """

    author: Identity
    mark: AnyMark
    changes: dict[str, Any]
    blobs: Blobs


def draft(author: Identity, mark: AnyMark, scope: Scope) -> Draft:
    """Check a mark against rights and rules, in the published order.

    Raises:
        ScopeError: The author may not write this.
        ValidationError: The scope does not allow it, or a field cannot be stored.
    """
    if not author.agent.can_write(mark.scope, mark.mark_type):
        raise ScopeError(
            f"agent {author.agent.name!r} may not write {mark.mark_type} marks in {mark.scope!r}"
        )
    check_words(mark, scope)
    check_source(author.agent, mark)
    if mark.initial_strength > MAX_STRENGTH and not author.system:
        mark = msgspec.structs.replace(mark, initial_strength=MAX_STRENGTH)
    changes, blobs = storable(mark)
    return Draft(author, mark, changes, blobs)


def check_mark(mark: AnyMark) -> None:
    """Refuse what is not a mark, or lies in what is not a scope; ValidationError."""
    if not isinstance(mark, Mark):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValidationError(f"only marks can be written, not {type(mark).__name__}")
    check_scope_name(mark.scope)


def check_words(mark: AnyMark, scope: Scope) -> None:
    """Refuse a verb or topic that the scope does not list."""
    if isinstance(mark, Observation):
        if not scope.allows_observation_topic(mark.topic):
            raise wrong_word("observation topic", mark.topic, scope, scope.observation_topics)
    elif isinstance(mark, Intent):
        if scope.allowed_intent_verbs and not scope.allows_intent_verb(mark.action):
            raise wrong_word("intent verb", mark.action, scope, scope.allowed_intent_verbs)
    elif isinstance(mark, Action):
        if scope.allowed_action_verbs and not scope.allows_action_verb(mark.action):
            raise wrong_word("action verb", mark.action, scope, scope.allowed_action_verbs)
    elif isinstance(mark, Warning) and not scope.allows_warning_topic(mark.topic):
        raise wrong_word("warning topic", mark.topic, scope, scope.warning_topics)


def wrong_word(kind: str, word: str, scope: Scope, allowed: Sequence[str]) -> ValidationError:
    """Return the error for a word that a scope does not list."""
    return ValidationError(
        f"{kind} {word!r} is not allowed in scope {scope.name!r}; allowed: {', '.join(allowed)}"
    )


def check_source(agent: Agent, mark: AnyMark) -> None:
    """Refuse a claim of more trust than the agent has."""
    if not isinstance(mark, Observation) or mark.source is agent.max_source:
        return
    if trust_weight(mark.source) > trust_weight(agent.max_source):
        raise ScopeError(
            f"source {mark.source} is above {agent.name!r}'s max_source {agent.max_source}"
        )


class Commit:
    """Marks on their way into one transaction.

    Args:
        tx: The transaction.
        now: Time of the commit; no mark is older than the newest in the space.
        decoder: Reads marks that others refer to.
        quota: Live marks that an agent may have; None is unlimited.
        id_factory: Names marks; None gives random ids.

    Attributes:
        sequence: Of the last mark that was stored.
    """

    def __init__(
        self,
        tx: Transaction,
        now: float,
        decoder: Decoder,
        quota: int | None = None,
        id_factory: IdFactory | None = None,
    ) -> None:
        self.tx = tx
        self.head: StoreHead = tx.head()
        self.clock = max(now, self.head.clock)
        self.stored: list[AnyMark] = []
        self.decisions: list[Decision] = []
        self.decoder = decoder
        self._quota = quota
        self.id_factory = id_factory
        self._bodies: list[bytes] = []
        self._archived: list[int] = []
        self._is_plain = True
        self.sequence = self.head.sequence

    def add(self, item: Draft) -> UUID:
        """Name and store one mark, and return its id.

        Raises:
            ClaimError: It would take away a running claim, or what another agent claimed or did.
            ScopeError, ValidationError, QuotaExceededError: It may not be written.
        """
        mark = self._named(item)
        replaced = None
        if mark.supersedes is not None:
            replaced, old = self._target("supersedes", mark.supersedes)
            if isinstance(old, Intent | Action):
                self._check_claim(item, old)
            self._check_reach(item, old, old.mark_type, "supersede")
        if self._quota is not None:
            self._check_quota(item, replaced, self._quota)
        target = self._weakened(item, mark) if isinstance(mark, Warning) else 0
        self.put(mark, item.blobs, replaced, target, is_plain=not item.changes)
        return mark.id

    def written(self) -> list[AnyMark]:
        """Return the stored marks as readers see them."""
        if self._is_plain:
            return self.stored
        return [self.decoder.decode(body) for body in self._bodies]

    def put(
        self,
        mark: AnyMark,
        blobs: Blobs,
        replaced: StoredMark | None = None,
        target: int = 0,
        *,
        is_plain: bool,
    ) -> None:
        """Store a finished mark in place of another; it is plain if its payload is inline."""
        self._is_plain = self._is_plain and is_plain
        self.sequence += 1
        for digest, data in blobs.items():
            self.tx.put_blob(digest, data)
        body = encode(mark)
        kind, name, agent = FORMS[mark.mark_type].kind, mark.id.bytes, mark.agent_id.bytes
        where = (mark.scope, kind, key_of(mark), agent)
        self.tx.append(NewMark(self.sequence, name, *where, target, body))
        if replaced is not None:
            self.tx.supersede(replaced.sequence, self.sequence)
        self._bodies.append(body)
        self.stored.append(mark)

    def withdraw(self, sequence: int) -> None:
        """Take a mark out of reads for good."""
        self.tx.archive([sequence])
        self._archived.append(sequence)

    def finish(self, decisions: Sequence[Decision] = ()) -> None:
        """Enter what happened in the log; nothing if nothing did."""
        noted = self.decisions + list(decisions)
        if not (self.stored or self._archived or noted):
            return
        add_entry(
            self.tx,
            self.head,
            "commit" if self.stored else "decision",
            marks=self._bodies,
            decisions=noted,
            archived=sorted(self._archived) if self._archived else (),
            clock=self.clock,
        )

    def _named(self, item: Draft) -> AnyMark:
        mark, author = item.mark, item.author.agent.id
        name = new_id()
        if self.id_factory is not None:
            placed = {"agent_id": author, "created_at": self.clock}
            name = self.id_factory(msgspec.structs.replace(mark, id=name, **placed))
            if self.tx.get(name.bytes) is not None:
                raise ValidationError(f"id_factory returned {name}, the id of a mark that exists")
        return msgspec.structs.replace(
            mark, id=name, agent_id=author, created_at=self.clock, **item.changes
        )

    def _weakened(self, item: Draft, mark: Warning) -> int:
        """Return the sequence of the mark that a warning weakens, or 0."""
        if mark.invalidates is None:
            return 0
        stored, target = self._target("invalidates", mark.invalidates)
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
