"""Programs that the policies send through a shell tool; they run where the agent's code is.

Each reads its order, a JSON object, from the first argument and prints one line that begins with
`RESULT ` and holds a JSON object. Standard library only; nothing here is imported by the host.
"""
