"""A model of the network that is only named: a forecast needs no key, no SDK and no server."""

from hyperspace.messages import ChatReply, ChatRequest


class UnconnectedModel:
    """Has a name and a price, and answers nothing."""

    offline = False

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer nothing.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"{self.name} is not connected; it cannot be asked for {request.model}")

    async def check(self) -> None:
        """Nothing to reach."""

    async def aclose(self) -> None:
        """Nothing to release."""
