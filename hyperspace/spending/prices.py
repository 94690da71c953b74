"""What tokens cost: a dated table that comes along, and a person's own before it."""

import re
from datetime import date
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from guards.parsing import parse_toml
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.messages import Usage
from hyperspace.models.names import split_name

FORMAT: Final = 1
_SHIPPED: Final = Path(__file__).parents[1] / "models" / "prices.toml"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_DATED: Final = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_MILLION: Final = 1_000_000


class PriceTableError(Exception):
    """A price table cannot be read; the message says which file, where, and what is expected."""


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prices of a model, in US dollars per million tokens.

    Attributes:
        id: The model, as its provider calls it.
        input: Tokens sent that no cache is concerned with.
        output: Tokens received.
        cached_input: Tokens read from a cache; None means the same as `input`.
        cache_write: Tokens written to a cache; None means the same as `input`.
    """

    id: str
    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None

    def __post_init__(self) -> None:
        figures = (self.input, self.output, self.cached_input or 0.0, self.cache_write or 0.0)
        if not all(0 <= figure < float("inf") for figure in figures):
            raise ValueError(f"a price of {self.id} is negative or no finite number")

    def cost_usd(self, usage: Usage) -> float:
        """Price of these tokens, in US dollars."""
        plain = usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens
        millionths = (
            max(plain, 0) * self.input
            + usage.cached_tokens * _or(self.cached_input, self.input)
            + usage.cache_write_tokens * _or(self.cache_write, self.input)
            + usage.completion_tokens * self.output
        )
        return millionths / _MILLION

    def bound_usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The most that this many tokens cost, however the cache is used."""
        dearest = max(self.input, self.cached_input or 0.0, self.cache_write or 0.0)
        return (prompt_tokens * dearest + completion_tokens * self.output) / _MILLION


FREE: Final = Price(id="", input=0.0, output=0.0)


class PricedProvider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prices of one provider.

    Attributes:
        name: Whose they are.
        models: Prices by model.
        hosts: Endpoints that charge them; empty means any endpoint.
        as_of: When the source was read.
        source: Where they come from.
    """

    name: str
    models: tuple[Price, ...]
    hosts: tuple[str, ...] = ()
    as_of: date | None = None
    source: str = ""

    def find(self, model: str, host: str) -> Price | None:
        """The price of a model at a host: that of its very id, else that of the undated one."""
        if self.hosts and host not in self.hosts:
            return None
        by_id = {price.id: price for price in self.models}
        return by_id.get(model) or by_id.get(_DATED.sub("", model))


class PriceTable(msgspec.Struct, frozen=True):
    """Whom to ask for a price, in order.

    Attributes:
        own: The person's providers; they go before everything else.
        shipped: The providers that come along.
    """

    own: tuple[PricedProvider, ...] = ()
    shipped: tuple[PricedProvider, ...] = ()

    def find(self, model: str, url: str) -> Price | None:
        """The price of a model at an endpoint; None if nobody knows it.

        Args:
            model: The model as the provider calls it; options (`?key=value`) do not matter.
            url: The endpoint. One of this machine costs nothing unless the person says so.
        """
        host = urlsplit(url).hostname or ""
        model_id = model.partition("?")[0]
        own = _first(self.own, model_id, host)
        if own is None and host in _LOOPBACK:
            return FREE
        return own or _first(self.shipped, model_id, host)

    def quote(self, name: str) -> Price | None:
        """The price of a model by its name alone, before anything is known of its endpoint.

        Args:
            name: As people write it; without an endpoint it is taken for the provider's own.
        """
        model, url = split_name(name)
        if url:
            return self.find(model, url)
        providers = (*self.own, *self.shipped)
        hosts = [provider.hosts[0] if provider.hosts else "" for provider in providers]
        prices = (self.find(model, f"https://{host}") for host in hosts)
        return next((price for price in prices if price is not None), None)


def read_prices(own: Path | None = None) -> PriceTable:
    """Read the table that comes along, and the person's own if there is one.

    Raises:
        PriceTableError: The person's table is missing, no TOML, or of another shape.
    """
    return PriceTable(() if own is None else _read(own), _read(_SHIPPED))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    provider: tuple[PricedProvider, ...]


def _read(path: Path) -> tuple[PricedProvider, ...]:
    try:
        table = msgspec.convert(parse_toml(read_given(path)), _File)
    except (Unreadable, ValueError) as error:
        raise PriceTableError(
            f"the price table {path} cannot be read ({error}); it holds `format = {FORMAT}` and "
            "[[provider]] blocks with name and models = [{id, input, output}, ...], "
            "in US dollars per million tokens"
        ) from error
    if table.format != FORMAT:
        raise PriceTableError(
            f"the price table {path} has format {table.format} and this version reads {FORMAT}"
        )
    return table.provider


def _first(providers: tuple[PricedProvider, ...], model: str, host: str) -> Price | None:
    prices = (provider.find(model, host) for provider in providers)
    return next((price for price in prices if price is not None), None)


def _or(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price
