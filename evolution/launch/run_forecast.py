"""The forecast of a run: what its options will take, without asking any model."""

from math import ceil

from agents.models.base import Model, PlacedModel
from agents.spending.prices import FREE, PriceTable
from evolution.launch.forecast import Forecast, ForecastModel, Player, forecast, side_by_side
from evolution.launch.setup import Setup
from evolution.launch.start import seed_code
from evolution.state.options.option import scale


def forecast_run(setup: Setup, prices: PriceTable) -> Forecast:
    """Forecast a run.

    Args:
        setup: The run.
        prices: What models cost.
    """
    config, solo = setup.config, setup.config.solo
    annealing = None if solo is None else solo.annealing

    def candidates(generations: int) -> int:  # a tournament has two
        return generations + (0 if annealing is None else ceil(annealing.expected(generations)))

    players = [
        Player(
            who.name,
            _forecast_model(who.model, prices),
            _forecast_model(who.eval_model, prices),
            candidates(config.member(who.name).generations),
            diagnosed=solo is not None and bool(solo.diagnosis),
            tests_each=solo is not None and solo.eval_test,
            times=scale(setup.options, "calls"),
            workers=scale(setup.options, "workers"),
        )
        for who in setup.run_models.participants(config.agents)
    ]
    code = seed_code(setup.domain, setup.initial, solo)
    run = forecast(setup.domain, config.generations, players, code)
    return side_by_side(run) if config.together.schedule == "concurrent" else run


def _forecast_model(model: Model, prices: PriceTable) -> ForecastModel:
    is_free = model.offline or isinstance(model, PlacedModel)  # a recording's answers are paid
    return ForecastModel(model.name, FREE if is_free else prices.quote(model.name), is_free)
