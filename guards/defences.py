"""The defences against attacks, each by its name, so that tests can take one away.

Parts that are bounds (`Limits`, `BrokerLimits`, `IngestLimits`) are taken away by giving no bound,
content policies by their mode `off`. The others are taken away by the argument `without` of the
piece that has them; only tests pass it, and nothing in a command, a configuration or the
environment leads to it.
"""

from enum import Enum, auto


class Defence(Enum):
    """One part of the boundary."""

    # Around the sandbox.
    NETWORK = auto()  # its own network
    MOUNTS = auto()  # its own file system: system programs, workspace, private tmp
    READ_ONLY = auto()  # what it does not own cannot be written
    PROCESSES = auto()  # its own process numbers, and an end for all of them together
    HOST_USER = auto()  # an unprivileged user of the host, in a user namespace
    CAPABILITIES = auto()  # no rights of root, not even over its own namespaces
    NESTING = auto()  # no user namespace inside
    HOST_NAME = auto()  # the same name everywhere
    SESSION = auto()  # not in the session of whoever started us
    ENVIRONMENT = auto()  # variables of ours only
    SECCOMP = auto()  # the filter for system calls
    IPC = auto()  # its own System V memory and message queues
    HARD_LIMITS = auto()  # limits that it cannot raise
    CORE = auto()  # no core dumps
    MESSAGE_QUEUES = auto()  # no POSIX message queues

    # Bounds of a sandbox, in `Limits`.
    WALL_CLOCK = auto()
    CPU = auto()
    MEMORY = auto()
    PIDS = auto()
    OPEN_FILES = auto()
    DISK = auto()
    OUTPUT = auto()
    FRAME_SIZE = auto()
    ALONE = auto()  # no process and no thread beside the one whose CPU time is bounded
    CPU_GROUP = auto()  # a job's CPU time is that of its control group

    # On the control channel.
    CHANNEL = auto()  # the channel is apart from what prints and children reach
    FRAME_FORM = auto()  # what is not a frame ends the sandbox, not us
    TURN = auto()  # one answer to one question
    ANSWER_ID = auto()  # an answer names the question

    # At the gates and in the evaluation.
    SMOKE = auto()  # code must answer an item before it counts
    PREDICTION_TYPE = auto()
    PREDICTION_SIZE = auto()
    CRASHES = auto()  # code that keeps ending its sandbox is not tried for ever
    LABELS = auto()  # labels stay outside
    ORDER = auto()  # items come in an order that tells nothing
    TOKENS = auto()  # and under names that tell nothing
    SCORES = auto()  # only the host says what a score is
    STEPS = auto()  # a step that was taken is taken, also when its episode is played again
    QUOTING = auto()  # others' words that a model reads stand between marks that they cannot know
    VAL_ERRORS = auto()  # what fails under validation does not say why in its own words
    SEALED_FORMS = auto()  # what a tester is told does not depend on sealed items
    HELD_OUT = auto()  # no job of a search holds what its winner is judged on
    KEYS = auto()  # a key that a server repeats is masked in any form

    # Ingest.
    EDIT_SCOPE = auto()
    LINKS = auto()
    SPECIAL_FILES = auto()
    INGEST_SIZE = auto()  # of one file, in `IngestLimits`
    INGEST_ENTRIES = auto()
    INGEST_DEPTH = auto()
    TEXT = auto()
    PLAIN_NAMES = auto()
    TWINS = auto()
    FILE_MODES = auto()
    WATCH_LINKS = auto()  # who watches edits follows no link

    # The broker.
    BROKER_FORM = auto()  # a request has the fields that it may have
    BROKER_MODEL = auto()
    BROKER_FRAME = auto()
    BROKER_PARTS = auto()
    BROKER_CALLS = auto()
    BROKER_ITEM_CALLS = auto()
    BROKER_CHARACTERS = auto()
    BROKER_CONNECTIONS = auto()

    # Content policies, by their mode.
    SECRETS = auto()
    GROWTH = auto()
    STOP_SIGNALS = auto()
    SCORE_CLAIMS = auto()
    PEER_INSTRUCTIONS = auto()


Without = frozenset[Defence]
ALL_IN_FORCE: Without = frozenset()

# Those of our own code on the host: whatever sandbox an attacker sits in, they are the same.
OF_THE_HOST: Without = frozenset(
    {
        *(Defence.SMOKE, Defence.PREDICTION_TYPE, Defence.PREDICTION_SIZE, Defence.CRASHES),
        *(Defence.LABELS, Defence.ORDER, Defence.TOKENS, Defence.SCORES, Defence.STEPS),
        *(Defence.QUOTING, Defence.VAL_ERRORS, Defence.SEALED_FORMS, Defence.HELD_OUT),
        Defence.KEYS,
        *(Defence.BROKER_FORM, Defence.BROKER_MODEL, Defence.BROKER_FRAME, Defence.BROKER_PARTS),
        *(Defence.BROKER_CALLS, Defence.BROKER_ITEM_CALLS, Defence.BROKER_CHARACTERS),
        *(Defence.BROKER_CONNECTIONS, Defence.SECRETS, Defence.GROWTH, Defence.STOP_SIGNALS),
        *(Defence.SCORE_CLAIMS, Defence.PEER_INSTRUCTIONS),
    }
)
