"""OpenAI's responses, the wire that follows chat completions."""
