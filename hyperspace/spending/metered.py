"""The meter on a model: each attempt that a provider may bill is reserved before it is sent.

A `Metered` stands right around an adapter and inside of whatever retries, so that every try counts.
Who pays is not its business to know beforehand: `paying` says so around a call, in a context
variable that flows through every wrapper and task in between.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

import msgspec

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import Model, ModelError, Transient, UnknownPrice, Wrapper
from hyperspace.models.names import REPLY_TOKENS, asked_name
from hyperspace.spending.budget import Bound
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.prices import FREE, Price, PriceTable

# What a provider may add to what we send: a template around each message, a preamble for tools.
_TOKENS_A_MESSAGE: Final = 32
_TOKENS_A_REQUEST: Final = 1024


class Payer(NamedTuple):
    """Who pays for a call.

    Attributes:
        ledger: Where it is reserved and settled.
        prices: What it costs.
        account: Whose it is, and what for.
    """

    ledger: Ledger
    prices: PriceTable
    account: Account


_payer: ContextVar[Payer | None] = ContextVar("payer", default=None)
_money: ContextVar[PriceTable | None] = ContextVar("money", default=None)


@contextmanager
def paying(payer: Payer) -> Generator[None]:
    """Set who pays for the model calls made in this context."""
    token = _payer.set(payer)
    try:
        yield
    finally:
        _payer.reset(token)


@contextmanager
def prices_needed(prices: PriceTable) -> Generator[None]:
    """Let `check` of every metered model in this context demand a price in this table."""
    token = _money.set(prices)
    try:
        yield
    finally:
        _money.reset(token)


class Metered(Wrapper):
    """Reserves, asks once, and settles.

    A reply settles the reservation; an error that is certainly not billed gives it back; of a reply
    that came and cannot be read counts what it can have taken. Anything else, a cancellation too,
    leaves the reservation in place as usage that nobody knows. Where no one pays (a
    call outside of a run) the model is just asked.
    """

    def __init__(
        self,
        model: Model,
        url: str = "",
        billed_as: str = "",
        reply_tokens: int = REPLY_TOKENS,
    ) -> None:
        """Put a meter on a model.

        Args:
            model: Asked once for each attempt; sends `max_tokens` as it stands in the request.
            url: The endpoint that it really asks, for the price.
            billed_as: What the provider calls it; empty means the name without its endpoint.
            reply_tokens: The max_tokens to send where a request names none.
        """
        super().__init__(model)
        self._url = url
        self._billed_as = billed_as or asked_name(model.name)
        self._reply_tokens = reply_tokens

    @property
    def address(self) -> str:
        """The endpoint that is really asked; empty for a model without a network."""
        return self._url

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once, within the payer's limits.

        Raises:
            LimitReached: The run's limits do not allow the call; nothing was sent.
            ModelError: See the metered model.
        """
        capped = msgspec.structs.replace(
            request, max_tokens=request.max_tokens or self._reply_tokens
        )
        payer = _payer.get()
        if payer is None:
            return await self._model.complete(capped)
        return await self._ask(capped, payer)

    async def check(self) -> None:
        """Check the price, if one is needed, and that the model can be reached.

        Raises:
            UnknownPrice: Money is limited and nobody knows what this model costs.
            ModelError: See the metered model.
        """
        prices = _money.get()
        if prices is not None and self._price(prices) is None:
            raise UnknownPrice(unknown_price(self.name))
        await super().check()

    async def _ask(self, request: ChatRequest, payer: Payer) -> ChatReply:
        price, ledger = self._price(payer.prices), payer.ledger
        account = payer.account._replace(model=asked_name(self.name))
        reserved = await ledger.reserve(account, bound(request, price), durable=not self.offline)
        try:
            reply = await self._model.complete(request)
        except Transient as error:
            if error.usage is not None:  # a reply came, and nobody can read it
                cost_usd = None if price is None else price.cost_usd(error.usage)
                ledger.count_unreadable(reserved, error.usage, cost_usd)
            else:
                _end(ledger, reserved, error)
            raise
        except ModelError as error:
            _end(ledger, reserved, error)
            raise
        except BaseException:  # cancelled, or a defect: the provider may have answered
            ledger.lose(reserved)
            raise
        cost_usd = reply.cost_usd  # what the endpoint says that it charged, or else by the table
        if cost_usd is None and price is not None:
            cost_usd = price.cost_usd(reply.usage)
        ledger.settle(reserved, reply.usage, cost_usd)
        return msgspec.structs.replace(reply, cost_usd=cost_usd)

    def _price(self, prices: PriceTable) -> Price | None:
        return FREE if self.offline else prices.find(self._billed_as, self._url)


def _end(ledger: Ledger, reserved: str, error: ModelError) -> None:
    end = ledger.lose if error.may_be_billed else ledger.release
    end(reserved)


def unknown_price(name: str) -> str:
    """Error text for a person who limits money and asks a model without a known price."""
    return (
        f"nobody knows what {name} costs, so --max-usd cannot be kept; name its price with "
        "--prices FILE.toml, or count it as nothing with --allow-unknown-price"
    )


def bound(request: ChatRequest, price: Price | None) -> Bound:
    """The most that a request can take, whatever the provider's tokenizer.

    No tokenizer makes more tokens than there are bytes. Tools count twice, because providers
    write them out in a form of their own.
    """
    sent = len(msgspec.json.encode(request)) + len(msgspec.json.encode(request.tools))
    prompt_tokens = sent + _TOKENS_A_MESSAGE * len(request.messages) + _TOKENS_A_REQUEST
    completion_tokens = request.max_tokens or REPLY_TOKENS
    cost_usd = None if price is None else price.bound_usd(prompt_tokens, completion_tokens)
    return Bound(
        prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost_usd=cost_usd
    )
