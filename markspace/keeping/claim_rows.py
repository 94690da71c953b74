"""Rows of the store that say which intents the guard allowed, and under which a tool runs."""

import json
from collections.abc import Collection, Mapping
from typing import cast
from uuid import UUID

from markspace.core.marks import Action
from markspace.stores.base import LeaseRow, Reader, Transaction

CLAIM, CHOICE, ASKED = "claim:", "choice:", "asked:"
GRANTED, RUNNING = "granted", "running"


def claim_row(reader: Reader, intent_id: UUID) -> LeaseRow | None:
    """Return the row of an intent that was allowed, or None."""
    return reader.lease(CLAIM + str(intent_id))


def is_marked(row: LeaseRow | None, state: str) -> bool:
    """Return whether a claim is in that state."""
    return row is not None and f'"state": "{state}"' in row.info


def choice_name(scope: str, resource: str) -> str:
    """Return the name under which the principal's choice of who may act is kept."""
    return CHOICE + json.dumps([scope, resource])


def put_choice(tx: Transaction, name: str, agent_id: str) -> None:
    """Keep whom the principal chose."""
    tx.put_lease(LeaseRow(name, 0, agent_id, "{}", 0.0, 0.0))


def take_choice(tx: Transaction, scope: str, resource: str, agents: Collection[str]) -> str | None:
    """Use the principal's choice up if it is one of these agents, and return whom it chose."""
    row = tx.lease(choice_name(scope, resource))
    if row is None or row.holder not in agents:
        return None
    tx.drop_lease(row.name)
    return row.holder


def put_question(tx: Transaction, need_id: UUID, choice: str, asker: UUID) -> None:
    """Note that a need asks the principal for a choice."""
    tx.put_lease(LeaseRow(ASKED + str(need_id), 0, str(asker), choice, 0.0, 0.0))


def answered(tx: Transaction, need_id: UUID, answer: Action) -> None:
    """Keep the choice that an answer makes, if its need asked for one.

    An answer without a result chooses who asked, one that names an agent chooses that agent, and
    any other chooses nobody. Nobody chooses itself.
    """
    question = tx.lease(ASKED + str(need_id))
    if question is None:
        return
    tx.drop_lease(question.name)
    chosen = question.holder if answer.result is None else named_agent(answer.result)
    if chosen is not None and chosen != str(answer.agent_id):
        put_choice(tx, question.info, chosen)


def named_agent(result: object) -> str | None:
    """Return the id of the agent that a result is, or has as `agent`; None if it names none."""
    if isinstance(result, Mapping):
        result = cast("Mapping[str, object]", result).get("agent")
    try:
        return str(UUID(str(result)))
    except ValueError:
        return None
