"""What a job holds while it is played."""

import msgspec


class Resources(msgspec.Struct, frozen=True):
    """What a job holds while it is played.

    Attributes:
        cpus: Cores.
        gpus: Graphics cards; a part of one may be shared.
        memory_bytes: Memory; 0 asks for none in particular.
    """

    cpus: float = 1.0
    gpus: float = 0.0
    memory_bytes: int = 0
