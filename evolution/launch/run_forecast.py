"""The forecast of a run: what its options will take, without asking any model."""

from math import ceil

from agents.models.base import Model, PlacedModel
from agents.spending.prices import FREE, PriceTable
from agents.workspace.seed_code import diagnosis_files, runtime_files, seed_files, selection_files
from domains.base import Domain
from evolution.launch.crew import Crew
from evolution.launch.forecast import Asked, Forecast, Player, forecast, side_by_side
from evolution.options.solo import SoloTerms
from evolution.selection.named import EVOLVABLE
from evolution.state.config import RunConfig


def seed_code(
    domain: Domain, initial: dict[str, str], solo: SoloTerms | None = None
) -> dict[str, str]:
    """Code of generation 0, path to text: ours, replaced by the domain's, then by the person's.

    An agent that plays alone may edit all that it consists of, so the runtime belongs to it.
    """
    ours = seed_files() if solo is None else {**runtime_files(), **seed_files(solo.seed_agent)}
    if solo is not None and solo.diagnosis:
        ours = ours | diagnosis_files()
    if solo is not None and solo.selection == EVOLVABLE:
        ours = ours | selection_files()
    seed = {**ours, **domain.seed_files()}
    return {path: data.decode() for path, data in seed.items()} | initial


def forecast_run(
    crew: Crew,
    domain: Domain,
    config: RunConfig,
    prices: PriceTable,
    initial: dict[str, str],
    eval_workers: int = 1,
) -> Forecast:
    """Forecast a run.

    Args:
        crew: The models.
        domain: The task.
        config: Who plays, and for how many generations.
        prices: What models cost.
        initial: Code that replaces the seed's, path to text.
        eval_workers: How many items are answered at a time.
    """
    solo = config.solo
    players = [
        Player(
            who.name,
            _asked(who.model, prices),
            _asked(who.eval_model, prices),
            _candidates(config, config.member(who.name).generations),
            diagnosed=solo is not None and bool(solo.diagnosis),
            tests_each=solo is not None and solo.eval_test,
            eval_workers=eval_workers,
            eval_repeats=config.repeats,
        )
        for who in crew.participants(config.agents)
    ]
    found = forecast(domain, config.generations, players, seed_code(domain, initial, config.solo))
    return side_by_side(found) if config.together.schedule == "concurrent" else found


def _candidates(config: RunConfig, generations: int) -> int:
    """How many candidates will be made: a tournament has two."""
    annealing = None if config.solo is None else config.solo.annealing
    return generations + (0 if annealing is None else ceil(annealing.expected(generations)))


def _asked(model: Model, prices: PriceTable) -> Asked:
    is_free = model.offline or isinstance(model, PlacedModel)  # a recording's answers are paid
    return Asked(model.name, FREE if is_free else prices.quote(model.name), is_free)
