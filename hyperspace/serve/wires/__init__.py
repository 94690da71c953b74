"""The wire protocols: OpenAI's chat completions and responses, Anthropic's messages, Fireworks'."""
