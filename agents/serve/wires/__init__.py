"""The wire protocols: OpenAI's chat completions, Anthropic's messages, Fireworks'."""
