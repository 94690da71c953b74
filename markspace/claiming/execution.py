"""Running a tool under a claim: nobody else may act while its holder lives."""

from dataclasses import dataclass, field
from logging import getLogger
from threading import Event, Lock, Thread
from uuid import UUID

from msgspec.structs import replace

from markspace.claiming.claims import Claims
from markspace.core.agents import Agent
from markspace.core.marks import Action, Intent
from markspace.errors import ClaimError, StaleFence
from markspace.keeping.claim_rows import CLAIM, GRANTED, RUNNING, claim_row, is_marked
from markspace.keeping.drafts import Draft
from markspace.keeping.foundation import Who
from markspace.keeping.writing import Commit
from markspace.space import MarkSpace
from markspace.stores.base import LIVE, LeaseRow

BEATS_PER_TTL = 3
LOG = getLogger("markspace")


@dataclass(eq=False)
class RunningClaim:
    """A claim whose tool runs.

    Attributes:
        who: The holder, as it was given.
        intent_id: Its intent; renewal puts a new one in its place.
        began: Wall time at which it began.
        has_ended: Whether its action was written, so that there is nothing to renew.
        lock: Held while the claim is renewed or ended.
    """

    who: Who
    intent_id: UUID
    began: float
    has_ended: bool = False
    lock: Lock = field(default_factory=Lock)


class Executions:
    """Ends claims by actions, and keeps long ones alive.

    Args:
        space: The space.
        claims: Decides about claims.
    """

    def __init__(self, space: MarkSpace, claims: Claims) -> None:
        self._space = space
        self._claims = claims
        self._lock = Lock()
        self._running: set[RunningClaim] = set()
        self._thread: Thread | None = None
        self._wake = Event()

    # -- ending a claim ---------------------------------------------------------------------

    def post(self, who: Who, agent: Agent, action: Action, intent_id: UUID | None) -> UUID:
        """End a declared claim by an action.

        Raises:
            ClaimError: The agent has no live ALLOW on that resource.
        """
        draft = self._space.draft(who, action)
        with self._space.writing() as commit:
            intent = self._granted(commit, agent, action, intent_id)
            return self._end(commit, draft, intent.id)

    def _granted(
        self, commit: Commit, agent: Agent, action: Action, intent_id: UUID | None
    ) -> Intent:
        view = self._space.view(commit.tx)
        for intent in view.intents(action.scope, action.resource):
            fits = intent_id in (None, intent.id) and intent.scope == action.scope
            row = claim_row(commit.tx, intent.id) if fits else None
            if row is not None and is_marked(row, GRANTED) and row.holder == str(agent.id):
                return intent
        raise ClaimError(
            f"agent {agent.name!r} holds no live ALLOW on {action.resource!r} in "
            f"{action.scope!r}; claim it with pre_action or execute first"
        )

    def _end(self, commit: Commit, draft: Draft, intent_id: UUID) -> UUID:
        mark = draft.mark.model_copy(update={"supersedes": intent_id})
        commit.tx.drop_lease(CLAIM + str(intent_id))
        return commit.add(replace(draft, mark=mark))

    def finish(self, claim: RunningClaim, action: Action) -> UUID:
        """End a running claim by an action.

        Raises:
            StaleFence: The holder stalled and the claim was taken over; nothing was written.
        """
        draft = self._space.draft(claim.who, action)
        with claim.lock:
            with self._space.writing() as commit:
                self._running_row(commit, claim)
                name = self._end(commit, draft, claim.intent_id)
            claim.has_ended = True
        return name

    def _running_row(self, commit: Commit, claim: RunningClaim) -> LeaseRow:
        row, stored = claim_row(commit.tx, claim.intent_id), commit.tx.get(claim.intent_id.bytes)
        is_live = stored is not None and stored.state == LIVE
        if row is None or not is_marked(row, RUNNING) or not is_live:
            token = 0 if stored is None else stored.sequence
            raise StaleFence(CLAIM + str(claim.intent_id), token, None)
        return row

    # -- keeping claims alive ---------------------------------------------------------------

    def watch(self, claim: RunningClaim) -> None:
        """Keep a claim alive from now on, by one background thread for all claims."""
        with self._lock:
            self._running.add(claim)
            if self._thread is None:
                self._thread = Thread(target=self._beat, name="markspace-heartbeat", daemon=True)
                self._thread.start()

    def forget(self, claim: RunningClaim) -> None:
        """Stop keeping a claim alive."""
        with self._lock:
            self._running.discard(claim)

    def _beat(self) -> None:
        """Renew what runs for longer than a beat; end when nothing has run for a beat."""
        interval_s = self._claims.ttl_s / BEATS_PER_TTL
        while not self._wake.wait(interval_s):
            with self._lock:
                claims = list(self._running)
                if not claims:
                    self._thread = None
                    return
            older_than = self._claims.wall() - interval_s / 2
            for claim in claims:
                if claim.began <= older_than:
                    try:
                        self.renew(claim)
                    except Exception as error:  # of any kind: the other claims must not die of it
                        LOG.warning("a running claim could not be renewed: %s", error)

    def renew(self, claim: RunningClaim) -> None:
        """Give a sign of life, and a fresh intent when the old one has used half its time.

        A claim that ended meanwhile is left alone.

        Raises:
            StaleFence: The claim was taken over.
        """
        with claim.lock:
            if not claim.has_ended:
                claim.intent_id = self._renewed(claim)

    def _renewed(self, claim: RunningClaim) -> UUID:
        """Renew a claim and return its intent from the commit on."""
        with self._space.writing() as commit:
            row = self._running_row(commit, claim)
            stored = commit.tx.get(claim.intent_id.bytes)
            intent = None if stored is None else self._space.decoder.decode(stored.body)
            assert isinstance(intent, Intent)  # noqa: S101 - it has a row
            decay = self._space.get_scope(intent.scope).decay
            if commit.clock - intent.created_at > decay.intent_ttl / 2:
                return self._replace(commit, claim, intent)
            commit.tx.put_lease(row._replace(heartbeat=self._claims.wall()))
            return intent.id

    def _replace(self, commit: Commit, claim: RunningClaim, old: Intent) -> UUID:
        draft = self._space.draft(claim.who, old.model_copy(update={"supersedes": old.id}))
        commit.tx.drop_lease(CLAIM + str(old.id))
        commit.add(draft)
        fresh = commit.stored[-1]
        assert isinstance(fresh, Intent)  # noqa: S101 - the draft is one
        self._claims.put(commit, fresh, RUNNING)
        return fresh.id
