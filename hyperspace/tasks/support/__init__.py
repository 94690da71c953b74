"""Answer customers' questions from a page of facts about invented products."""
