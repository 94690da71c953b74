"""Programs that run inside a sandbox; the host sends their source over the control channel.

They use the standard library only and never import the house. Nothing on the host imports them.
"""
