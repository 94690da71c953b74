"""A local chat-completions server whose brains are offline policies or scripts."""
