"""Steering a run from outside, as functions with plain arguments.

A wish is checked against the run as it stands, and becomes one mark of the principal in its space.
Whoever plays the run obeys at the next look; a run that nobody plays, when it is gone on with.

Errors: `RunUsageError` for what does not fit, with nothing written.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.closings import count_closed
from hyperspace.kernel.state.config import RESERVED, RunConfig, read_record_of, with_fork
from hyperspace.kernel.state.copies import sign_state, take_back
from hyperspace.kernel.state.folder import EXPORT, RunFolder
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.marks import RunMarks, convert
from hyperspace.kernel.state.opening import RunSpace, reading
from hyperspace.kernel.state.remote.place import space_of
from hyperspace.kernel.state.steering.marks import SteeringMarks, all_needs
from hyperspace.kernel.state.steering.principal import mark_ids
from hyperspace.kernel.state.steering.records import (
    EVERYONE,
    LONGEST_TEXT,
    AnswerNeed,
    ForkAgent,
    GiveUp,
    NeedContext,
    PauseRun,
    PinParent,
    ResumeRun,
    SayTo,
    SetQuota,
    Steering,
    StopAgent,
)
from hyperspace.kernel.state.steering.under_way import attempts_under_way, begun_generations
from hyperspace.kernel.state.terms import read_terms
from hyperspace.lookup.resolve import resolve
from hyperspace.models.base import UnknownPrice
from hyperspace.models.names import OFFLINE
from hyperspace.offline.registry import is_hostile
from hyperspace.options.values import MOST_COUNTED
from hyperspace.spending.metered import unknown_price
from markspace.errors import ValidationError

SHORT = 8  # characters of a need's id that people are shown
Verb = Literal["pause", "resume", "stop-agent", "pin", "fork", "say", "answer", "quota", "give-up"]


class WishFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a wish takes beside its verb; each verb reads its own.

    Attributes:
        agent: Whom it is about.
        generation: Which generation of it; None where a pin ends, and of a give-up for the one
            that is under way.
        name: Of a new agent.
        model: Of a new agent; None for the same one.
        need: Which need is answered: the first characters of its id.
        text: What is said or answered.
        calls: Quota of model calls.
        usd: Quota in US dollars.
        tokens: Quota of tokens.
    """

    agent: str = ""
    generation: int | None = None
    name: str = ""
    model: str | None = None
    need: str = ""
    text: str = ""
    calls: int | None = None
    usd: float | None = None
    tokens: int | None = None


class OpenRun(NamedTuple):
    """A run that can be steered, opened for reading.

    Attributes:
        folder: Where it lies.
        config: Its configuration.
        marks: What its space holds.
        steering: What was asked of it before.
    """

    folder: RunFolder
    config: RunConfig
    marks: RunMarks
    steering: SteeringMarks

    def written_for(self, request: str) -> Steering | None:
        """Return what was written for a request; None if nothing was."""
        names = [str(name) for name in mark_ids(RunIds(self.config.root_seed), request)]
        written = (each.steering for each in self.steering.written if each.id in names)
        return next(written, None)

    def require_agent(self, agent: str) -> None:
        """Check that an agent plays on."""
        if agent not in self.config.agents:
            names = ", ".join(self.config.agents)
            raise RunUsageError(f"{self.folder.root} has no agent {agent!r}; it has {names}")
        if StopAgent(agent=agent) in (written.steering for written in self.steering.written):
            raise RunUsageError(f"{agent} was stopped before; its play is over")

    def require_no_arena(self, verb: Verb) -> None:
        """Check that nothing is asked that the rounds of an arena decide themselves."""
        if self.config.arena is not None:
            raise RunUsageError(
                f"{self.folder.root} is an arena, in which scores decide who plays and with which "
                f"code; {verb} is for other runs"
            )

    def require_new(self, name: str, forked: Sequence[str]) -> None:
        """Check that no agent is called so, nor will be."""
        if name in RESERVED or name in (*self.config.agents, *forked):
            raise RunUsageError(f"an agent cannot be called {name!r}: the name is taken")

    def require_model(self, model: str) -> None:
        """Check that the run can be gone on with where this model plays, too.

        Raises:
            UnknownModel: The name fits nothing.
            AuthFailed: It needs a key and there is none.
            UnknownPrice: Money is limited and nobody knows what it costs.
        """
        resolve(model)
        if read_terms(self.folder.terms).need_prices:
            self.require_price(model)
        if is_hostile(model) and read_record_of(self.folder.root).sandbox == "process":
            raise RunUsageError(f"{model} tries what an agent must not, and nothing confines it")

    def require_price(self, model: str) -> None:
        """Check that the price of a model is known.

        Raises:
            UnknownPrice: Nobody knows it.
        """
        prices = read_terms(self.folder.terms).table()
        if not model.startswith(OFFLINE) and prices.quote(model) is None:
            raise UnknownPrice(unknown_price(model))

    def require_generation(self, agent: str, generation: int) -> None:
        """Check that a generation can be forked."""
        closed = count_closed(self.marks, agent)
        if not 0 <= generation < closed:
            have = f"0 to {closed - 1}" if closed else "none"
            raise RunUsageError(f"{agent} has no generation {generation}; closed are {have}")
        if not self.marks.closing(agent, generation).manifest.valid:
            raise RunUsageError(
                f"generation {generation} of {agent} is not valid; name one that passed its gates"
            )


Wish = Callable[[OpenRun], Steering]


def ask_for(run: Path, wish: Wish, request: str | None = None) -> Steering:
    """Write a wish into a run's space.

    Args:
        run: The run's folder.
        wish: What is asked for.
        request: Names this request, in the mark's id: under the same name nothing is written again,
            and what was written is returned. None for a name that no other has.
    """
    with _opened(run) as opened:
        before = None if request is None else opened.written_for(request)
        if before is not None:
            return before
        steering = wish(opened)
        during = attempts_under_way(opened.folder, opened.marks)
    with closing(RunSpace(space_of(opened.folder), opened.config)) as space:
        try:
            space.principal().write(steering, request, during)
        except ValidationError as error:  # somebody else was faster
            raise RunUsageError(f"{run}: {error}") from error
        is_at_rest = holder_of(space.marks.space) is None
    if is_at_rest:
        sign_state(run)
    return steering


def wish_of(verb: Verb, fields: WishFields) -> Wish:
    """Return what a verb asks for; see the function of its name."""
    match verb:
        case "pause":
            return pause()
        case "resume":
            return resume()
        case "stop-agent":
            return stop_agent(fields.agent)
        case "pin":
            return pin(fields.agent, fields.generation)
        case "fork":
            if fields.generation is None:
                raise RunUsageError("fork needs the generation that is forked")
            return fork(fields.agent, fields.generation, fields.name, fields.model)
        case "say":
            return say(fields.agent, fields.text)
        case "answer":
            return answer(fields.need, fields.text)
        case "quota":
            limits = {"calls": fields.calls, "tokens": fields.tokens}
            return set_quota(fields.agent, usd=fields.usd, **limits)
        case "give-up":
            return give_up(fields.agent, fields.generation)


def pause() -> Wish:
    """Let a run wait before the next look of every agent."""

    def check(opened: OpenRun) -> Steering:
        if opened.steering.is_paused:
            run = opened.folder.root
            raise RunUsageError(f"{run} is paused; hyperspace steer {run} resume lets it go on")
        return PauseRun()

    return check


def resume() -> Wish:
    """Let a paused run go on."""

    def check(opened: OpenRun) -> Steering:
        if not opened.steering.is_paused:
            raise RunUsageError(f"{opened.folder.root} is not paused")
        return ResumeRun()

    return check


def stop_agent(agent: str) -> Wish:
    """Let an agent play no further generation."""

    def check(opened: OpenRun) -> Steering:
        opened.require_agent(agent)
        opened.require_no_arena("stop-agent")
        return StopAgent(agent=agent)

    return check


def pin(agent: str, generation: int | None) -> Wish:
    """Let an agent's further generations be forked from one; None: as the run's rule says."""

    def check(opened: OpenRun) -> Steering:
        opened.require_agent(agent)
        opened.require_no_arena("pin")
        pins = [w.steering for w in opened.steering.written if isinstance(w.steering, PinParent)]
        last = next((each for each in reversed(pins) if each.agent == agent), None)
        if generation is not None:
            opened.require_generation(agent, generation)
        elif last is None or last.generation is None:
            raise RunUsageError(f"{agent} is not pinned")
        return PinParent(agent=agent, generation=generation)

    return check


def fork(agent: str, generation: int, name: str, model: str | None = None) -> Wish:
    """Let a new agent begin with an agent's code, and play for the rest of the run.

    Args:
        agent: Whose code.
        generation: Of which generation.
        name: What the new agent is called.
        model: The model behind it; None for the same one.
    """

    def check(opened: OpenRun) -> Steering:
        config = opened.config
        opened.require_agent(agent)
        opened.require_generation(agent, generation)
        if config.solo is not None:
            raise RunUsageError("a solo run has one agent; fork is for pairs and fleets")
        opened.require_no_arena("fork")
        last = config.member(agent).generations
        under_way = attempts_under_way(opened.folder, opened.marks).get(agent)
        if under_way == last or count_closed(opened.marks, agent) > last:
            raise RunUsageError(f"{agent} has begun its last generation; none is left to join in")
        forks = [w.steering for w in opened.steering.written if isinstance(w.steering, ForkAgent)]
        opened.require_new(name, [each.name for each in forks])
        chosen = model or config.models[config.agents.index(agent)]
        wish = ForkAgent(agent=agent, generation=generation, name=name, model=chosen)
        try:
            with_fork(config, wish, 0)  # its name becomes a folder
        except ValueError as error:
            raise RunUsageError(f"{error}; use lower-case letters, digits, '.' and '-'") from error
        opened.require_model(chosen)
        return wish

    return check


def say(agent: str, text: str) -> Wish:
    """Tell an agent, or `all`, something in the workspace of its next generation."""

    def check(opened: OpenRun) -> Steering:
        if agent != EVERYONE:
            opened.require_agent(agent)
        return SayTo(agent=agent, text=_bounded(text))

    return check


def answer(need: str, text: str) -> Wish:
    """Answer a need.

    Args:
        need: The need's id, or the first characters of it.
        text: The answer.
    """

    def check(opened: OpenRun) -> Steering:
        raised = all_needs(opened.marks)
        matches = [each for each in raised if str(each.id).startswith(need.lower())]
        open_ = [each for each in raised if opened.steering.answer_to(str(each.id)) is None]
        if len(matches) != 1 or not need:
            have = ", ".join(str(each.id)[:SHORT] for each in open_) or "none"
            what = "more than one need" if matches and need else "no need"
            raise RunUsageError(f"{opened.folder.root} has {what} {need!r}; open are: {have}")
        if matches[0] not in open_:
            raise RunUsageError(f"the need {need!r} was answered before")
        return AnswerNeed(
            agent=convert(NeedContext, matches[0].context).agent,
            need=str(matches[0].id),
            question=matches[0].question,
            text=_bounded(text),
        )

    return check


def set_quota(
    agent: str,
    *,
    calls: int | None = None,
    usd: float | None = None,
    tokens: int | None = None,
) -> Wish:
    """Set what an agent may take in all, within the run's own limits; None leaves what held."""

    def check(opened: OpenRun) -> Steering:
        opened.require_agent(agent)
        numbers = {"calls": calls, "usd": usd, "tokens": tokens}
        if not any(number is not None for number in numbers.values()):
            raise RunUsageError("quota sets at least one of --calls, --usd and --tokens")
        for name, number in numbers.items():
            if number is not None and not 0 < number <= MOST_COUNTED:
                raise RunUsageError(
                    f"--{name} {number} is no quota; it is above 0, and at most {MOST_COUNTED:,}"
                )
        if usd is not None:
            opened.require_price(opened.config.models[opened.config.agents.index(agent)])
        limits = read_terms(opened.folder.terms).limits
        for name, wanted, limit in (("usd", usd, limits.usd), ("tokens", tokens, limits.tokens)):
            if wanted is not None and limit is not None and wanted > limit:
                raise RunUsageError(
                    f"--{name} {wanted} is above the limit of the whole run, --max-{name} {limit}"
                )
        return SetQuota(agent=agent, calls=calls, usd=usd, tokens=tokens)

    return check


def give_up(agent: str, generation: int | None = None) -> Wish:
    """Let a generation that was begun be closed as one whose model did not answer.

    Args:
        agent: Whose.
        generation: Its number; None for the only one that was begun.
    """

    def check(opened: OpenRun) -> Steering:
        opened.require_agent(agent)
        opened.require_no_arena("give-up")
        number = _begun(opened, agent, generation)
        if number == 0:
            raise RunUsageError(
                f"the other generations of {agent} are forked from generation 0 and compared with "
                "it, so it cannot be given up; mend what fails, or begin another run"
            )
        wish = GiveUp(agent=agent, generation=number)
        if wish in (written.steering for written in opened.steering.written):
            run = opened.folder.root
            raise RunUsageError(
                f"generation {number} of {agent} was given up before; it is closed when {run} is "
                "played on"
            )
        return wish

    return check


def _begun(opened: OpenRun, agent: str, generation: int | None) -> int:
    """Return the number of a generation that was begun and not closed."""
    begun = begun_generations(opened.folder, opened.marks, agent)
    if generation is None and len(begun) == 1:
        return begun[0]
    if generation in begun:
        return generation
    if begun:
        named = ", ".join(map(str, begun))
        words = f"hyperspace steer {opened.folder.root} give-up {agent} {begun[0]}"
        raise RunUsageError(f"under way are generations {named} of {agent}; name one: {words}")
    if count_closed(opened.marks, agent) > opened.config.member(agent).generations:
        raise RunUsageError(
            f"all generations of {agent} are closed; its final evaluation cannot be given up"
        )
    raise RunUsageError(f"{agent} has no generation under way, so there is none to give up")


def _bounded(text: str) -> str:
    if not 0 < len(text.strip()) <= len(text) <= LONGEST_TEXT:
        raise RunUsageError(
            f"the text has {len(text)} characters; it needs words, and at most {LONGEST_TEXT}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RunUsageError("the text is not valid Unicode; write it in UTF-8") from error
    return text


@contextmanager
def _opened(run: Path) -> Generator[OpenRun]:
    """Open a run that goes on and is this user's."""
    config, folder = read_record_of(run).configuration, RunFolder(run)
    if (run / EXPORT).exists():
        raise RunUsageError(f"{run} is an export; the run that it was made of can be steered")
    if not take_back(run):
        raise RunUsageError(
            f"{run} was not begun by you here; a run is steered by the one who began it"
        )
    with reading(folder, config) as marks:
        if marks.has_finals:
            raise RunUsageError(f"{run} is finished; there is nothing left to steer")
        steering = SteeringMarks(marks)
        steering.refresh()
        yield OpenRun(folder, config, marks, steering)
