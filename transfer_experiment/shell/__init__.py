"""What tool calls would do, told from their text: shell commands, Python programs, editor calls.

Nothing is run and nothing trusted. What cannot be told is left out, so that no finding rests on a
guess.
"""
