"""The errors of the model server; the tree is in the package's docstring."""


class ServeError(Exception):
    """Something about serving models went wrong."""


class BadFaults(ServeError):
    """The faults that were asked for make no sense. The message says what does."""


class RequestRefused(ServeError):
    """A request gets an error status; each wire says it in its own shape.

    Attributes:
        status: HTTP status, 400 to 599.
        message: What was wrong and what would be right.
        code: Machine-readable reason where a wire has one (`model_not_found`).
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


def overflow(tokens: int, limit_tokens: int) -> RequestRefused:
    """The refusal of a conversation that is longer than the context."""
    # Openers that clients look for: OpenAI's "maximum context length", Anthropic's "too long".
    said = (
        f"prompt is too long: {tokens} tokens > {limit_tokens} maximum; "
        f"this model's maximum context length is {limit_tokens} tokens"
    )
    return RequestRefused(400, said, "context_length_exceeded")
