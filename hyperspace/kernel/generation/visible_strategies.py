"""Steps 1 and 2: what an agent sees this round, and the workspace made from it."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from hyperspace.kernel.evaluation.failures import error_in_sight
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.sharing import (
    PublishedStrategies,
    PublishedStrategy,
    ShownStrategy,
    choose_shown,
    shared_files,
)
from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.kernel.state.manifest import Cursor
from hyperspace.kernel.state.rng import stream
from hyperspace.kernel.state.steering.workspace import messages_of_principal
from hyperspace.models.names import asked_name
from hyperspace.options.fleet import Sharing
from hyperspace.tasks.shapes.documented import task_files
from hyperspace.tasks.shapes.graded import item_scores
from hyperspace.workspace.visibility import Visibility
from hyperspace.workspace.workspace import PastGeneration, Strategy, TrainRows, materialize

_NO_SCORES = Visibility(train="none", val="none")


class VisibleStrategies(msgspec.Struct, frozen=True):
    """What one agent sees in one round: the strategies, and its own past.

    Attributes:
        own: Its own generations; others may be closed while this one is made.
        strategies: What is laid out below `strategies/`, under the names and scores that the
            agent is shown.
        marks: Id of the mark that each of them came from.
        shown: What each of them is in truth.
        visibility: What of their scores may be seen.
        cursor: How many generations were closed, where timing decides what is seen; else `{}`.
    """

    own: Archive
    strategies: tuple[Strategy, ...]
    marks: tuple[str, ...]
    shown: tuple[ShownStrategy, ...]
    visibility: Visibility
    cursor: Cursor

    @property
    def mark_ids(self) -> tuple[str, ...]:
        """Ids of the marks in sight, each once."""
        return tuple(dict.fromkeys(self.marks))

    def sources(self) -> list[dict[str, Any]]:
        """Return for the record whose strategy each folder was, and the scores shown with it."""
        return [
            {
                "folder": strategy.folder,
                "mark": mark,
                "agent": shown.source.agent,
                "generation": shown.source.generation,
                **self.visibility.scores(shown.train_score, shown.val_score),
            }
            for strategy, mark, shown in zip(self.strategies, self.marks, self.shown, strict=True)
        ]


def snapshot_visible(
    context: RunContext, who: Participant, generation: int, cursor: Cursor
) -> VisibleStrategies:
    """Take the snapshot of the round, or what a cursor says.

    In rounds only generations below this one count, so every agent of the round sees the same,
    whoever moved first, and so does a run that was resumed in the middle of a round.

    Args:
        context: Whose run it is.
        who: Who looks.
        generation: In which generation.
        cursor: How many generations count; `{}` for rounds.
    """
    rules, number = context.config.together.sharing, context.round_of(who, generation)
    archive = context.archives[who.name]
    if cursor == {}:
        published, is_seen = _before_round(context, number), None
        own = list(_published(context, who, _played_before(context, who, number)))
    else:
        published, is_seen = _by_now(context), partial(_was_closed, context.order, cursor)
        archive = archive.as_of(context.order.closed(who.name, cursor))
        own = list(_published(context, who, archive.next_generation()))
    model, island = _model(who), _island_in_sight(context, who, number)
    peers = published.of_peers(who.name, model, island, rules, is_seen)
    shown = choose_shown(
        own,
        peers,
        model,
        rules,
        stream(context.config.root_seed, "shown", who.name, generation),
    )
    marked = [context.marks.strategy(row.source.agent, row.source.generation) for row in shown]
    return VisibleStrategies(
        archive,
        tuple(_laid_out(code, each, rules) for (_, code), each in zip(marked, shown, strict=True)),
        tuple(str(mark_id) for mark_id, _ in marked),
        shown,
        context.config.visible if "score" in rules.what else _NO_SCORES,
        cursor,
    )


def _island_in_sight(context: RunContext, who: Participant, number: int) -> str | None:
    """The island that an agent may look at; None for all, as in rounds of migration."""
    together = context.config.together
    if together.schedule != "islands" or number % together.migrate_every == 0:
        return None
    return context.config.member(who.name).island


def _was_closed(order: ClosingOrder, cursor: Cursor, strategy: PublishedStrategy) -> bool:
    return strategy.generation < order.closed(strategy.agent, cursor)


def _before_round(context: RunContext, number: int) -> PublishedStrategies:
    """What counts in a round, the same for everyone who looks in it.

    Where validation items are drawn anew, what was published changes its scores within a round.
    """
    if number in context.published:
        return context.published[number]
    published = _collect(
        context, (_played_before(context, peer, number) for peer in context.participants)
    )
    context.published.clear()
    if context.config.rotate_val is None:
        context.published[number] = published
    return published


def _by_now(context: RunContext) -> PublishedStrategies:
    """What is published by now, to which is added what was published since somebody looked."""
    news = context.order.take_news()
    if not context.published or context.config.rotate_val is not None:
        closed = (context.archives[peer.name].next_generation() for peer in context.participants)
        context.published[0] = _collect(context, closed)
        return context.published[0]
    for agent, generation in news:
        who = context.participants[context.config.turns[agent]]
        entry = context.archives[agent].in_sight.entries[generation]
        if entry.is_best:
            context.published[0].add(who.turn, _strategy(who, entry))
    return context.published[0]


def _collect(context: RunContext, counts: Iterable[int]) -> PublishedStrategies:
    """Put together what is published among the first generations of each agent."""
    members = context.config.together.members
    published = PublishedStrategies([member.island for member in members])
    for who, before in zip(context.participants, counts, strict=True):
        for strategy in _published(context, who, before):
            published.add(who.turn, strategy)
    return published


def _played_before(context: RunContext, who: Participant, number: int) -> int:
    """How many generations an agent plays before a round."""
    return max(number - context.config.joined(who.name), 0)


def _published(context: RunContext, who: Participant, before: int) -> Iterator[PublishedStrategy]:
    """What an agent published among its first generations, oldest first."""
    for entry in context.archives[who.name].in_sight.published_before(before):
        yield _strategy(who, entry)


def _strategy(who: Participant, entry: ArchiveEntry) -> PublishedStrategy:
    return PublishedStrategy(
        who.name, _model(who), entry.generation, entry.fitness, entry.train_score, entry.val_score
    )


def _model(who: Participant) -> str:
    return asked_name(who.model.name).partition("?")[0]


def _laid_out(published: Strategy, shown: ShownStrategy, rules: Sharing) -> Strategy:
    return msgspec.structs.replace(
        published,
        agent=shown.agent,
        model=shown.model,
        train_score=shown.train_score,
        val_score=shown.val_score,
        files=shared_files(published.files, rules),
    )


def workspace_files(
    context: RunContext,
    who: Participant,
    generation: int,
    code: dict[str, str],
    history: Iterable[int],
    visible: VisibleStrategies,
) -> dict[str, bytes]:
    """Make the workspace: own code, runtime, bounded history, strategies in sight, messages."""
    domain = context.rounds.domain_shown(who.name, generation)
    said = context.steering.messages(who.name, generation)
    return messages_of_principal(said) | materialize(
        code,
        context.runtime,
        TrainRows(domain.items("train"), domain.labels("train"), task_files(domain)),
        [_past(context, visible.own, number) for number in history],
        visible.strategies,
        context.config.visible,
        visible.visibility,
    )


def shown_generations(
    context: RunContext, own: Archive, parent: int, *, parent_only: bool = False
) -> list[int]:
    """Which of its own generations an agent sees in `evals/`.

    Args:
        context: Whose run this is.
        own: Its generations, as of its look.
        parent: The generation that it goes on from.
        parent_only: Show that one alone, whatever the run's terms say.
    """
    solo = context.config.solo
    if parent_only or (solo is not None and solo.history == "parent"):
        return [parent]
    return own.in_sight.shown(best=context.config.visible.val != "none")


def _past(context: RunContext, own: Archive, generation: int) -> PastGeneration:
    """Describe one of an agent's own generations for it: train in full, validation scores."""
    manifest, domain = context.marks.closing(own.agent, generation).manifest, context.domain
    code = context.marks.code(own.agent, generation)
    train = manifest.splits.get("train")
    return PastGeneration(
        generation=generation,
        parent=manifest.parent,
        valid=manifest.valid,
        error=error_in_sight(manifest.error, by_class=context.config.visible.val == "scores"),
        metric=domain.metric,
        train_score=manifest.score("train"),
        val_score=own.in_sight.entries[generation].val_score,
        train_predictions={} if train is None else train.predictions,
        staged_only=train is not None and train.staged_only,
        task_agent=code.get("task_agent.py", ""),
        higher_is_better=domain.higher_is_better,
        train_scores=None if train is None else item_scores(domain, "train", train.predictions),
    )
