from pathlib import Path

import pytest

from hyperspace.messages import Usage
from hyperspace.spending.prices import FREE, Price, PriceTableError, read_prices

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
OWN = """
format = 1
[[provider]]
name = "mine"
models = [{ id = "m", input = 1.0, output = 2.0 }]
"""


def priced(model: str, url: str, own: Path | None = None) -> Price | None:
    return read_prices(own).find(model, url)


def test_a_dated_id_costs_what_its_model_costs() -> None:
    plain = priced("gpt-4o", OPENAI)
    assert plain is not None
    assert priced("gpt-4o-2024-08-06", OPENAI) == plain
    assert priced("claude-sonnet-4-5-20250929", ANTHROPIC) == priced("claude-sonnet-4-5", ANTHROPIC)
    assert priced("gpt-4o?temperature=0", OPENAI) == plain


def test_an_id_that_is_written_out_goes_before_the_undated_one() -> None:
    first = priced("gpt-4o-2024-05-13", OPENAI)
    assert first is not None and first.input == 5.0


@pytest.mark.parametrize("model", ["gpt-5-unheard-of", "gpt-5.9", "gpt-5-mini-turbo", ""])
def test_a_longer_name_is_another_model_whose_price_nobody_knows(model: str) -> None:
    assert priced(model, OPENAI) is None


def test_a_providers_prices_hold_at_its_own_endpoint_only() -> None:
    assert priced("gpt-5.2", "https://gateway.example/v1") is None
    assert priced("claude-sonnet-4-6", OPENAI) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:80/v1", "http://localhost:8000/v1"])
def test_what_runs_on_this_machine_is_free(url: str) -> None:
    assert priced("gpt-5.2", url) == FREE


def test_a_persons_own_table_goes_before_all_even_on_this_machine(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(OWN)
    for url in ("http://127.0.0.1:80/v1", "https://any.example/v1"):
        price = priced("m", url, own)
        assert price is not None and price.output == 2.0


@pytest.mark.parametrize(
    "text",
    [
        "format = 2\nprovider = []",
        "format = 1",
        "provider = 3",
        "not toml",
        OWN.replace("1.0", "-1.0"),
        OWN.replace("1.0", "nan"),
        OWN.replace("output", "out"),
    ],
)
def test_a_table_of_another_shape_is_refused_and_says_which(tmp_path: Path, text: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)
    with pytest.raises(PriceTableError, match=r"prices\.toml"):
        read_prices(own)


def test_a_table_that_is_not_there_is_refused() -> None:
    with pytest.raises(PriceTableError, match="nowhere"):
        read_prices(Path("/nowhere.toml"))


def test_cached_tokens_and_cache_writes_have_prices_of_their_own() -> None:
    price = Price(id="m", input=10.0, output=100.0, cached_input=1.0, cache_write=12.5)
    usage = Usage(1_000_000, 10_000, cached_tokens=300_000, cache_write_tokens=200_000)
    assert price.cost_usd(usage) == pytest.approx(5.0 + 0.3 + 2.5 + 1.0)
    assert Price(id="m", input=10.0, output=100.0).cost_usd(usage) == pytest.approx(11.0)


def test_no_use_of_the_cache_costs_more_than_the_bound() -> None:
    price = Price(id="m", input=10.0, output=100.0, cached_input=1.0, cache_write=12.5)
    for read, written in ((0, 0), (1000, 0), (0, 1000), (400, 600)):
        usage = Usage(1000, 50, cached_tokens=read, cache_write_tokens=written)
        assert price.cost_usd(usage) <= price.bound_usd(1000, 50) + 1e-12


def test_every_price_that_comes_along_names_its_source_and_date() -> None:
    for provider in read_prices().shipped:
        assert provider.source.startswith("https://")
        assert provider.as_of is not None
        assert provider.hosts
