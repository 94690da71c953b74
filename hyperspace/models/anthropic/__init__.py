"""Claude models over Anthropic's messages."""
