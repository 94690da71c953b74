"""Chat completions: OpenAI, Fireworks and every compatible endpoint."""
