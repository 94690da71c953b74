"""Forecast of a run's calls, tokens, money and time (docs/reference/spending.md).

Arithmetic over the domain's sizes, the generations and the prompts of the code that agents start
from. Nothing is asked and nothing is run; how models behave is assumed, as `LEVELS` says.
"""

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from guards.parsing import parse_python
from hyperspace.messages import Usage
from hyperspace.spending.prices import Price
from hyperspace.tasks.base import Domain, Split

# The two tools as the frozen runtime describes them to a model, in characters.
TOOLS_CHARACTERS: Final = 1700


class Level(NamedTuple):
    """One set of assumptions.

    Attributes:
        modify_calls: Model calls of one modification; the runtime runs at most 40 tool calls.
        turn_tokens: What one tool call and its answer add to the conversation.
        modify_reply_tokens: Length of a reply of the meta agent's model.
        answer_tokens: Length of an answer to one item, reasoning included.
        token_characters: Characters of prompt that make one token.
        whole: Whether evaluation goes on after the staged pass.
        call_s: Seconds a call over a network takes.
        generation_s: Seconds a generation takes beside its calls.
    """

    modify_calls: int
    turn_tokens: int
    modify_reply_tokens: int
    answer_tokens: int
    token_characters: float
    whole: bool
    call_s: float
    generation_s: float


LEVELS: Final = {
    "low": Level(4, 200, 100, 20, 5.0, whole=False, call_s=1.0, generation_s=0.5),
    "expected": Level(12, 800, 350, 150, 4.0, whole=True, call_s=4.0, generation_s=3.0),
    "high": Level(41, 4000, 2000, 2000, 2.5, whole=True, call_s=20.0, generation_s=20.0),
}


def _rests_on(level: Level) -> str:
    items = "all of train and validation" if level.whole else "the staged items alone"
    return (
        f"a modification of {level.modify_calls} calls, the conversation {level.turn_tokens:,} "
        f"tokens longer after each, replies of {level.modify_reply_tokens:,}; {items}, answers of "
        f"{level.answer_tokens:,} tokens; {level.call_s:g} s a call"
    )


RESTS_ON: Final = {name: _rests_on(level) for name, level in LEVELS.items()}
SPREAD: Final = (
    "most of the spread is how long models work on a modification: each call sends the whole "
    "conversation again, so tokens grow with the square of the calls; play 2 generations with "
    "--max-usd, and summary.json says under forecast where a model stands"
)


class Amount(msgspec.Struct, frozen=True):
    """An amount of work, forecast or done.

    Attributes:
        calls: Model calls.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        usd: Money in US dollars; None if a price is not known.
        seconds: Wall time.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def times(self, number: int) -> "Amount":
        """So much, so many times."""
        return Amount(
            self.calls * number,
            self.prompt_tokens * number,
            self.completion_tokens * number,
            None if self.usd is None else self.usd * number,
            self.seconds * number,
        )

    def plus(self, other: "Amount") -> "Amount":
        """Both together; money that is not known stays so."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Amount(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            usd,
            self.seconds + other.seconds,
        )


class Part(msgspec.Struct, frozen=True):
    """The forecast of what one agent asks one model for.

    Attributes:
        agent: Who asks.
        model: Whom, as written on the command line.
        work: `modify`, `review` or `evaluate`.
        low: Little work: short conversations, and candidates that score nothing.
        expected: What is usual.
        high: As much as the frozen runtime lets the seed ask for.
    """

    agent: str
    model: str
    work: str
    low: Amount
    expected: Amount
    high: Amount


class Forecast(msgspec.Struct, frozen=True):
    """The forecast of a run.

    Attributes:
        parts: By agent and work.
        low: The sum of the low ones.
        expected: The sum of the expected ones.
        high: The sum of the high ones.
        unpriced: Models whose price is not known.
        rests_on: What each of these three assumes, by its name.
        spread: Why they lie so far apart.
    """

    parts: tuple[Part, ...]
    low: Amount
    expected: Amount
    high: Amount
    unpriced: tuple[str, ...]
    rests_on: dict[str, str] = msgspec.field(default_factory=lambda: dict(RESTS_ON))
    spread: str = SPREAD


class ForecastModel(NamedTuple):
    """A model, as far as a forecast knows it.

    Attributes:
        name: As written on the command line.
        price: What it costs; None if that is not known.
        offline: Whether it answers without a network, and so at once.
    """

    name: str
    price: Price | None
    offline: bool


class Player(NamedTuple):
    """An agent, as far as a forecast knows it.

    Attributes:
        agent: Its name.
        model: The model behind its meta agent.
        eval_model: The model that its task agents ask.
        generations: Its own budget; None for the run's.
        diagnosed: Whether a diagnosis of one failed item comes before each modification.
        reviewer: The model that is asked about each try; None where none is.
        tests_each: Whether every generation is evaluated on test, not the best one alone.
        times: How often each item is answered.
        workers: How many items are answered at a time.
    """

    agent: str
    model: ForecastModel
    eval_model: ForecastModel
    generations: int | None = None
    diagnosed: bool = False
    reviewer: ForecastModel | None = None
    tests_each: bool = False
    times: int = 1
    workers: int = 1


def forecast(
    domain: Domain, generations: int, players: Iterable[Player], seed: Mapping[str, str]
) -> Forecast:
    """Forecast a run.

    Args:
        domain: The task; its sizes and inputs count.
        generations: Generations after generation 0.
        players: The agents.
        seed: Code that they start from, path to text.
    """
    parts: list[Part] = []
    for player in players:
        scale = _Scale(domain, generations, player, seed)
        parts.append(scale.part(player.agent, player.model, "modify"))
        parts.append(scale.part(player.agent, player.eval_model, "evaluate"))
        if player.reviewer is not None:
            parts.append(scale.part(player.agent, player.reviewer, "review"))
    models = {
        model
        for player in players
        for model in (player.model, player.eval_model, player.reviewer)
        if model is not None
    }
    return _summed(parts, {model.name for model in models if model.price is None})


def within_calls(of: Callable[[int], Forecast], calls: int, test_calls: int) -> Forecast:
    """Return the forecast of a search that ends after so many calls, under each assumption.

    Args:
        of: The forecast of so many generations, the final test included.
        calls: The search's budget; a generation that it ends is not counted.
        test_calls: Calls of the final test, which are beside the budget.
    """
    first, second = of(1), of(2)
    made: dict[str, Forecast] = {}
    for level in LEVELS:
        taken = getattr(first, level).calls
        each = max(getattr(second, level).calls - taken, 1)
        made[level] = of(1 + max(calls + test_calls - taken, 0) // each)
    parts = (
        msgspec.structs.replace(
            part, **{level: getattr(made[level].parts[at], level) for level in LEVELS}
        )
        for at, part in enumerate(first.parts)
    )
    return _summed(tuple(parts), first.unpriced)


def side_by_side(in_turn: Forecast, lanes: int, *, children: bool) -> Forecast:
    """Return the same work, done at the same time as far as there are lanes.

    Args:
        in_turn: The work, one generation after another.
        lanes: How many generations are made at a time.
        children: Whether these may be one agent's; else it takes no less than the slowest agent.
    """
    agents = dict.fromkeys(part.agent for part in in_turn.parts)

    def slowest(level: str) -> Amount:
        own = [[getattr(p, level) for p in in_turn.parts if p.agent == agent] for agent in agents]
        took = [_sum(amounts).seconds for amounts in own]
        seconds = max(sum(took) / lanes, 0.0 if children else max(took))
        return msgspec.structs.replace(getattr(in_turn, level), seconds=seconds)

    return msgspec.structs.replace(in_turn, **{level: slowest(level) for level in LEVELS})


def together(forecasts: Mapping[str, Forecast]) -> Forecast:
    """The forecast of several runs, by what they are called; of one run, its own."""
    if len(forecasts) == 1:
        return next(iter(forecasts.values()))
    parts = [
        msgspec.structs.replace(part, agent=f"{label} {part.agent}")
        for label, run in forecasts.items()
        for part in run.parts
    ]
    return _summed(parts, {model for run in forecasts.values() for model in run.unpriced})


class _Scale:
    """The sizes that a forecast is made of."""

    def __init__(
        self, domain: Domain, generations: int, player: Player, seed: Mapping[str, str]
    ) -> None:
        self._domain = domain
        self._generations = generations if player.generations is None else player.generations
        self._player = player
        self._code = len(seed.get("task_agent.py", ""))
        self._task = prompt_characters(seed.get("task_agent.py", ""))
        meta = seed.get("meta_agent.py", "")
        self._meta = prompt_characters(meta) + shown_characters(meta)

    def part(self, agent: str, model: ForecastModel, work: str) -> Part:
        amounts = {"modify": self._modify, "review": self._review, "evaluate": self._evaluate}
        levels = {name: amounts[work](model, level) for name, level in LEVELS.items()}
        return Part(agent, model.name, work, **levels)

    def _modify(self, model: ForecastModel, level: Level) -> Amount:
        calls = level.modify_calls
        first = round((self._meta + TOOLS_CHARACTERS) / level.token_characters)
        # Each call sends the whole conversation so far: the sum over them grows with the square.
        sent = calls * first + level.turn_tokens * calls * (calls - 1) // 2
        received = calls * level.modify_reply_tokens
        amount = _amount(model, level, calls, sent, received, level.generation_s)
        if self._player.diagnosed:  # one question: a failed item, and the code that failed on it
            items = max(len(self._domain.items("train")), 1)
            characters = self._code + self._characters("train") // items
            sent = round(characters / level.token_characters)
            reply = level.modify_reply_tokens
            amount = amount.plus(_amount(model, level, 1, sent, reply, 0.0))
        return amount.times(self._generations)

    def _review(self, model: ForecastModel, level: Level) -> Amount:
        """One question a try: the code, and the tries so far, each about as long as a reply."""
        tries = self._generations
        characters = self._code + self._characters("train")
        sent = tries * round(characters / level.token_characters)
        sent += level.modify_reply_tokens * tries * (tries - 1) // 2
        return _amount(model, level, tries, sent, tries * level.modify_reply_tokens, 0.0)

    def _evaluate(self, model: ForecastModel, level: Level) -> Amount:
        rounds = self._generations + 1
        # Where every generation is evaluated on test, those are that got beyond the staged pass.
        tests = 1 + (rounds if self._player.tests_each and level.whole else 0)
        times = self._player.times
        items, characters = (rounds * each for each in self._round(level))
        items += tests * len(self._domain.items("test"))
        characters += tests * self._characters("test")
        calls, characters = rounds + times * items, times * characters
        if not self._domain.calls_model:
            calls = characters = 0
        sent = round((characters + calls * self._task) / level.token_characters)
        received = calls * level.answer_tokens
        amount = _amount(model, level, calls, sent, received, 0.0)
        seconds = amount.seconds / self._player.workers + rounds * level.generation_s
        return msgspec.structs.replace(amount, seconds=seconds)

    def _round(self, level: Level) -> tuple[int, int]:
        """Items of a generation's evaluation, and the characters of their inputs."""
        train, characters = len(self._domain.items("train")), self._characters("train")
        if self._domain.staged_items and not level.whole:
            staged = min(self._domain.staged_items, train)
            return staged, characters * staged // max(train, 1)
        return train + len(self._domain.items("val")), characters + self._characters("val")

    def _characters(self, split: Split) -> int:
        return sum(len(str(item.inputs)) for item in self._domain.items(split))


@lru_cache(maxsize=16)
def prompt_characters(source: str) -> int:
    """Length of the longest text that a program holds outside of docstrings; it is not run."""
    try:
        tree = parse_python(source)
    except SyntaxError:
        return len(source)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if id(node) not in documentation)
    return max(map(_text_length, texts), default=0)


def shown_characters(source: str) -> int:
    """How much a meta agent shows in a prompt, by its constant `CHARACTERS`; 0 without one."""
    match = re.search(r"(?m)^CHARACTERS\b[^=\n]*= ([\d_]{1,9})\b", source)
    return int(match[1].replace("_", "")) if match else 0


def _text_length(node: ast.AST) -> int:
    if isinstance(node, ast.JoinedStr):
        return sum(map(_text_length, node.values))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return len(node.value)
    return 0


def _amount(
    model: ForecastModel, level: Level, calls: int, sent: int, received: int, beside_s: float
) -> Amount:
    usd = None if model.price is None else model.price.cost_usd(Usage(sent, received))
    if not calls:
        usd = 0.0
    seconds = beside_s + (0.0 if model.offline else calls * level.call_s)
    return Amount(calls, sent, received, usd, seconds)


def _summed(parts: Sequence[Part], unpriced: Iterable[str]) -> Forecast:
    """Return the forecast that some parts make."""
    low, expected, high = (_sum(getattr(part, level) for part in parts) for level in LEVELS)
    return Forecast(tuple(parts), low, expected, high, tuple(sorted(unpriced)))


def _sum(amounts: Iterable[Amount]) -> Amount:
    result = Amount()
    for amount in amounts:
        result = result.plus(amount)
    return result
