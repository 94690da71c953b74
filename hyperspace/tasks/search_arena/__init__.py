"""Which of two answers with web search people preferred."""
